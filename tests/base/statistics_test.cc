// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/math/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace percuss::fitting {
namespace {

// Closed forms: Q = exp(-x/2) for 2 degrees of freedom, exp(-x/2)(1 + x/2) for 4, erfc for 1.
TEST(ChiSquareSurvival, MatchesClosedForms) {
  for (const double x : {0.01, 0.7, 3.0, 11.0, 80.0, 400.0}) {
    EXPECT_NEAR(ChiSquareSurvival(x, 2) / std::exp(-x / 2.0), 1.0, 1e-11) << x;
    EXPECT_NEAR(ChiSquareSurvival(x, 4) / (std::exp(-x / 2.0) * (1.0 + x / 2.0)), 1.0, 1e-11) << x;
    EXPECT_NEAR(ChiSquareSurvival(x, 1) / std::erfc(std::sqrt(x / 2.0)), 1.0, 1e-11) << x;
  }
  EXPECT_EQ(ChiSquareSurvival(0.0, 5), 1.0);
  EXPECT_NEAR(ChiSquareSurvival(kChiSquare95, 1), 0.05, 1e-12);
}

// Closed forms: P(|T| <= t) = (2 / pi) atan t for 1 degree of freedom, t / sqrt(2 + t^2) for 2.
TEST(StudentTwoSidedQuantile, MatchesClosedForms) {
  EXPECT_NEAR(StudentTwoSidedQuantile(0.95, 1), std::tan(0.95 * std::acos(-1.0) / 2.0), 1e-9);
  EXPECT_NEAR(StudentTwoSidedQuantile(0.95, 2), 0.95 * std::sqrt(2.0 / (1.0 - 0.95 * 0.95)), 1e-10);
  EXPECT_NEAR(StudentTwoSidedQuantile(0.95, 10000000), std::sqrt(kChiSquare95), 1e-6);
}

TEST(Statistics, RejectWhatHasNoMeaning) {
  EXPECT_THROW(ChiSquareSurvival(-1.0, 3), std::invalid_argument);
  EXPECT_THROW(ChiSquareSurvival(std::nan(""), 3), std::invalid_argument);
  EXPECT_THROW(StudentTwoSidedQuantile(1.0, 3), std::invalid_argument);
  EXPECT_THROW(StudentTwoSidedQuantile(0.95, 0), std::invalid_argument);
}

}  // namespace
}  // namespace percuss::fitting
