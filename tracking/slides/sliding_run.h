// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "base/nan.h"
#include "tracking/pose/tracked_frame.h"

namespace percuss::tracking {

/// What a slide is estimated with, besides the poses.
struct SlideSetting {
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< W [m/s^2]
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();  ///< of the plate in the first frame, W
  /// Of the mass centre above the plate on which the body lies [m]: a body that rolls turns by its
  /// way over this. NaN: not known, and rolling is not looked for.
  double centre_height = kNaN;
  double turn_error = 0.0;  ///< added to the turn of a plate in all frames [rad]
};

/// The frames in which a body lies on its plate.
struct SlidingRun {
  std::string reason;       ///< why there are none; empty if there are
  std::vector<int> frames;  ///< places in the list
  bool tilting = false;     ///< the plate turns
  double spin = 0.0;        ///< turn about the normal from first to last frame [rad]
};

/// Longest way of the mass centre without a change of velocity that friction cannot make (more than
/// 1.42 g: an end stop, a hand), a fast turn (a fall over an edge), or, on a plate at rest, a lift.
/// Frames at rest before it belong to it, those after it came to rest do not.
SlidingRun FindSlidingRun(std::span<const TrackedFrame> frames, const SlideSetting& setting);

/// Rotation of the body from its attitude in the first of these frames to that in each, W axes
/// [rad].
std::vector<Eigen::Vector3d> TurnsOf(std::span<const TrackedFrame> frames,
                                     const std::vector<int>& places);

}  // namespace percuss::tracking
