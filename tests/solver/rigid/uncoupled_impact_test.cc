// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// The closed form of uncoupled impacts against the two general ways to solve them: the planar one,
// and the one that follows slip in space.

#include "solver/rigid/uncoupled_impact.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <map>
#include <random>
#include <string_view>

#include "solver/rigid/darboux_keller.h"

namespace percuss::solver {
namespace {

constexpr std::array kHypotheses = {RestitutionHypothesis::kNewton, RestitutionHypothesis::kPoisson,
                                    RestitutionHypothesis::kStronge};

void ExpectSame(const ImpactResult<double>& result, const ImpactResult<double>& general,
                const Contact<double>& contact) {
  const double impulse = general.impulse.norm();
  const double speed = contact.velocity.norm() + contact.inverse_mass.norm() * impulse;
  EXPECT_LT((result.impulse - general.impulse).norm(), 1e-12 * impulse);
  EXPECT_LT((result.contact_velocity - general.contact_velocity).norm(), 1e-12 * speed);
  EXPECT_NEAR(result.compression_impulse, general.compression_impulse, 1e-12 * impulse);
  EXPECT_NEAR(result.restitution_impulse, general.restitution_impulse, 1e-12 * impulse);
  EXPECT_NEAR(result.energy.normal_work, general.energy.normal_work, 1e-12 * impulse * speed);
  EXPECT_NEAR(result.energy.friction_work, general.energy.friction_work, 1e-12 * impulse * speed);
  EXPECT_EQ(result.modes, general.modes);
  EXPECT_EQ(result.sun_case, general.sun_case);
}

// Every third contact is that of a ball; the others slip along a principal axis, which in every
// other one is turned.
Contact<double> RandomUncoupled(std::mt19937& random, int i) {
  std::uniform_real_distribution<double> uniform;
  const auto size = [&] { return std::pow(10.0, 2.0 * uniform(random) - 1.0); };
  const double along = size(), across = i % 3 == 0 ? along : size();
  const double angle = i % 2 == 0 ? 0.0 : 6.3 * uniform(random);
  const Eigen::Matrix2d turn = Eigen::Rotation2Dd(angle).toRotationMatrix();
  Contact<double> contact;
  contact.inverse_mass(2, 2) = size();
  contact.inverse_mass.topLeftCorner<2, 2>() =
      turn * Eigen::Vector2d(along, across).asDiagonal() * turn.transpose();
  contact.velocity << turn.col(0) * (i % 5 == 0 ? 1e-3 : 2.0) * (uniform(random) - 0.5),
      -uniform(random) - 1e-3;
  return contact;
}

TEST(UncoupledImpact, IsThatOfTheGeneralSolutions) {
  std::mt19937 random(31);
  std::uniform_real_distribution<double> uniform;
  std::map<std::string_view, int> cases;
  int in_plane = 0;
  for (int i = 0; i < 20000; ++i) {
    const Contact<double> contact = RandomUncoupled(random, i);
    const double mu = i % 11 == 0 ? 0.0 : uniform(random);
    const double mu_static = mu + uniform(random);
    const double e = i % 13 == 0 ? 0.0 : i % 13 == 1 ? 1.0 : uniform(random);
    if (!internal::SlipsUncoupled(contact)) continue;  // rounding of the turn
    const ImpactResult<double> result = internal::SolveUncoupledImpact(contact, mu, e);
    ++cases[result.sun_case];
    for (const RestitutionHypothesis hypothesis : kHypotheses) {
      SCOPED_TRACE(i);
      ExpectSame(result,
                 internal::DarbouxKeller<double>(contact, mu, mu_static, e, hypothesis).Solve(),
                 contact);
      Eigen::Vector2d tangent;
      if (!internal::SlipsInPlane(contact, &tangent)) continue;
      ++in_plane;
      ExpectSame(
          result,
          Spatial(contact, tangent,
                  SolvePlanarImpact(InPlane(contact, tangent), mu, mu_static, e, hypothesis)),
          contact);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(in_plane, 40000);
  for (const std::string_view sun_case : {"0", "1", "3"}) EXPECT_GT(cases[sun_case], 500);
}

TEST(UncoupledImpact, IsForNothingElse) {
  Contact<double> ball;
  ball.inverse_mass = Eigen::Vector3d(3.5, 3.5, 1.0).asDiagonal();
  ball.velocity = {0.3, -0.4, -1.0};
  EXPECT_TRUE(internal::SlipsUncoupled(ball));
  Contact<double> coupled = ball;
  coupled.inverse_mass(0, 2) = coupled.inverse_mass(2, 0) = 1e-9;
  EXPECT_FALSE(internal::SlipsUncoupled(coupled));
  Contact<double> turns = ball;
  turns.inverse_mass(1, 1) += 1e-9;
  EXPECT_FALSE(internal::SlipsUncoupled(turns));
  Contact<double> at_rest = ball;
  at_rest.velocity.head<2>() *= 1e-13;
  EXPECT_FALSE(internal::SlipsUncoupled(at_rest));
  at_rest.velocity.head<2>().setZero();
  EXPECT_FALSE(internal::SlipsUncoupled(at_rest));
  for (const double value : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    for (int k = 0; k < 3; ++k) {
      Contact<double> not_finite = ball;
      not_finite.velocity[k] = value;
      EXPECT_FALSE(internal::SlipsUncoupled(not_finite)) << k;
    }
  }
}

}  // namespace
}  // namespace percuss::solver
