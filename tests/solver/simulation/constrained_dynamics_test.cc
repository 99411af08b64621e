// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Truth: mechanics in closed form, and chatterjee2019 T13, T15 as restated in its digest.

#include "solver/simulation/constrained_dynamics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "solver/simulation/settle_contact.h"

namespace percuss::solver {
namespace {

constexpr double kGravity = 9.81;

// A particle (x, z) on a floor.
EquationsOfMotion Particle(double v_x) {
  EquationsOfMotion motion;
  motion.mass = Eigen::Matrix2d::Identity() * 2.0;
  motion.bias = Eigen::Vector2d(0.0, 2.0 * kGravity);
  motion.speeds = Eigen::Vector2d(v_x, 0.0);
  return motion;
}

ContactConstraints FloorContact(double mu, double direction, ContactState state) {
  ContactConstraints contacts;
  contacts.jacobian = Eigen::Matrix2d::Identity();
  contacts.acceleration_bias = Eigen::Vector2d::Zero();
  SustainedContact point;
  point.slip_direction = Eigen::VectorXd::Constant(1, direction);
  point.mu = mu;
  point.state = state;
  contacts.points = {point};
  return contacts;
}

// T13, Coulomb: -mu g.
TEST(ConstrainedDynamics, T13SlidingParticle) {
  const ContactConstraints contact = FloorContact(0.3, 1.0, ContactState::kSlip);
  const ContactMotion motion = SolveContact(Particle(1.0), contact);
  ASSERT_EQ(motion.status, DynamicsStatus::kSolved) << motion.reason;
  EXPECT_NEAR(motion.acceleration[0], -2.943, 1e-12);
  EXPECT_NEAR(motion.acceleration[1], 0.0, 1e-12);
  EXPECT_NEAR(motion.forces[1], 2.0 * kGravity, 1e-12);
}

// On a slope of 25 degrees a block holds for mu_s = 0.5 > tan 25 = 0.466 and slides for 0.45.
TEST(ConstrainedDynamics, HoldsOrSlidesOnSlope) {
  EquationsOfMotion motion = Particle(0.0);
  const double slope = 25.0 * M_PI / 180.0;
  motion.bias = 2.0 * kGravity * Eigen::Vector2d(std::sin(slope), std::cos(slope));
  const ContactMotion holds = SettleContact(motion, FloorContact(0.5, 0.0, ContactState::kStick));
  EXPECT_LT(holds.acceleration.norm(), 1e-12);
  const ContactMotion slides = SettleContact(motion, FloorContact(0.45, 0.0, ContactState::kStick));
  EXPECT_EQ(slides.states[0], ContactState::kSlip);
  EXPECT_NEAR(slides.acceleration[0], -kGravity * (std::sin(slope) - 0.45 * std::cos(slope)),
              1e-12);
}

// A contact does not pull.
TEST(ConstrainedDynamics, ReleasesWhatPulls) {
  EquationsOfMotion motion = Particle(0.0);
  motion.applied = Eigen::Vector2d(0.0, 3.0 * 2.0 * kGravity);
  const ContactMotion lifted = SettleContact(motion, FloorContact(0.5, 0.0, ContactState::kStick));
  EXPECT_EQ(lifted.states[0], ContactState::kReleased);
  EXPECT_NEAR(lifted.acceleration[1], 2.0 * kGravity, 1e-12);
}

// A pendulum as a particle on a circle: phi'' = -(g/l) sin phi.
TEST(ConstrainedDynamics, EmbedsAPendulum) {
  const double l = 0.7, phi = 0.4, rate = 1.3;
  const Eigen::Vector2d radial(std::sin(phi), -std::cos(phi)), along(std::cos(phi), std::sin(phi));
  EquationsOfMotion motion;
  motion.mass = Eigen::Matrix2d::Identity() * 1.5;
  motion.bias = Eigen::Vector2d(0.0, 1.5 * kGravity);
  motion.speeds = l * rate * along;
  BilateralConstraints circle;
  // The row twice: redundant rows change nothing.
  circle.jacobian.resize(2, 2);
  circle.jacobian << (l * radial).transpose(), (2.0 * l * radial).transpose();
  const double bias = l * l * rate * rate;
  circle.acceleration_bias = Eigen::Vector2d(bias, 2.0 * bias);
  const EmbeddedMotion embedded = EmbedConstraints(motion, circle);
  ASSERT_EQ(embedded.status, DynamicsStatus::kSolved) << embedded.reason;
  EXPECT_NEAR(embedded.acceleration.dot(along), -kGravity * std::sin(phi), 1e-12);
  EXPECT_NEAR(embedded.acceleration.dot(radial), -l * rate * rate, 1e-12);
  EXPECT_EQ(embedded.independent.size(), 1u);
  EXPECT_LT((circle.jacobian * embedded.basis).norm(), 1e-12);

  circle.acceleration_bias[1] = 0.0;
  const EmbeddedMotion contradicts = EmbedConstraints(motion, circle);
  EXPECT_EQ(contradicts.status, DynamicsStatus::kInconsistentConstraints);
  EXPECT_THAT(contradicts.reason, ::testing::HasSubstr("rank 1"));
  circle.acceleration_bias[1] = 2.0 * bias;
  motion.speeds += 0.1 * radial;
  EXPECT_EQ(EmbedConstraints(motion, circle).status, DynamicsStatus::kInconsistentConstraints);
  motion.mass.setZero();
  motion.speeds = along;
  EXPECT_EQ(EmbedConstraints(motion, circle).status, DynamicsStatus::kSingularMass);
}

TEST(ConstrainedDynamics, ClassifiesPoints) {
  EXPECT_EQ(ClassifyPoint(-0.2, -9.8, 0.1), PointState::kImpact);
  EXPECT_EQ(ClassifyPoint(-0.2, 5.0, 0.1), PointState::kImpact);
  EXPECT_EQ(ClassifyPoint(-0.05, -9.8, 0.1), PointState::kContact);
  EXPECT_EQ(ClassifyPoint(-0.05, 2.0, 0.1), PointState::kContact);
  EXPECT_EQ(ClassifyPoint(0.05, 2.0, 0.1), PointState::kSeparation);
  EXPECT_EQ(ClassifyPoint(0.2, -9.8, 0.1), PointState::kSeparation);
}

}  // namespace
}  // namespace percuss::solver
