// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/integration/event_location.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace percuss::solver::internal {
namespace {

template <std::size_t kTerms>
void ExpectPlainSums() {
  std::array<double, kTerms> terms;
  for (std::size_t k = 0; k < kTerms; ++k) terms[k] = std::cos(3.0 * static_cast<double>(k) + 1.0);
  for (const double x : {-1.3, -0.2, 0.0, 1e-9, 0.4, 1.0, 1.7}) {
    double value = 0.0, slope = 0.0, size = 0.0;
    for (std::size_t k = kTerms; k-- > 0;) {
      slope = slope * x + value;
      value = value * x + terms[k];
      size = size * std::abs(x) + static_cast<double>(k + 1);
    }
    const Look look = EvaluatePolynomial(terms, x);
    EXPECT_NEAR(look.value, value, 1e-15 * size) << kTerms << " terms at " << x;
    EXPECT_NEAR(look.slope, slope, 1e-14 * size) << kTerms << " terms at " << x;
  }
}

TEST(EventLocation, EvaluatesPolynomialsOfEveryLength) {
  ExpectPlainSums<2>();
  ExpectPlainSums<3>();
  ExpectPlainSums<4>();
  ExpectPlainSums<5>();
  ExpectPlainSums<7>();
  ExpectPlainSums<8>();
  ExpectPlainSums<13>();
  ExpectPlainSums<20>();
}

// How often a function was looked at.
template <class Function>
struct Counted {
  const Function& function;
  int& count;
  Look operator()(double x) const {
    ++count;
    return function(x);
  }
};

template <class Function>
void ExpectRoot(const Function& function, bool upwards, double low, double high, double root,
                int most_looks) {
  int count = 0;
  const Counted<Function> counted{function, count};
  const double found = RootBetween(counted, upwards, low, high);
  EXPECT_NEAR(found, root, 4e-16 * std::abs(root));
  EXPECT_LE(count, most_looks);
}

// As the work of restitution does, the first function begins without a slope.
TEST(EventLocation, FindsRootsInFewLooks) {
  const auto cubic = [](double x) { return Look{x * x * (1.0 + x) - 2.0, x * (2.0 + 3.0 * x)}; };
  ExpectRoot(cubic, true, 0.0, 3.0, 1.0, 7);
  const auto falling = [](double x) { return Look{std::exp(-x) - 0.5, -std::exp(-x)}; };
  ExpectRoot(falling, false, 0.0, 2.0, std::log(2.0), 6);
  const auto flat = [](double x) { return Look{std::pow(x, 7) - 1e-7, 7.0 * std::pow(x, 6)}; };
  // Both ends; from above each step of Newton's method takes x to 6/7 of it, fifteen from 1 to the
  // root; three more to the last digit.
  ExpectRoot(flat, true, 0.0, 1.0, 0.1, 20);
}

TEST(EventLocation, FindsRootsWhereTheEndSaysNothing) {
  const auto pole = [](double x) { return Look{-std::log1p(-x) - 1.0, 1.0 / (1.0 - x)}; };
  ExpectRoot(pole, true, 0.0, 1.0, 1.0 - std::exp(-1.0), 12);
  const Quadratic line{-3.0, 1.5, 0.0};
  EXPECT_EQ(RootBetween(line, true, 0.0, std::numeric_limits<double>::infinity()), 2.0);
  const Quadratic parabola{-4.0, 0.0, 1.0};
  EXPECT_EQ(RootBetween(parabola, true, 0.0, std::numeric_limits<double>::infinity()), 2.0);
}

}  // namespace
}  // namespace percuss::solver::internal
