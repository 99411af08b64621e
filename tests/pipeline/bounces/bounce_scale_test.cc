// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: the geometry of a pinhole camera; gravity in slow motion.

#include "pipeline/bounces/bounce_scale.h"

#include <gtest/gtest.h>

#include <cmath>

namespace percuss::pipeline {
namespace {

/// A ball of 20 mm radius, 1.2 m away, that was filmed `slowdown` times as fast as it plays.
tracking::BounceFit FitOf(double slowdown) {
  tracking::BounceFit fit;
  fit.ball.camera = {.width = 1920, .height = 1080};
  fit.ball.camera.intrinsics = {1500.0, 1500.0, 959.5, 539.5};
  fit.ball.first_contact = {0.0, 5.0, 60.0};
  const double g = 9.80665 / 0.02 / (slowdown * slowdown);
  fit.gravity = {g, 0.002 * g};
  return fit;
}

TEST(ScaleOf, ThreeWaysAgree) {
  TypedScale typed;
  typed.diameter = {0.04, 0.0002};
  typed.gravity = {9.80665, 0.01};
  // 0.3 m at 1.2 m and 1500 px: 375 px.
  typed.length = KnownLength{{0.3, 0.0005}, {400.0, 300.0}, {400.0, 675.0}};
  const BounceScale scale = ScaleOf(typed, FitOf(1.0), 30.0);
  ASSERT_EQ(scale.readings.size(), 3U);
  for (const ScaleReading& reading : scale.readings)
    EXPECT_NEAR(reading.radius.value, 0.02, 1e-5) << reading.source;
  EXPECT_TRUE(scale.warnings.empty());
  EXPECT_NEAR(scale.radius.value, 0.02, 1e-5);
  EXPECT_LT(scale.radius.sigma, 0.0001);  // less than that of the diameter alone
}

TEST(ScaleOf, GravityNamesAFrameRateThatIsWrong) {
  TypedScale typed;
  typed.diameter = {0.04, 0.0005};
  for (const double factor : {2.0, 4.0, 8.0, 16.0, 32.0}) {
    const BounceScale scale = ScaleOf(typed, FitOf(factor), 30.0);
    ASSERT_EQ(scale.warnings.size(), 1U) << factor;
    const std::string rate = "--fps " + std::to_string(static_cast<int>(30.0 * factor));
    EXPECT_NE(scale.warnings[0].find(rate), std::string::npos) << scale.warnings[0];
    EXPECT_NEAR(scale.slowdown.value, factor, 0.02 * factor);
    EXPECT_NEAR(scale.radius.value, 0.02, 1e-4);  // not by gravity
  }
  EXPECT_TRUE(ScaleOf(typed, FitOf(1.0), 30.0).warnings.empty());
}

TEST(ScaleOf, NothingTypedLeavesPixels) {
  const BounceScale scale = ScaleOf({}, FitOf(1.0), 30.0);
  EXPECT_TRUE(std::isnan(scale.radius.value));
  ASSERT_EQ(scale.readings.size(), 1U);  // what gravity would make of it
  EXPECT_FALSE(scale.readings[0].typed);
}

TEST(ScaleOf, LengthAndDiameterThatContradictEachOther) {
  TypedScale typed;
  typed.diameter = {0.06, 0.0002};
  typed.length = KnownLength{{0.3, 0.0005}, {400.0, 300.0}, {400.0, 675.0}};
  const BounceScale scale = ScaleOf(typed, FitOf(1.0), 30.0);
  bool named = false;
  for (const std::string& warning : scale.warnings)
    named |= warning.find("the diameter gives a ball of 60.00 mm, the length one of 40.00 mm") !=
             std::string::npos;
  EXPECT_TRUE(named);
}

}  // namespace
}  // namespace percuss::pipeline
