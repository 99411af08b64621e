// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: the geometry of a pinhole camera; gravity in slow motion.

#include "pipeline/bounces/bounce_scale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "calibration/rig/camera.h"

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

// A ruler of 300 mm whose middle is as far away as the ball, 1.2 m, turned by 40 degrees in depth.
TEST(ScaleOf, ARulerThatLeansInDepth) {
  const tracking::BounceFit fit = FitOf(1.0);
  const double angle = 40.0 * std::numbers::pi / 180.0;
  const Eigen::Vector3d half = 0.15 * Eigen::Vector3d(std::cos(angle), 0.1, std::sin(angle));
  const Eigen::Vector3d middle(0.1, 0.05, 1.2), from = middle - half, to = middle + half;
  tracking::FoundRuler found;
  found.reason.clear();
  found.from = calibration::Project(fit.ball.camera, from);
  found.to = calibration::Project(fit.ball.camera, to);
  found.intervals = 300;
  found.pitch = {(found.to - found.from).norm() / 300.0, 1e-4};
  found.depth_ratio = {to.z() / from.z(), 0.005};
  found.mark_distance = 2.0 * half.norm() / 300.0;
  std::vector<std::string> warnings;
  TypedScale typed;
  typed.ruler = LengthOfRuler(found, {}, &warnings);
  ASSERT_TRUE(typed.ruler);
  const BounceScale scale = ScaleOf(typed, fit, 30.0);
  EXPECT_EQ(scale.readings.front().source, "ruler");
  EXPECT_NEAR(scale.radius.value, 0.02, 1e-6);
  // A diameter of 60 in depth: two radii.
  EXPECT_NEAR(scale.radius.sigma / scale.radius.value, 2.0 / 60.0, 0.01);
  EXPECT_TRUE(warnings.empty());
  EXPECT_NE(RulerLine(found, typed).find("301 marks from"), std::string::npos);
  EXPECT_NE(RulerLine(found, {}).find("--ruler takes it"), std::string::npos);

  // What is typed goes before what long marks say, and a warning names both.
  typed.ruler = LengthOfRuler(found, {.mark_distance = {{0.01, 0.0}}}, &warnings);
  EXPECT_NEAR(ScaleOf(typed, fit, 30.0).radius.value, 0.02 * 0.01 / found.mark_distance, 1e-5);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("--ruler says that marks are 10 mm apart"), std::string::npos);
  // Ten times too large, which gravity contradicts.
  EXPECT_FALSE(ScaleOf(typed, fit, 30.0).warnings.empty());
}

TEST(ScaleOf, ARulerThatDoesNotTellItsUnitIsNoScale) {
  tracking::FoundRuler found;
  std::vector<std::string> warnings;
  EXPECT_FALSE(LengthOfRuler(found, {}, &warnings));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0], "--ruler: " + found.reason);
  EXPECT_EQ(RulerLine(found, {}), "");
  found.reason.clear();
  found.intervals = 30;
  EXPECT_FALSE(LengthOfRuler(found, {}, &warnings));
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_NE(warnings[1].find("such as --ruler 0.001"), std::string::npos) << warnings[1];
  EXPECT_EQ(RulerLine(found, {}), "");
  const auto stated = LengthOfRuler(found, {.mark_distance = {{0.01, 0.0001}}}, &warnings);
  ASSERT_TRUE(stated);
  EXPECT_DOUBLE_EQ(stated->length.value, 0.3);
  EXPECT_DOUBLE_EQ(stated->length.sigma, 0.003);
}

}  // namespace
}  // namespace percuss::pipeline
