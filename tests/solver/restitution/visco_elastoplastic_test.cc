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

TEST(ViscoElastoplastic, T16YieldFactor) {
  EXPECT_NEAR(YieldStressFactor(0.3), 0.62004 * 0.62004, 1e-5);
  EXPECT_NEAR(std::sqrt(YieldStressFactor(0.2)), 0.66730, 1e-5);
  EXPECT_NEAR(std::sqrt(YieldStressFactor(0.4)), 0.57521, 1e-5);
  // The approximation in use, 1/C.
  EXPECT_NEAR(std::exp(-0.736 * 0.3) / 1.295, 0.61921, 1e-5);
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
      EXPECT_NEAR(law.StaticSlope(below), law.StaticSlope(above), 1e-6 * law.StaticSlope(d));
    }
    const double d = 0.5 * (law.yield_deformation + law.plastic_deformation), h = 1e-6 * d;
    EXPECT_NEAR((law.StaticForce(d + h) - law.StaticForce(d - h)) / (2 * h), law.StaticSlope(d),
                1e-6 * law.StaticSlope(d));
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
