// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/mechanisms/vibrating_contact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "solver/solve_impact.h"

namespace percuss::solver {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kStep = 1e-4;  // what the steps leave of an impulse

/// Two masses on a spring, the first of which touches.
VibratingMechanism TwoMasses(double first, double second, double spring) {
  VibratingMechanism mechanism;
  mechanism.linkage.mass_matrix = Eigen::Vector2d(first, second).asDiagonal();
  mechanism.linkage.joint_jacobian = MatrixXd(0, 2);
  mechanism.linkage.contact_jacobian = MatrixXd::Zero(3, 2);
  mechanism.linkage.contact_jacobian(2, 0) = 1.0;
  mechanism.stiffness = spring * (Eigen::Matrix2d() << 1, -1, -1, 1).finished();
  return mechanism;
}

/// A body in space with one mode that moves the contact point along all axes.
VibratingMechanism BodyWithAMode(double frequency) {
  VibratingMechanism mechanism;
  VectorXd inertia(7);
  inertia << 0.5, 0.5, 0.5, 1e-3, 2e-3, 1.5e-3, 1.0;
  mechanism.linkage.mass_matrix = inertia.asDiagonal();
  mechanism.linkage.joint_jacobian = MatrixXd(0, 7);
  MatrixXd rows = MatrixXd::Zero(3, 7);
  rows.leftCols<3>().setIdentity();
  const Vector3d r(0.03, 0.01, -0.05);
  for (int axis = 0; axis < 3; ++axis) rows.col(3 + axis) = Vector3d(Vector3d::Unit(axis)).cross(r);
  rows.col(6) = Vector3d(0.2, -0.1, 0.5);
  mechanism.linkage.contact_jacobian = rows;
  mechanism.stiffness = MatrixXd::Zero(7, 7);
  mechanism.stiffness(6, 6) = frequency * frequency;
  return mechanism;
}

VectorXd Speeds() {
  VectorXd speeds = VectorXd::Zero(7);
  speeds << 0.6, -0.3, -1.5, 2.0, -1.0, 3.0, 0.0;
  return speeds;
}

ImpactResult<double> ByTheLaw(const VibratingMechanism& mechanism, const VoigtContact& contact,
                              const VectorXd& speeds) {
  const std::vector<double> parameters = {contact.mu, contact.stiffness, contact.damping};
  return SolveImpact("kelvin-voigt",
                     {InverseContactMass(mechanism.linkage),
                      Vector3d(mechanism.linkage.contact_jacobian * speeds)},
                     parameters);
}

// Without springs the modes are masses: the law itself, with friction that slips and that sticks.
TEST(VibratingContact, WithoutSpringsIsTheLaw) {
  const VibratingMechanism mechanism = BodyWithAMode(0.0);
  for (const double mu : {0.0, 0.1, 0.3, 2.0}) {
    const VoigtContact contact{mu, 1e6, 80.0};
    const VibratingImpact impact = SolveVibratingContact(mechanism, contact, Speeds());
    const auto law = ByTheLaw(mechanism, contact, Speeds());
    ASSERT_EQ(impact.reason, "");
    EXPECT_LT((impact.impulse - law.impulse).norm(), 10.0 * kStep * law.impulse.norm()) << mu;
    EXPECT_EQ(impact.num_contacts, 1);
    EXPECT_NEAR(impact.vibration, 0.0, 1e-12);
  }
}

// Modes much faster than the contact do not move: that of the body without them.
TEST(VibratingContact, WithStiffSpringsIsThatOfTheRigidBody) {
  const VoigtContact contact{0.2, 1e5, 20.0};
  const VibratingImpact impact = SolveVibratingContact(BodyWithAMode(3e5), contact, Speeds());
  VibratingMechanism rigid = BodyWithAMode(0.0);
  rigid.linkage.contact_jacobian.col(6).setZero();
  const auto law = ByTheLaw(rigid, contact, Speeds());
  ASSERT_EQ(impact.reason, "");
  // The mode gives way by (frequency of the contact / its own)^2.
  EXPECT_LT((impact.impulse - law.impulse).norm(), 2e-3 * law.impulse.norm());
  EXPECT_LT(impact.vibration, 1e-3 * impact.before);
}

// Modes much slower do not return in time: that of the mass at the contact, the rest vibrates.
TEST(VibratingContact, WithSoftSpringsIsThatOfTheMassAtTheContact) {
  const VibratingMechanism mechanism = BodyWithAMode(20.0);
  const VoigtContact contact{0.2, 1e8, 400.0};
  const VibratingImpact impact = SolveVibratingContact(mechanism, contact, Speeds());
  const auto law = ByTheLaw(mechanism, contact, Speeds());
  ASSERT_EQ(impact.reason, "");
  EXPECT_LT((impact.impulse - law.impulse).norm(), 1e-3 * law.impulse.norm());
  EXPECT_GT(impact.vibration, 0.01 * impact.before);
}

// Two equal masses on a spring against an elastic wall: the first bounces, half a period pi/omega
// of their vibration later it is back, bounces again, and both leave with the speed at which they
// came and at rest against each other. omega^2 = 2 K/m.
TEST(VibratingContact, TwoMassesOnASpringBounceTwice) {
  constexpr double kMass = 0.1, kSpring = 2e4;
  const VibratingImpact impact = SolveVibratingContact(
      TwoMasses(kMass, kMass, kSpring), {0.0, 1e10, 0.0}, Eigen::Vector2d(-1.0, -1.0));
  ASSERT_EQ(impact.reason, "");
  EXPECT_EQ(impact.num_contacts, 2);
  // Contacts that take no time but for sqrt(K/k).
  const double half_period = std::numbers::pi / std::sqrt(2.0 * kSpring / kMass);
  EXPECT_NEAR(impact.history.back().time, half_period, 3e-3 * half_period);
  EXPECT_NEAR(impact.speeds[0], 1.0, 5e-3);
  EXPECT_NEAR(impact.speeds[1], 1.0, 5e-3);
  EXPECT_NEAR(impact.impulse.z(), 4.0 * kMass, 1e-3 * kMass);
  EXPECT_LT(impact.vibration, 1e-4 * impact.before);
}

// All energy is accounted for, momentum is the impulse, and the impulse is of the first degree in
// the speeds (chatterjee1997 9.3.3).
TEST(VibratingContact, KeepsTheLaws) {
  for (const double frequency : {200.0, 1000.0, 5000.0}) {
    VibratingMechanism mechanism = BodyWithAMode(frequency);
    const VoigtContact contact{0.15, 1e6, 60.0};
    const VibratingImpact impact = SolveVibratingContact(mechanism, contact, Speeds());
    ASSERT_EQ(impact.reason, "") << frequency;
    const double elastic = 0.5 * impact.deflections.dot(mechanism.stiffness * impact.deflections);
    EXPECT_NEAR(impact.kinetic + elastic - impact.before, impact.normal_work + impact.friction_work,
                1e-9 * impact.before);
    EXPECT_LE(impact.friction_work, 0.0);
    EXPECT_LE(impact.normal_work, 0.0);
    EXPECT_LT((0.5 * (impact.speeds - Speeds()).head<3>() - impact.impulse).norm(),
              1e-9 * impact.impulse.norm());
    const VibratingImpact faster = SolveVibratingContact(mechanism, contact, 3.0 * Speeds());
    EXPECT_LT((faster.impulse - 3.0 * impact.impulse).norm(), 1e-9 * faster.impulse.norm());
    mechanism.damping = MatrixXd::Zero(7, 7);
    mechanism.damping(6, 6) = 0.1 * frequency;
    const VibratingImpact damped = SolveVibratingContact(mechanism, contact, Speeds());
    EXPECT_LT(damped.vibration, impact.vibration);
  }
}

TEST(VibratingContact, SaysWhatCannotBe) {
  VibratingMechanism mechanism = TwoMasses(0.1, 0.1, 1e4);
  const Eigen::Vector2d away(1.0, -1.0), towards(-1.0, -1.0);
  EXPECT_THROW(SolveVibratingContact(mechanism, {0.0, 1e6, 0.0}, away), std::invalid_argument);
  mechanism.stiffness(0, 0) = -1e4;
  EXPECT_THROW(SolveVibratingContact(mechanism, {0.0, 1e6, 0.0}, towards), std::invalid_argument);
  mechanism.stiffness = MatrixXd::Zero(3, 3);
  EXPECT_THROW(SolveVibratingContact(mechanism, {0.0, 1e6, 0.0}, towards), std::invalid_argument);
  // A weight behind that follows for ever: nothing pushes it away from the wall.
  mechanism = TwoMasses(0.1, 0.1, 1e4);
  mechanism.stiffness(1, 1) += 10.0;  // the second mass hangs on a spring that holds both
  const VibratingImpact held = SolveVibratingContact(mechanism, {0.0, 1e6, 100.0}, towards);
  EXPECT_NE(held.reason.find("has not ended"), std::string::npos);
}

}  // namespace
}  // namespace percuss::solver
