// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "tracking/pose/body_pose.h"

namespace percuss::tracking {

/// A spot of a frame that was taken for no marker, and the marker whose image is nearest to it.
struct UnlabelledSpot {
  enum class Reason {
    kOff,           ///< no marker is near enough
    kFacesAway,     ///< the marker is on the other side of the body
    kTaken,         ///< another spot is the marker
    kSize,          ///< it is too small or too large to be the marker
    kAgainstMotion  ///< it fits the pose, but not the flight
  };
  Reason reason = Reason::kOff;
  int side = 0;  ///< 0 left, 1 right
  Eigen::Vector2d pixel = Eigen::Vector2d::Zero();
  int marker = -1;           ///< place in the layout; -1: the body is not in the picture
  double distance_px = 0.0;  ///< from where the body has the marker
};

/// One instant of a trial, and all that was seen of the body about that time.
struct TrackedFrame {
  int left_frame = 0;   ///< where that camera took no picture (has_picture), the last one before
  int right_frame = 0;  ///< 0 with one camera
  double time = 0.0;    ///< [s] on the left camera's clock, middle of the exposure
  /// Those that the pose is of, by marker, left before right; then those of further cameras.
  std::vector<MarkerObservation> observations;
  PoseEstimate pose;  ///< found = false where fewer than three markers were seen
  /// Instead of pixels, from other motion-capture systems.
  std::vector<PointObservation> points = {};
  std::optional<PoseObservation> pose_observation = {};
  /// Left, right: false where a camera dropped the frame, or its video repeats the picture before.
  std::array<bool, 2> has_picture = {true, true};
  /// Spots that move and have no label, where LabelOptions::keep_unlabelled asks for them.
  std::vector<UnlabelledSpot> unlabelled = {};
};

/// When a camera (0 left, 1 right, then the others) exposed what it saw of the body in a frame [s,
/// clock of the left camera]: the mean over its sightings, which carry their own times where
/// cameras run free or shutters roll; the frame's time where there are none.
/// @param clock to be added to times of that camera [s], ImpactFit::clock_offset.
double ExposureTime(const TrackedFrame& frame, int side, double clock);

}  // namespace percuss::tracking
