// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Truth: chatterjee2019 T16 and the constants of digest 3.9.

#include "solver/restitution/visco_elastoplastic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace percuss::solver {
namespace {

constexpr double kPlane = std::numeric_limits<double>::infinity();

ViscoElastoplasticLaw Sphere(double radius) {
  return MakeViscoElastoplasticLaw({206e9, 0.3, 350e6}, radius, {102e9, 0.4, 120e6}, kPlane, 290,
                                   0.1);
}

// F(nu) = max over u of [-(1 + nu)(1 - u atan(1/u)) + (3/2)/(1 + u^2)]^2: where below the surface
// a Hertz contact yields first.
double YieldStressFactor(double poissons_ratio) {
  const auto stress = [&](double u) {
    return 1.5 / (1.0 + u * u) - (1.0 + poissons_ratio) * (1.0 - u * std::atan(1.0 / u));
  };
  // One maximum, at u near 0.5: golden sections.
  double low = 1e-3, high = 3.0;
  const double ratio = 0.5 * (std::sqrt(5.0) - 1.0);
  for (int k = 0; k < 80; ++k) {
    const double a = high - ratio * (high - low), b = low + ratio * (high - low);
    (stress(a) < stress(b) ? low : high) = stress(a) < stress(b) ? a : b;
  }
  const double most = stress(0.5 * (low + high));
  return most * most;
}

TEST(ViscoElastoplastic, T16YieldFactor) {
  EXPECT_NEAR(YieldStressFactor(0.3), 0.62004 * 0.62004, 1e-5);
  EXPECT_NEAR(std::sqrt(YieldStressFactor(0.2)), 0.66730, 1e-5);
  EXPECT_NEAR(std::sqrt(YieldStressFactor(0.4)), 0.57521, 1e-5);
  // The law has the approximation 1/C^2, C = 1.295 exp(0.736 nu), of the body that yields first.
  const double strain = M_PI * 120e6 / (2.0 * Sphere(0.5).plane_modulus);
  const double in_use = 0.5 * strain * strain / Sphere(0.5).yield_deformation;
  EXPECT_NEAR(in_use / YieldStressFactor(0.4), 1.0, 0.005);
}

TEST(ViscoElastoplastic, T9Constants) {
  const ViscoElastoplasticLaw sphere = Sphere(0.5);
  EXPECT_NEAR(sphere.plane_modulus, 79.034e9, 1e6);
  EXPECT_NEAR(sphere.yield_deformation, 8.594e-6, 1e-9);
  EXPECT_NEAR(sphere.yield_force, 1877.3, 0.1);
  EXPECT_NEAR(sphere.plastic_deformation, 4.8204e-3, 1e-7);
  EXPECT_NEAR(sphere.plastic_force, 1.6023e7, 1e3);
  EXPECT_NEAR(sphere.plastic_slope, 8.9284e9, 1e5);
  EXPECT_NEAR(sphere.plastic_radius, 4.2363e-2, 1e-6);
  const ViscoElastoplasticLaw printed = MakeViscoElastoplasticLaw(
      {206e9, 0.3, 350e6}, 0.5, {102e9, 0.4, 120e6}, kPlane, 290, 0.1, YieldFactor::kInverse);
  EXPECT_NEAR(printed.yield_deformation, 4.9439e-6, 1e-10);
}

// T16: force and slope go on where elastic turns mixed, and mixed plastic.
TEST(ViscoElastoplastic, T16Continuity) {
  for (const double radius : {0.5, 0.01, 0.1875}) {
    const ViscoElastoplasticLaw law = Sphere(radius);
    for (const double d : {law.yield_deformation, law.plastic_deformation}) {
      const double below = d * (1 - 1e-9), above = d * (1 + 1e-9);
      EXPECT_NEAR(law.StaticForce(below), law.StaticForce(above), 1e-7 * law.StaticForce(d));
      const double h = 1e-6 * d, at = law.StaticForce(d);
      const double rising = (law.StaticForce(d + h) - at) / h;
      EXPECT_NEAR((at - law.StaticForce(d - h)) / h, rising, 1e-4 * rising);
      const double stated = d == law.yield_deformation ? law.yield_slope : law.plastic_slope;
      EXPECT_NEAR(rising, stated, 1e-4 * stated);
    }
  }
}

TEST(ViscoElastoplastic, RefusesWhatCannotBe) {
  EXPECT_THROW(MakeViscoElastoplasticLaw({-1, 0.3, 1e8}, 1, {1e9, 0.3, 1e8}, 1, 290, 0.1),
               std::invalid_argument);
  EXPECT_THROW(MakeViscoElastoplasticLaw({1e9, 0.3, 1e8}, kPlane, {1e9, 0.3, 1e8}, kPlane, 290, 0),
               std::invalid_argument);
}

}  // namespace
}  // namespace percuss::solver
