// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Roots of trigonometric polynomials of degree two against their construction and against a scan.

#include "solver/algebraic/trigonometric_quadratic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace percuss::solver {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

// The product of four sines of half angles is of degree two.
double WithRoots(const std::array<double, 4>& roots, double theta) {
  double product = 1.0;
  for (const double root : roots) product *= std::sin(0.5 * (theta - root));
  return product;
}

TEST(TrigonometricQuadratic, TakesItsCoefficientsFromValues) {
  const auto f = [](double x) { return WithRoots({0.3, 1.0, 2.0, 5.0}, x); };
  const auto q = TrigonometricQuadratic::Of(f);
  for (double x = -4.0; x < 8.0; x += 0.37) {
    EXPECT_NEAR(q(x), f(x), 1e-15);
    EXPECT_NEAR(q.Slope(x), (f(x + 1e-5) - f(x - 1e-5)) / 2e-5, 1e-9);
  }
}

TEST(TrigonometricQuadratic, FindsFourRoots) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0.0, kTurn);
  for (int i = 0; i < 5000; ++i) {
    std::array<double, 4> wanted;
    for (double& root : wanted) root = uniform(random);
    std::sort(wanted.begin(), wanted.end());
    double gap = wanted[0] + kTurn - wanted[3];
    for (std::size_t k = 0; k < 3; ++k) gap = std::min(gap, wanted[k + 1] - wanted[k]);
    if (gap < 1e-3) continue;
    const auto q = TrigonometricQuadratic::Of([&](double x) { return WithRoots(wanted, x); });
    const FewNumbers found = q.Roots();
    ASSERT_EQ(found.size(), 4u) << i;
    for (const double root : wanted) {
      double nearest = 1.0;
      for (const double x : found) {
        nearest = std::min(nearest, std::abs(std::remainder(x - root, kTurn)));
      }
      ASSERT_LT(nearest, 1e-15 / (gap * gap * gap) + 1e-14) << i;
    }
  }
}

TEST(TrigonometricQuadratic, CountsSignChanges) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 1000; ++i) {
    const double c0 = normal(random), c1 = normal(random), s1 = normal(random);
    const double c2 = normal(random), s2 = normal(random);
    const auto f = [&](double x) {
      return c0 + c1 * std::cos(x) + s1 * std::sin(x) + c2 * std::cos(2 * x) + s2 * std::sin(2 * x);
    };
    std::size_t changes = 0;
    for (int k = 0; k < 2000; ++k) {
      changes += f(kTurn * k / 2000) * f(kTurn * (k + 1) / 2000) < 0.0;
    }
    EXPECT_GE(TrigonometricQuadratic::Of(f).Roots().size(), changes);
  }
}

TEST(TrigonometricQuadratic, ListsDoubleRootsAndNoneOfZero) {
  const auto touching =
      TrigonometricQuadratic::Of([](double x) { return 1.0 - std::cos(x - 0.7); });
  ASSERT_GE(touching.Roots().size(), 1u);
  for (const double x : touching.Roots()) EXPECT_NEAR(std::remainder(x - 0.7, kTurn), 0.0, 1e-6);
  EXPECT_EQ(TrigonometricQuadratic::Of([](double) { return 0.0; }).Roots().size(), 0u);
  EXPECT_EQ(TrigonometricQuadratic::Of([](double) { return NAN; }).Roots().size(), 0u);
  EXPECT_EQ(TrigonometricQuadratic::Of([](double x) { return 2.0 + std::sin(x); }).Roots().size(),
            0u);
}

TEST(TrigonometricQuadratic, FindsRootsNearAndFarApart) {
  const auto roots_of = [](const TrigonometricQuadratic& f) {
    const FewNumbers found = f.Roots();
    std::vector<double> roots(found.begin(), found.end());
    std::sort(roots.begin(), roots.end());
    return roots;
  };
  // sin 2x, whose roots are the places where tan(x/2) is 0, -1, 1 and infinite
  EXPECT_EQ(roots_of({.sine_2 = 1.0}).size(), 4u);
  EXPECT_TRUE(roots_of({.constant = 1.5, .cosine = 1.0}).empty());
  EXPECT_TRUE(roots_of({}).empty());
  // Products of two sines around given roots, near and far apart.
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(-std::numbers::pi, std::numbers::pi);
  for (int i = 0; i < 2000; ++i) {
    const double gap = std::pow(10.0, -4.0 * std::abs(uniform(random)) / std::numbers::pi);
    const double p = uniform(random), q = p + gap;  // sin(x - p) sin(x - q)
    const std::vector<double> roots = roots_of({.constant = 0.5 * std::cos(p - q),
                                                .cosine_2 = -0.5 * std::cos(p + q),
                                                .sine_2 = -0.5 * std::sin(p + q)});
    ASSERT_EQ(roots.size(), 4u) << i;
    for (const double x : roots) {
      const double nearest = std::min(std::abs(std::sin(x - p)), std::abs(std::sin(x - q)));
      EXPECT_LT(nearest, 1e-14 / gap);
    }
  }
}

}  // namespace
}  // namespace percuss::solver
