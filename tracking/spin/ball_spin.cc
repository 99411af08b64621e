// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spin/ball_spin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tracking/spin/spin_fit.h"
#include "tracking/spin/spin_search.h"

namespace percuss::tracking {
namespace {

constexpr int kLeastFrames = 5;
/// What gloss and shadows leave of the shade of an even ball is less, relative to its light.
constexpr double kLeastPattern = 0.03;
/// Less of the variance is what a wrong spin explains: frames side by side look alike at any rate.
constexpr double kLeastExplained = 0.5;
/// Two spins whose patterns leave variances nearer than this are not told apart.
constexpr double kTellApart = 1.2;

/// What all frames share is not seen in how they differ: rests of the shade that do not turn,
/// errors of focal length and distance. Of rendered clips with 12 dots and any lamp the spin is off
/// by 0.3 % rms; nothing but those renderings says so.
constexpr double kSharedShare = 0.004;

/// Standard deviation of what all frames show.
double PatternOf(std::span<const BallLook> looks) {
  double sum = 0.0, squares = 0.0, count = 0.0;
  for (const BallLook& look : looks) {
    for (const float value : look.values) {
      if (!std::isfinite(value)) continue;
      const auto v = static_cast<double>(value);
      sum += v, squares += v * v, ++count;
    }
  }
  return count > 0.0 ? std::sqrt(std::max(0.0, squares / count - std::pow(sum / count, 2))) : 0.0;
}

/// In how many of the radians of a flight two spins differ.
double TurnBetween(const SpinFit& one, const SpinFit& other, double duration) {
  return (one.omega - other.omega).norm() * duration;
}

}  // namespace

BallSpin EstimateSpin(std::span<const BallLook> looks) {
  BallSpin spin;
  spin.frames = static_cast<int>(looks.size());
  if (spin.frames < kLeastFrames) {
    spin.reason = fmt::format("found {} frames of the flight, allowed at least {}", spin.frames,
                              kLeastFrames);
    return spin;
  }
  spin.pattern = PatternOf(looks);
  if (!(spin.pattern > kLeastPattern)) {
    spin.reason = "the ball shows no pattern";
    return spin;
  }
  std::vector<SpinFit> fits;
  for (const Eigen::Vector3d& start : FindSpins(looks)) fits.push_back(FitSpin(looks, start));
  std::ranges::sort(fits, {}, &SpinFit::left);
  const SpinFit& best = fits.front();
  spin.explained = best.total > 0.0 ? 1.0 - best.left / best.total : 0.0;
  const double duration = looks.back().time - looks.front().time;
  if (spin.explained < kLeastExplained) {
    spin.reason =
        "the pattern does not repeat from frame to frame: the ball turns too fast for the frame "
        "rate, or frames are too few or too blurred";
    return spin;
  }
  for (const SpinFit& other : fits) {
    if (other.left > kTellApart * best.left) break;
    // Another bottom, not the same one found twice.
    if (TurnBetween(best, other, duration) < 0.2) continue;
    spin.reason = fmt::format(
        "several spins fit equally, of {:.1f} and {:.1f} rad/s: the pattern repeats itself",
        best.omega.norm(), other.omega.norm());
    return spin;
  }
  if (!best.covariance.allFinite()) {
    spin.reason = "the pattern does not show the spin about all axes";
    return spin;
  }
  spin.omega = best.omega;
  const double shared = kSharedShare * spin.omega.norm();
  spin.covariance = best.covariance + shared * shared * Eigen::Matrix3d::Identity();
  return spin;
}

}  // namespace percuss::tracking
