// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/arcs/clock_fit.h"

#include <algorithm>
#include <cmath>

namespace percuss::tracking {
namespace {

bool HasRightPixels(std::span<const TrackedFrame> frames) {
  return std::ranges::any_of(frames, [](const TrackedFrame& frame) {
    return std::ranges::any_of(frame.observations,
                               [](const MarkerObservation& o) { return o.side == 1; });
  });
}

}  // namespace

ImpactFit FitArcsAndClock(std::span<const TrackedFrame> frames, const ImpactGuess& guess,
                          const MarkerLayout& layout, const Eigen::Matrix3d& inertia_B,
                          const Eigen::Vector3d& gravity,
                          const calibration::RigCalibration& calibration,
                          const capture::Synchronisation& known,
                          const capture::Alignment& alignment, ArcFitOptions options) {
  const auto fit_arcs = [&] {
    return FitImpactArcs(frames, guess, layout, inertia_B, gravity, calibration, options);
  };
  options.clock.others_exact = known.genlocked;
  options.clock.exact = known.genlocked || options.clock_found_exact || !HasRightPixels(frames);
  if (options.clock.exact) return fit_arcs();
  // A stated offset is one at the frames that were paired, perhaps seconds before the impact.
  if (known.offset) {
    constexpr double kLeast = 1e-9;  // [s], as good as exact
    const double drift = kClockRateSigma * (guess.time - alignment.offset_time);
    options.clock.sigma = std::max(kLeast, std::hypot(known.offset_sigma, drift));
  }
  constexpr double kSigmas = 3.0, kFrames = 0.02;
  const double interval = (frames.back().time - frames.front().time) /
                          std::max<double>(1.0, static_cast<double>(frames.size()) - 1.0);
  const bool may_be_exact = !known.offset && alignment.sub_frame_offset == 0.0;
  if (may_be_exact) options.exact_clock = kFrames * interval;
  const ImpactFit fit = fit_arcs();
  const bool exact =
      fit.clock_is_exact || (may_be_exact && fit.usable &&
                             std::abs(fit.clock_offset[1]) <=
                                 std::min(kSigmas * fit.clock_sigma[1], options.exact_clock));
  if (!exact) return fit;
  options.clock.exact = true;
  return fit_arcs();
}

}  // namespace percuss::tracking
