// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/arcs/line_time_fit.h"

#include <cmath>
#include <vector>

#include "tracking/arcs/clock_fit.h"

namespace percuss::tracking {

LineTimes MeanOf(std::span<const LineTimes> all) {
  LineTimes mean;
  for (std::size_t side = 0; side < capture::kMostCameras; ++side) {
    double information = 0.0, sum = 0.0;
    for (const LineTimes& one : all) {
      if (!one.found || one.sigma[side] == 0.0) continue;
      const double weight = 1.0 / (one.sigma[side] * one.sigma[side]);
      information += weight;
      sum += weight * one.value[side];
    }
    if (!(information > 0.0)) {
      if (side == 0) return {};
      continue;
    }
    mean.value[side] = sum / information;
    mean.sigma[side] = 1.0 / std::sqrt(information);
  }
  mean.found = true;
  return mean;
}

LineTimes FitLineTimes(std::span<const TrackedFrame> frames, std::span<const ImpactGuess> guesses,
                       const MarkerLayout& layout, const Eigen::Matrix3d& inertia_B,
                       const Eigen::Vector3d& gravity,
                       const calibration::RigCalibration& calibration,
                       const capture::Synchronisation& known, const capture::Alignment& alignment,
                       ArcFitOptions options) {
  options.line_time_sigma = capture::kUnstatedLineTime;
  std::vector<LineTimes> all;
  for (const ImpactGuess& guess : guesses) {
    const ImpactFit fit = FitArcsAndClock(frames, guess, layout, inertia_B, gravity, calibration,
                                          known, alignment, options);
    if (fit.usable) all.push_back({true, fit.line_time, fit.line_time_sigma});
  }
  return MeanOf(all);
}

}  // namespace percuss::tracking
