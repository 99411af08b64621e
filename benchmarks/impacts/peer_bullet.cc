// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <btBulletDynamicsCommon.h>

#include "benchmarks/impacts/peers.h"

namespace percuss::benchmarks {
namespace {

constexpr btScalar kStep = 1e-3;  // [s]

btVector3 ToBullet(const Eigen::Vector3d& x) {
  return {btScalar(x[0]), btScalar(x[1]), btScalar(x[2])};
}
Eigen::Vector3d FromBullet(const btVector3& x) { return {x[0], x[1], x[2]}; }

struct Scene {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  btStaticPlaneShape plane_shape{btVector3(0, 0, 1), 0};
  btSphereShape ball_shape;
  btRigidBody plane{btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &plane_shape)};
  btRigidBody ball;

  static btRigidBody::btRigidBodyConstructionInfo BallInfo(const BallImpact& impact,
                                                           btCollisionShape* shape) {
    const auto mass = btScalar(impact.mass);
    const btScalar inertia = btScalar(0.4 * impact.mass * impact.radius * impact.radius);
    return {mass, nullptr, shape, btVector3(inertia, inertia, inertia)};
  }

  explicit Scene(const BallImpact& impact)
      : ball_shape(btScalar(impact.radius)), ball(BallInfo(impact, &ball_shape)) {
    world.setGravity(btVector3(0, 0, 0));
    world.getSolverInfo().m_restitutionVelocityThreshold = 0;
    world.getSolverInfo().m_numIterations = 50;
    // Coefficients of a pair are products.
    plane.setRestitution(1);
    plane.setFriction(1);
    ball.setRestitution(btScalar(impact.e));
    ball.setFriction(btScalar(impact.mu));
    ball.setActivationState(DISABLE_DEACTIVATION);
    ball.setWorldTransform(
        btTransform(btQuaternion::getIdentity(), btVector3(0, 0, btScalar(impact.radius))));
    ball.setLinearVelocity(ToBullet(impact.v));
    ball.setAngularVelocity(ToBullet(impact.w));
    world.addRigidBody(&plane);
    world.addRigidBody(&ball);
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  ~Scene() {
    world.removeRigidBody(&ball);
    world.removeRigidBody(&plane);
  }
};

class Bullet : public BallEngine {
 public:
  std::string Label() const override { return "Bullet, ball, one step of 1 ms (velocities)"; }
  void Place(const BallImpact& impact) override {
    scene_.reset();
    scene_ = std::make_unique<Scene>(impact);
  }
  void Resolve() override { scene_->world.stepSimulation(kStep, 0, kStep); }
  BallVelocities After() const override {
    return {FromBullet(scene_->ball.getLinearVelocity()),
            FromBullet(scene_->ball.getAngularVelocity())};
  }

 private:
  std::unique_ptr<Scene> scene_;
};

}  // namespace

std::unique_ptr<BallEngine> MakeBullet() { return std::make_unique<Bullet>(); }

}  // namespace percuss::benchmarks
