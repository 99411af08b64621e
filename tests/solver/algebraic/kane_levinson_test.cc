// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Kane and Levinson's law against its own conditions and against a scan of its solutions.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"
#include "tests/solver/law/random_impacts.h"

namespace percuss::solver {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

// Kane-Levinson's law creates energy in some contacts, and in none if e = 0.
TEST(KaneLevinson, CreatesEnergyOnlyWithRestitution) {
  for (const Motion motion : {Motion::kPlanar, Motion::kSpatial}) {
    RandomImpacts random(11);
    int gains = 0;
    for (int i = 0; i < 10000; ++i) {
      const Contact<double> contact = random.Next(motion);
      const double mu = random.Uniform(0.0, 2.0), e = random.Uniform();
      const auto change = [&](double restitution) {
        const EnergyLedger<double> energy =
            SolveImpact("kane-levinson", contact, std::array{mu, restitution}).energy;
        return (energy.normal_work + energy.friction_work) / Energy(contact, contact.velocity);
      };
      gains += change(e) > 1e-6;
      ASSERT_LE(change(0.0), 1e-12);
    }
    EXPECT_GT(gains, 0);
  }
}

// Its conditions: sticking inside the cone, or friction on the cone against the final slip.
TEST(KaneLevinson, SticksOrOpposesTheFinalSlip) {
  RandomImpacts random(12);
  for (int i = 0; i < 20000; ++i) {
    Contact<double> contact = random.Next(i % 2 == 0 ? Motion::kSpatial : Motion::kPlanar);
    if (i % 5 == 0) contact.velocity.head<2>().setZero();
    const double mu = random.Uniform(0.0, 2.0);
    const ImpactResult<double> result =
        SolveImpact("kane-levinson", contact, std::array{mu, random.Uniform()});
    const Vector2d slip = result.contact_velocity.head<2>();
    const double scale = contact.inverse_mass.norm() * result.impulse.norm();
    if (result.modes.back() == ContactMode::kStick) {
      ASSERT_LT(slip.norm(), 1e-12 * scale) << i;
    } else {
      const Vector2d friction = result.impulse.head<2>();
      ASSERT_NEAR(friction.norm(), mu * result.impulse[2], 1e-13 * result.impulse.norm());
      // Parallel and opposite, up to the rounding of the slip.
      ASSERT_LT((friction * slip.norm() + slip * friction.norm()).norm(),
                1e-12 * scale * friction.norm())
          << i;
    }
  }
}

// All solutions of a contact, by scanning the direction of the final slip.
std::vector<Vector3d> ScannedSolutions(const Contact<double>& contact, double mu, double e) {
  const Eigen::Matrix3d& a = contact.inverse_mass;
  const auto impulse_at = [&](double angle) {
    const Vector3d direction(-mu * std::cos(angle), -mu * std::sin(angle), 1.0);
    return Vector3d(-(1.0 + e) * contact.velocity[2] / a.row(2).dot(direction) * direction);
  };
  const auto along_and_across = [&](double angle) {
    const Vector3d u = contact.velocity + a * impulse_at(angle);
    const double c = std::cos(angle), s = std::sin(angle);
    return Vector2d(c * u[0] + s * u[1], c * u[1] - s * u[0]);
  };
  std::vector<Vector3d> solutions;
  constexpr int kScan = 20000;
  for (int k = 0; k < kScan; ++k) {
    double low = 0.1 + 2.0 * std::numbers::pi * k / kScan,
           high = low + 2.0 * std::numbers::pi / kScan;
    if ((along_and_across(low)[1] > 0.0) == (along_and_across(high)[1] > 0.0)) continue;
    for (int bisection = 0; bisection < 60; ++bisection) {
      const double middle = 0.5 * (low + high);
      const bool same = (along_and_across(middle)[1] > 0.0) == (along_and_across(low)[1] > 0.0);
      (same ? low : high) = middle;
    }
    const Vector3d impulse = impulse_at(low);
    const bool finite = impulse.norm() < 1e6;  // else the sign changes at a pole
    if (finite && impulse[2] > 0.0 && along_and_across(low)[0] > 0.0) solutions.push_back(impulse);
  }
  return solutions;
}

// In space the law has three solutions in rare contacts; the one with the least energy is taken.
TEST(KaneLevinson, TakesTheSolutionWithTheLeastEnergy) {
  int several = 0;
  const auto expect = [&](const Contact<double>& contact, double mu, double e) {
    const ImpactResult<double> result = SolveImpact("kane-levinson", contact, std::array{mu, e});
    if (result.modes.back() == ContactMode::kStick) return;
    const auto change = [&](const Vector3d& impulse) {
      return impulse.dot(contact.velocity + 0.5 * contact.inverse_mass * impulse);
    };
    const std::vector<Vector3d> solutions = ScannedSolutions(contact, mu, e);
    ASSERT_FALSE(solutions.empty());
    const Vector3d least = *std::min_element(
        solutions.begin(), solutions.end(),
        [&](const Vector3d& x, const Vector3d& y) { return change(x) < change(y); });
    EXPECT_LT((result.impulse - least).norm(), 1e-9 * least.norm());
    several += solutions.size() > 1;
  };
  RandomImpacts random(21);
  for (int i = 0; i < 20; ++i) {
    const Contact<double> contact = random.Next(Motion::kSpatial);
    expect(contact, random.Uniform(0.0, 2.0), random.Uniform());
  }
  EXPECT_EQ(several, 0);
  Contact<double> contact;
  contact.inverse_mass << 84.89, -5.971, 92.86, -5.971, 0.8259, -6.082, 92.86, -6.082, 102.3;
  contact.velocity = {0.624155, -0.546972, -0.203457};
  expect(contact, 1.13172, 0.218852);
  EXPECT_EQ(several, 1);
}

}  // namespace
}  // namespace percuss::solver
