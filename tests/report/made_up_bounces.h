// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cmath>

#include "report/bounces/bounce_facts.h"

namespace percuss::report {

/// A ball of 40 mm that falls from 0.4 m and drifts to the right, e = 0.8, three bounces, filmed at
/// 120 Hz: 0.4 m are six tenths of the height of the picture. Every tenth frame is not used.
inline BounceFacts MadeUpBounces(int width, int height) {
  constexpr double kGravity = 9.81, kFall = 0.4, kE = 0.8, kRate = 120, kRadius = 0.02;
  const double px_per_m = 0.6 * height / kFall;
  BounceFacts facts{.clip = "ball.mp4", .unit = "m", .width = width, .height = height};
  facts.frame_rate = kRate;
  facts.exposure = 0.001;
  facts.rms_px = 0.21;
  facts.e = {0.8012, 0.0021};
  facts.e_slope = {-0.0041, 0.0032};
  const double surface = 0.85 * height;
  facts.surface_from = {0.1 * width, surface};
  facts.surface_to = {0.9 * width, surface};
  double start = 0, from = kFall, up = 0;  // of the flight: instant, height, velocity
  const auto place = [&](double time, double above) {
    return Eigen::Vector2d((0.15 + 0.35 * time) * width, surface - (above + kRadius) * px_per_m);
  };
  int frame = 0;
  for (int flight = 0; flight < 4; ++flight) {
    const double down = std::sqrt(up * up + 2 * kGravity * from);
    const double end = start + (up + down) / kGravity;
    const double last = flight == 3 ? start + 0.6 * (end - start) : end;
    for (; frame / kRate < last; ++frame) {
      const double time = frame / kRate, t = time - start;
      const double above = from + up * t - 0.5 * kGravity * t * t;
      facts.balls.push_back({.frame = frame,
                             .time = time,
                             .pixel = place(time, above),
                             .radius_px = kRadius * px_per_m,
                             .flight = flight,
                             .used = frame % 10 != 9,
                             .height = above + 0.002 * std::sin(1.7 * frame),
                             .fitted_height = above});
    }
    if (flight == 3) break;
    const int number = flight + 1;
    facts.bounces.push_back({.number = number,
                             .time = {end, 0.0002},
                             .e = {kE + 0.004 * (number - 2), 0.003 * number},
                             .speed_before = {down, 0.004},
                             .speed_after = {kE * down, 0.004},
                             .tangential_ratio = {kNaN, kNaN},
                             .speed_ratio = {kE, 0.003},
                             .impact_angle_deg = 84.2,
                             .source = number == 2 ? "both" : "video",
                             .pixel = place(end, 0),
                             .radius_px = kRadius * px_per_m});
    start = end;
    from = 0;
    up = kE * down;
  }
  facts.scales = {{"diameter", {0.0400, 0.0001}}, {"gravity", {0.0402, 0.0003}}};
  facts.verdict = {"The ball keeps 80 % of its speed along the normal; three bounces agree."};
  facts.warnings = {"The exposure is long: give more light."};
  facts.notes = {"The lens bends straight lines by 0.3 px."};
  return facts;
}

}  // namespace percuss::report
