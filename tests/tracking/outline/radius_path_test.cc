// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: drawn radii of a ball whose depth changes evenly in each flight.

#include "tracking/outline/radius_path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace percuss::tracking {
namespace {

constexpr double kFocal = 1500.0, kRadius = 0.02;  // [px], [m]

/// Three flights of 0.4 s; what the ball is away, and how low in the picture.
struct DrawnPath {
  double towards[3] = {0.1, -0.25, 0.2};  ///< [m/s]

  double Depth(double t) const {
    double depth = 1.2;
    for (int k = 0; k < 3; ++k) depth -= towards[k] * std::clamp(t - 0.4 * k, 0.0, 0.4);
    return depth - 0.1 * Height(t);  // the camera looks down
  }
  static double Height(double t) {
    const double in_flight = std::fmod(t, 0.4);
    return 4.9 * in_flight * (0.4 - in_flight);
  }
  double Radius(double t) const { return kFocal * kRadius / Depth(t); }
  Eigen::Vector2d Place(double t) const { return {200.0 * t, 300.0 - 1250.0 * Height(t)}; }
};

TEST(FitRadii, TellsTheRadiusAnywhereAsWellAsItSays) {
  const double bounces[] = {0.4, 0.8};
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  int inside = 0, asked = 0;
  for (int draw = 0; draw < 100; ++draw) {
    DrawnPath path;
    for (double& towards : path.towards) towards = 0.2 * normal(random);
    std::vector<MeasuredRadius> outlines;
    for (double t = 0.01; t < 1.2; t += 1.0 / 30.0) {
      const double sigma = 0.03 * (t < 0.4 ? 5.0 : 1.0);
      outlines.push_back({t, path.Place(t), path.Radius(t) + sigma * normal(random), sigma});
    }
    // One of them is a shadow.
    outlines[20].radius *= 0.7;
    const std::optional<RadiusPath> fit = FitRadii(outlines, bounces, {0.0, 1.0});
    ASSERT_TRUE(fit);
    for (const double t : {0.1, 0.3, 0.5, 0.7, 0.9, 1.1}) {
      const ValueWithSigma radius = fit->At(t, path.Place(t));
      // A dozen outlines of 0.15 px, or of 0.03 px, tell it to about half of that.
      EXPECT_LT(radius.sigma, t < 0.4 ? 0.12 : 0.05) << t;
      inside += std::abs(radius.value - path.Radius(t)) < 1.96 * radius.sigma;
      ++asked;
    }
  }
  // 95 % or more: what one radius is known to is never less than the floor.
  EXPECT_GT(inside, 0.93 * asked);
}

TEST(FitRadii, KnowsNothingFromFewOutlines) {
  const std::vector<MeasuredRadius> outlines(7, {.radius = 20.0});
  EXPECT_FALSE(FitRadii(outlines, {}, {0.0, 1.0}));
}

}  // namespace
}  // namespace percuss::tracking
