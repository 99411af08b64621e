// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <btBulletDynamicsCommon.h>

#include "benchmarks/toss/toss_engine.h"

namespace percuss::benchmarks {
namespace {

constexpr int kSubsteps = 10;         // of a sample
constexpr double kGroundSize = 10.0;  // [m]; with a box below it Bullet finds all touching corners

btVector3 ToBullet(const Eigen::Vector3d& x) {
  return {btScalar(x[0]), btScalar(x[1]), btScalar(x[2])};
}

class BulletEngine : public TossEngine {
 public:
  explicit BulletEngine(const TossCube& cube) : cube_(cube) {}

  std::vector<TossPose> Simulate(const std::vector<double>& coefficients,
                                 const TossThrow& start) const override {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity(ToBullet(start.gravity));
    world.getSolverInfo().m_numIterations = 50;
    const btScalar half = btScalar(0.5 * cube_.edge), ground = btScalar(kGroundSize);
    btBoxShape ground_shape(btVector3(ground, ground, ground));
    btBoxShape cube_shape(btVector3(half, half, half));
    cube_shape.setMargin(btScalar(1e-3));
    // Bullet's bodies have their mass centre at their origin.
    btCompoundShape shifted_shape;
    shifted_shape.addChildShape(
        btTransform(btQuaternion::getIdentity(), -ToBullet(cube_.mass_centre)), &cube_shape);
    btCollisionShape* shape = &cube_shape;
    if (!cube_.mass_centre.isZero(0.0)) shape = &shifted_shape;
    const btScalar inertia = btScalar(cube_.inertia);
    btRigidBody plane(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &ground_shape));
    btRigidBody cube(btRigidBody::btRigidBodyConstructionInfo(
        btScalar(cube_.mass), nullptr, shape, btVector3(inertia, inertia, inertia)));
    plane.setWorldTransform(btTransform(btQuaternion::getIdentity(), btVector3(0, 0, -ground)));
    // Coefficients of a pair are products.
    plane.setFriction(1);
    plane.setRestitution(1);
    cube.setFriction(btScalar(coefficients[0]));
    cube.setRestitution(btScalar(coefficients[1]));
    plane.setContactStiffnessAndDamping(btScalar(coefficients[2]), btScalar(coefficients[3]));
    cube.setActivationState(DISABLE_DEACTIVATION);
    const Eigen::Quaterniond& q = start.pose.q;
    cube.setWorldTransform(btTransform(
        btQuaternion(btScalar(q.x()), btScalar(q.y()), btScalar(q.z()), btScalar(q.w())),
        ToBullet(start.pose.p)));
    cube.setLinearVelocity(ToBullet(start.v));
    cube.setAngularVelocity(ToBullet(start.w));
    world.addRigidBody(&plane);
    world.addRigidBody(&cube);
    std::vector<TossPose> poses = {start.pose};
    while (static_cast<int>(poses.size()) < start.count) {
      const auto step = btScalar(start.interval / kSubsteps);
      for (int k = 0; k < kSubsteps; ++k) world.stepSimulation(step, 0, step);
      const btTransform& now = cube.getWorldTransform();
      const btQuaternion turn = now.getRotation();
      poses.push_back({{now.getOrigin().x(), now.getOrigin().y(), now.getOrigin().z()},
                       {turn.w(), turn.x(), turn.y(), turn.z()}});
    }
    world.removeRigidBody(&cube);
    world.removeRigidBody(&plane);
    return poses;
  }

 private:
  TossCube cube_;
};

}  // namespace

TossEngineMaker BulletTosses() {
  return {"Bullet",
          {{"mu", 0.2, 0.05, 0.0, 1.0},
           {"restitution", 0.1, 0.1, 0.0, 1.0},
           {"stiffness [N/m]", 3000.0, 2000.0, 100.0, 1e5},
           {"damping [N s/m]", 40.0, 30.0, 0.0, 1000.0}},
          [](const TossCube& cube) -> std::unique_ptr<TossEngine> {
            return std::make_unique<BulletEngine>(cube);
          }};
}

}  // namespace percuss::benchmarks
