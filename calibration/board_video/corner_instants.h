// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

namespace percuss::calibration {

/// Points of the board in one frame, in pixels or as rays.
struct TimedPoints {
  double time = 0.0;  ///< of the middle row [s]
  std::vector<Eigen::Vector2d> points;
  std::vector<double> delays = {};  ///< of each point after `time` (RowDelay) [s]; empty: all 0
};

/// Points at an instant, with how fast they move.
struct PointsAtInstant {
  std::vector<Eigen::Vector2d> points;      ///< NaN where not known
  std::vector<Eigen::Vector2d> velocities;  ///< [1/s]
  double noise = 1.0;  ///< standard deviation over that of one measured point: root of the sum of
                       ///< the squared weights
};

/// Each point of the board at one instant, from the polynomial through its places in up to four
/// neighbouring frames (two before and two after, as far as they are there): of a motion of
/// amplitude a and frequency w the error is below 0.024 a (w dt)^4 between four frames dt apart.
/// The instant must lie between two frames at most `max_gap` apart, or be that of a frame.
/// @param frames In order of time.
/// @returns Nothing where there are no frames about the instant, or where the board is not the same
/// from one to the next (it jumps by more than half of its own size).
std::optional<PointsAtInstant> PointsAt(std::span<const TimedPoints> frames, double time,
                                        double max_gap);

/// Root mean square speed of the points [1/s]; NaN if none is known.
double SpeedOf(const PointsAtInstant& at);

}  // namespace percuss::calibration
