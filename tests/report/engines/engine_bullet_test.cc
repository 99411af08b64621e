// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// The settings of the report, put into Bullet. Source of truth: the coefficients they were made of,
// and Coulomb's law for a ball that slides.

#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <btBulletDynamicsCommon.h>
#include <gtest/gtest.h>

#include "tests/report/engines/engine_drop.h"

namespace percuss::report {
namespace {

btVector3 DropBall(double friction, double restitution) {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  world.setGravity(btVector3(0, 0, 0));
  world.getSolverInfo().m_restitutionVelocityThreshold = 0;
  btStaticPlaneShape plane_shape(btVector3(0, 0, 1), 0);
  btSphereShape ball_shape(kBallRadius);
  btRigidBody plane(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &plane_shape));
  const btScalar inertia = 0.4 * kBallMass * kBallRadius * kBallRadius;
  btRigidBody ball(btRigidBody::btRigidBodyConstructionInfo(kBallMass, nullptr, &ball_shape,
                                                            btVector3(inertia, inertia, inertia)));
  for (btRigidBody* body : {&plane, &ball}) {
    body->setFriction(friction);
    body->setRestitution(restitution);
  }
  ball.setWorldTransform(btTransform(btQuaternion::getIdentity(), btVector3(0, 0, kBallRadius)));
  ball.setLinearVelocity(btVector3(kBallVx, 0, kBallVz));
  world.addRigidBody(&plane);
  world.addRigidBody(&ball);
  world.stepSimulation(1e-3, 0, 1e-3);
  const btVector3 after = ball.getLinearVelocity();
  world.removeRigidBody(&ball);
  world.removeRigidBody(&plane);
  return after;
}

// Bullet solves one contact in one step, by iterations that end within 1e-3 of the velocities.
TEST(EngineBullet, ADroppedBallShowsTheCoefficients) {
  for (const auto& [mu, e] : {std::pair(0.26, 0.55), std::pair(0.1, 0.9), std::pair(0.3, 0.2)}) {
    const EngineSettings engines = CalcEngineSettings(RunWith(mu, e));
    const btVector3 after =
        DropBall(ValueOf(engines, "Bullet", "friction"), ValueOf(engines, "Bullet", "restitution"));
    EXPECT_NEAR(after.z() / -kBallVz, e, 0.002) << "e " << e;
    EXPECT_NEAR((kBallVx - after.x()) / (after.z() - kBallVz), mu, 0.002) << "mu " << mu;
  }
}

// The rules that the settings rest on.
TEST(EngineBullet, MultipliesTheTwoBodies) {
  btSphereShape shape(1);
  btRigidBody one(btRigidBody::btRigidBodyConstructionInfo(1, nullptr, &shape));
  btRigidBody other(btRigidBody::btRigidBodyConstructionInfo(1, nullptr, &shape));
  one.setFriction(0.5);
  one.setRestitution(0.6);
  other.setFriction(0.4);
  other.setRestitution(0.5);
  EXPECT_NEAR(btManifoldResult::calculateCombinedFriction(&one, &other), 0.2, 1e-12);
  EXPECT_NEAR(btManifoldResult::calculateCombinedRestitution(&one, &other), 0.3, 1e-12);
}

}  // namespace
}  // namespace percuss::report
