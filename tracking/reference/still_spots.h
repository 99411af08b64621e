// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <vector>

#include "tracking/spots/video_spots.h"

namespace percuss::tracking {

/// A spot that stands still from the first frames of a video to the last.
struct StillSpot {
  Eigen::Vector2d pixel = Eigen::Vector2d::Zero();  ///< mean over its frames
  /// Of `pixel` [px^2]: that of one frame, as the larger of what the spots claim and how they
  /// scatter. A mean over frames is no better: what compression and uneven ground do to a spot that
  /// stands still, they do in every frame.
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Identity();
  double area = 0.0;  ///< mean [px^2]
  int frames = 0;
};

/// FindStaticPlaces of one video, whatever is there, in the order in which they were first seen.
std::vector<StillSpot> FindStillSpots(const VideoSpots& video);

}  // namespace percuss::tracking
