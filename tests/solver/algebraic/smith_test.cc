// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Smith's law against its own conditions (chatterjee1997 6.3, 10.3).

#include "solver/algebraic/smith.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <vector>

#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"
#include "tests/solver/law/random_impacts.h"

namespace percuss::solver {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

// Smith's conditions, down to grazing and to slow slip.
TEST(Smith, MeetsItsConditions) {
  RandomImpacts random(15);
  for (int i = 0; i < 20000; ++i) {
    Contact<double> contact = random.Next(i % 2 == 0 ? Motion::kSpatial : Motion::kPlanar);
    if (i % 3 == 1) contact.velocity.head<2>() *= std::pow(10.0, random.Uniform(-4.0, 0.0));
    if (i % 3 == 2) contact.velocity[2] *= std::pow(10.0, random.Uniform(-9.0, 0.0));
    const double mu = std::pow(10.0, random.Uniform(-3.0, 1.0)), e = random.Uniform();
    const ImpactResult<double> result = SolveImpact("smith", contact, std::array{mu, e});
    const Vector2d before = contact.velocity.head<2>(), after = result.contact_velocity.head<2>();
    const Vector2d h = (before.norm() * before + after.norm() * after) /
                       (before.squaredNorm() + after.squaredNorm());
    const Vector3d& p = result.impulse;
    const Vector2d residual = p.head<2>() + mu * p[2] * h;
    // The final slip is known to the rounding of u + A P; h follows it on the scale of the slip.
    const double slip_rounding = 1e-14 * contact.inverse_mass.norm() * p.norm() / before.norm();
    ASSERT_LT(residual.norm(), (1e-11 + mu * slip_rounding) * p.norm()) << i;
  }
}

// Without slip Smith's law is the limit of vanishing slip: Kane and Levinson's.
TEST(Smith, IsKaneLevinsonWithoutSlip) {
  RandomImpacts random(16);
  for (int i = 0; i < 2000; ++i) {
    Contact<double> contact = random.Next(i % 2 == 0 ? Motion::kSpatial : Motion::kPlanar);
    const std::array parameters = {random.Uniform(0.0, 2.0), random.Uniform()};
    contact.velocity.head<2>() *= 1e-7 * std::abs(contact.velocity[2]);
    const Vector3d limit = SolveImpact("smith", contact, parameters).impulse;
    contact.velocity.head<2>().setZero();
    const Vector3d none = SolveImpact("smith", contact, parameters).impulse;
    EXPECT_LT((limit - none).norm(), 1e-5 * none.norm()) << i;
    EXPECT_EQ(none, SolveImpact("kane-levinson", contact, parameters).impulse);
  }
}

// Whether Smith's law has one solution is an open question of chatterjee1997 (10.3.4). In space it
// has not: here are three, of which the first on the curve from mu = 0 is the answer.
TEST(Smith, HasSeveralSolutionsInSomeContacts) {
  Contact<double> contact;
  contact.inverse_mass << 1.06, -0.55, 0.87, -0.55, 1.6, -0.32, 0.87, -0.32, 1.46;
  contact.velocity = {0.31, 0.63, -0.00124};
  const double mu = 8.6, e = 0.5;
  const internal::SmithConditions<double> conditions{contact, mu, e};
  std::vector<Vector2d> solutions;
  for (Vector2d x : {Vector2d(0.0034, -0.038), Vector2d(0.008, -0.21), Vector2d(-0.32, -1.14)}) {
    for (int k = 0; k < 50; ++k) {  // Newton's method with a slope by differences
      Eigen::Matrix2d slope;
      for (int j = 0; j < 2; ++j) {
        const Vector2d step = 1e-6 * Vector2d::Unit(j);
        slope.col(j) = (conditions.Residual(x + step) - conditions.Residual(x - step)) / 2e-6;
      }
      x -= slope.inverse() * conditions.Residual(x);
    }
    const Vector3d impulse = conditions.Impulse(x);
    EXPECT_LT(conditions.Residual(x).norm(), 1e-14);
    EXPECT_GT(impulse[2], 0.0);
    EXPECT_LT(impulse.dot(contact.velocity + 0.5 * contact.inverse_mass * impulse), 0.0);
    for (const Vector2d& other : solutions) EXPECT_GT((x - other).norm(), 0.1);
    solutions.push_back(x);
  }
  const Vector3d impulse = SolveImpact("smith", contact, std::array{mu, e}).impulse;
  EXPECT_LT((impulse - conditions.Impulse(solutions[0])).norm(), 1e-12);
}

}  // namespace
}  // namespace percuss::solver
