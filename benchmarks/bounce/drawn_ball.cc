// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/bounce/drawn_ball.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <vector>

namespace percuss::benchmarks {

synthesis::BallSpec DrawnClip(double frame_rate, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  synthesis::BallSpec spec;
  spec.seed = seed;
  spec.frame_rate = frame_rate;
  spec.exposure = std::min(0.004, 0.7 / frame_rate);
  spec.line_time = uniform(0.0, 0.5 / frame_rate / 1080.0);
  spec.bounces = 5;
  spec.e.values = {uniform(0.7, 0.85)};
  spec.radius = uniform(0.015, 0.03);
  spec.start = {uniform(-0.35, -0.2), uniform(-0.05, 0.05), uniform(0.4, 0.6)};
  spec.velocity = {uniform(0.1, 0.3), uniform(-0.03, 0.03), 0.0};
  spec.mu = uniform(0.05, 0.4);
  const double focal = uniform(1100.0, 2000.0);
  spec.target = {0.0, 0.0, uniform(0.25, 0.33)};
  spec.camera = synthesis::BallCamera(1920, 1080, focal,
                                      {uniform(-0.2, 0.2), -focal / 1300.0, uniform(0.3, 0.6)},
                                      spec.target, uniform(-0.05, 0.05));
  spec.light.ground = uniform(0.05, 0.5);
  spec.light.wall = uniform(0.05, 0.5);
  spec.light.ball = uniform(0.6, 0.9);
  spec.light.ambient = uniform(0.3, 0.7);
  // What nobody measures: the surface is not level, the contact takes its time, air slows the ball.
  std::normal_distribution<double> normal;
  constexpr double kTilt = 0.009, kDwell = 0.3, kDwellSigma = 0.5;  // [rad], [R / v], as is usual
  spec.surface_normal =
      Eigen::Vector3d(kTilt * normal(random), kTilt * normal(random), 1.0).normalized();
  double dwell = -1.0;
  while (dwell < 0.0) dwell = kDwell + kDwellSigma * normal(random);
  spec.contact_time = dwell * spec.radius / std::sqrt(2.0 * 9.80665 * spec.start.z());
  spec.drag_coefficient = uniform(0.4, 0.5);
  // From a table tennis ball to steel.
  constexpr double kHollow = 80.0, kSteel = 7800.0;  // [kg/m^3]
  const double density = kHollow * std::pow(kSteel / kHollow, uniform(0.0, 1.0));
  spec.mass = density * 4.0 / 3.0 * std::numbers::pi * std::pow(spec.radius, 3);
  return spec;
}

tracking::ClipFrames FramesOfClip(const synthesis::BallClip& clip) {
  auto pictures = std::make_shared<std::vector<cv::Mat>>(clip.FrameCount());
  return [&clip, pictures](const tracking::VisitFrame& visit) {
    for (int k = 0; k < clip.FrameCount(); ++k) {
      cv::Mat& picture = (*pictures)[k];
      if (picture.empty()) picture = clip.Frame(k);
      visit(k, clip.FrameTime(k), picture);
    }
  };
}

}  // namespace percuss::benchmarks
