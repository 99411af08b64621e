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

// Digest 3.9, within half of the last digit.
TEST(ViscoElastoplastic, T9Constants) {
  constexpr ContactMaterial kSteel{206e9, 0.3, 350e6}, kBronze{102e9, 0.4, 120e6};
  struct Row {
    const char* name;
    ContactMaterial first, second;
    double radius;
    // E* [GPa], d_y, f_y, d_p, f_p, f_p', a_p: value and one of its last digit
    double modulus, yield_deformation[2], yield_force[2], plastic_deformation[2], plastic_force[2],
        plastic_slope[2], plastic_radius[2];
  };
  const Row rows[] = {{"B8, table",
                       kSteel,
                       {102e9, 0.3, 120e6},
                       0.001,
                       74.968,
                       {1.6488e-8, 1e-12},
                       {6.692e-3, 1e-6},
                       {9.2483e-6, 1e-10},
                       {71.235, 1e-3},
                       {1.7857e7, 1e3},
                       {8.9322e-5, 1e-9}},
                      {"B8, text",
                       kSteel,
                       kSteel,
                       0.001,
                       113.19,
                       {6.1533e-8, 1e-12},
                       {7.2845e-2, 1e-6},
                       {4.0571e-6, 1e-10},
                       {31.250, 1e-3},
                       {1.7857e7, 1e3},
                       {5.9162e-5, 1e-9}},
                      {"B5",
                       kSteel,
                       kBronze,
                       0.5,
                       79.034,
                       {8.594e-6, 1e-9},
                       {1877.3, 0.1},
                       {4.8204e-3, 1e-7},
                       {1.6023e7, 1e3},
                       {8.9284e9, 1e5},
                       {4.2363e-2, 1e-6}},
                      {"B4",
                       kSteel,
                       kBronze,
                       0.01,
                       79.034,
                       {1.7188e-7, 1e-11},
                       {0.75092, 1e-5},
                       {9.6408e-5, 1e-9},
                       {6409.4, 0.1},
                       {1.7857e8, 1e4},
                       {8.4727e-4, 1e-8}},
                      {"B6",
                       kSteel,
                       kBronze,
                       0.1875,
                       79.034,
                       {3.2228e-6, 1e-10},
                       {263.99, 0.01},
                       {1.8076e-3, 1e-7},
                       {2.2533e6, 100.0},
                       {3.3482e9, 1e5},
                       {1.5886e-2, 1e-6}},
                      {"B7",
                       {70e9, 0.3, 2200e6},
                       kBronze,
                       0.005,
                       47.091,
                       {2.4207e-7, 1e-11},
                       {0.52878, 1e-5},
                       {1.3578e-4, 1e-8},
                       {4513.4, 0.1},
                       {8.9284e7, 1e3},
                       {7.1099e-4, 1e-8}}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const ViscoElastoplasticLaw law =
        MakeViscoElastoplasticLaw(row.first, row.radius, row.second, kPlane, 290, 0.1);
    const auto as_printed = [](double value, const double(&printed)[2]) {
      EXPECT_NEAR(value, printed[0], 0.51 * printed[1]);
    };
    EXPECT_NEAR(law.plane_modulus, 1e9 * row.modulus, row.modulus < 100.0 ? 0.51e6 : 5.1e6);
    as_printed(law.yield_deformation, row.yield_deformation);
    as_printed(law.yield_force, row.yield_force);
    as_printed(law.plastic_deformation, row.plastic_deformation);
    as_printed(law.plastic_force, row.plastic_force);
    as_printed(law.plastic_slope, row.plastic_slope);
    as_printed(law.plastic_radius, row.plastic_radius);
  }
  const ViscoElastoplasticLaw printed =
      MakeViscoElastoplasticLaw(kSteel, 0.5, kBronze, kPlane, 290, 0.1, YieldFactor::kInverse);
  EXPECT_NEAR(printed.yield_deformation, 4.9439e-6, 0.51e-10);
  EXPECT_NEAR(printed.plastic_deformation, 2.773e-3, 0.51e-6);
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
