// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/numbers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

namespace percuss {
namespace {

// Source of truth: the usual rule for stating a measured value, worked by hand.

TEST(FormatWithSigma, KeepsTwoSignificantDigitsOfSigma) {
  EXPECT_EQ(FormatWithSigma(0.260434, 0.00213), "0.2604 ± 0.0021");
  EXPECT_EQ(FormatWithSigma(-9.80213, 0.0212), "-9.802 ± 0.021");
  EXPECT_EQ(FormatWithSigma(1204.318, 1.12), "1204.3 ± 1.1");
}

TEST(FormatWithSigma, IsOfAMultiple) {
  EXPECT_EQ(FormatWithSigma(ValueWithSigma{0.0123456, 0.00021}, 1e3), "12.35 ± 0.21");
}

TEST(FormatWithSigma, RoundsTheValueToTensWhereSigmaIsLarge) {
  EXPECT_EQ(FormatWithSigma(12043.7, 124.0), "12040 ± 120");
}

TEST(FormatWithSigma, CountsDigitsAfterSigmaIsRounded) {
  EXPECT_EQ(FormatWithSigma(1.23456, 0.0996), "1.23 ± 0.10");
  EXPECT_EQ(FormatWithSigma(1.23456, 0.0994), "1.235 ± 0.099");
}

TEST(FormatWithSigma, HasNoNegativeZero) {
  EXPECT_EQ(FormatWithSigma(-0.0001, 0.021), "0.000 ± 0.021");
}

TEST(FormatWithSigma, LeavesOutASigmaThatIsNotOne) {
  EXPECT_EQ(FormatWithSigma(0.26043, kNaN), "0.2604");
  EXPECT_EQ(FormatWithSigma(0.26043, 0.0), "0.2604");
  EXPECT_EQ(FormatWithSigma(0.26043, -1.0), "0.2604");
  EXPECT_EQ(FormatWithSigma(0.26043, std::numeric_limits<double>::infinity()), "0.2604");
}

TEST(FormatWithSigma, ShowsADashForNoNumber) { EXPECT_EQ(FormatWithSigma(kNaN, 0.1), "–"); }

TEST(FormatSignificant, StaysReadableForSmallAndLarge) {
  EXPECT_EQ(FormatSignificant(0.0012345, 3), "0.00123");
  EXPECT_EQ(FormatSignificant(123456.7, 3), "123457");
  EXPECT_EQ(FormatSignificant(3.2e-9, 2), "3.2e-09");
  EXPECT_EQ(FormatSignificant(0, 3), "0");
}

TEST(FormatProbability, DoesNotClaimZero) {
  EXPECT_EQ(FormatProbability(0.0373), "0.037");
  EXPECT_EQ(FormatProbability(0), "< 0.000001");
  EXPECT_EQ(FormatProbability(kNaN), "–");
}

}  // namespace
}  // namespace percuss
