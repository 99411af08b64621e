// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Truth: Coulomb's law, of forces and accelerations as they are found.

#include "solver/simulation/settle_contact.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <cmath>
#include <random>
#include <vector>

#include "solver/simulation/internal_forces.h"

namespace percuss::solver {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

// A body of mass 1 that rests on points, pushed by forces and moments.
struct RestingBody {
  EquationsOfMotion motion;
  ContactConstraints contacts;
};

RestingBody Resting(const std::vector<Vector3d>& points, double mu,
                    const Eigen::Matrix<double, 6, 1>& push) {
  RestingBody body;
  body.motion.mass = Eigen::MatrixXd::Identity(6, 6);
  body.motion.mass.bottomRightCorner<3, 3>() = Vector3d(0.02, 0.03, 0.04).asDiagonal();
  body.motion.bias = Eigen::VectorXd::Zero(6);
  body.motion.applied = push;
  body.motion.speeds = Eigen::VectorXd::Zero(6);
  const auto rows = static_cast<Eigen::Index>(3 * points.size());
  body.contacts.jacobian.resize(rows, 6);
  body.contacts.acceleration_bias = Eigen::VectorXd::Zero(rows);
  Eigen::Index row = 0;
  for (const Vector3d& r : points) {
    for (int k = 0; k < 3; ++k) {
      const Vector3d axis = Vector3d::Unit(k);
      body.contacts.jacobian.row(row++) << axis.transpose(), r.cross(axis).transpose();
    }
    body.contacts.points.push_back({.slip_direction = Vector2d::Zero(), .mu = mu});
  }
  return body;
}

// What Coulomb's law and the plane ask of each point.
void ExpectLawful(const RestingBody& body, const ContactMotion& settled) {
  ASSERT_EQ(settled.status, DynamicsStatus::kSolved) << settled.reason;
  const Eigen::VectorXd accelerations = body.contacts.jacobian * settled.acceleration;
  EXPECT_LT((body.motion.mass * settled.acceleration - body.motion.applied -
             body.contacts.jacobian.transpose() * settled.forces)
                .norm(),
            1e-9);
  for (std::size_t i = 0; i < body.contacts.points.size(); ++i) {
    const auto first = static_cast<Eigen::Index>(3 * i);
    const Vector3d force = settled.forces.segment<3>(first), a = accelerations.segment<3>(first);
    const double limit = body.contacts.points[i].mu * force.z();
    EXPECT_GE(force.z(), -1e-8);
    switch (settled.states[i]) {
      case ContactState::kStick:
        EXPECT_LT(a.norm(), 1e-8);
        EXPECT_LE(force.head<2>().norm(), limit + 1e-8);
        break;
      case ContactState::kSlip: {
        EXPECT_NEAR(a.z(), 0.0, 1e-8);
        const Vector2d d = settled.directions[i], along = a.head<2>();
        EXPECT_LT((force.head<2>() + limit * d).norm(), 1e-8);
        EXPECT_LT((along - along.norm() * d).norm(), 1e-8);
        break;
      }
      case ContactState::kReleased:
        EXPECT_LT(force.norm(), 1e-12);
        EXPECT_GE(a.z(), -1e-7);
    }
  }
}

Eigen::Matrix<double, 6, 1> Push(const Vector3d& force, const Vector3d& moment) {
  Eigen::Matrix<double, 6, 1> push;
  push << force, moment;
  return push;
}

// The point starts along its acceleration, which is not that of the force needed to hold it.
TEST(SettleContact, SlipStartsWhereItKeepsItsDirection) {
  const RestingBody body =
      Resting({{0.1, 0.05, -0.2}}, 0.2, Push({6.0, 2.0, -9.81}, {0.1, -0.2, 0.05}));
  const ContactMotion settled = SettleContact(body.motion, body.contacts);
  ASSERT_EQ(settled.states[0], ContactState::kSlip);
  ExpectLawful(body, settled);
  ContactConstraints near = body.contacts;
  near.points[0].state = ContactState::kSlip;
  near.points[0].slip_direction = Eigen::Rotation2Dd(0.1) * Vector2d(settled.directions[0]);
  const std::vector<Eigen::VectorXd> directions = StartDirections(body.motion, near, {true});
  EXPECT_LT((directions[0] - settled.directions[0]).norm(), 1e-10);
}

// Pushed at random, on one to four points.
TEST(SettleContact, ObeysCoulombWhateverPushes) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const auto any = [&](double size) -> Vector3d {
    const double x = unit(random), y = unit(random), z = unit(random);
    return size * Vector3d(x, y, z);
  };
  int count[3] = {};
  for (int k = 0; k < 1000; ++k) {
    std::vector<Vector3d> points;
    for (int i = 0; i <= k % 4; ++i) {
      points.push_back(any(0.1));
      points.back().z() = -0.1;
    }
    const Vector3d force = any(10.0) - Vector3d(0, 0, 8.0);
    const RestingBody body = Resting(points, 0.3 + 0.2 * unit(random), Push(force, any(0.5)));
    SCOPED_TRACE(k);
    const ContactMotion settled = SettleContact(body.motion, body.contacts);
    ExpectLawful(body, settled);
    for (const ContactState state : settled.states) ++count[static_cast<int>(state)];
  }
  for (const int number : count) EXPECT_GT(number, 50);
}

// Two points in a line with the force between them: they can hold by pressing against each other.
TEST(RelieveForces, PressesPointsAgainstEachOther) {
  // Of a body between two walls, x apart: the normals are -x and x, t1 is up.
  Eigen::MatrixXd jacobian(6, 3);
  jacobian << 0, 0, 1, 0, 1, 0, -1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0;
  Eigen::VectorXd forces(6);
  forces << 5, 0, 0, 5, 0, 0;
  const Eigen::MatrixXd null = NullSpace(jacobian.transpose());
  EXPECT_EQ(null.cols(), 3);
  const double excess = RelieveForces(null, Vector2d(0.5, 0.4), &forces);
  EXPECT_LT(excess, 0.0);
  EXPECT_LT(forces.head<2>().norm(), 0.5 * forces[2]);
  EXPECT_LT(forces.segment<2>(3).norm(), 0.4 * forces[5]);
  EXPECT_LT((jacobian.transpose() * forces - Vector3d(0, 0, 10)).norm(), 1e-12);
  // Both on one side cannot.
  jacobian.row(2) *= -1.0;
  forces << 5, 0, 0, 5, 0, 0;
  EXPECT_NEAR(RelieveForces(NullSpace(jacobian.transpose()), Vector2d(0.5, 0.5), &forces), 5.0,
              1e-8);
}

}  // namespace
}  // namespace percuss::solver
