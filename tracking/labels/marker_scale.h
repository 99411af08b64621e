// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <string>

#include "calibration/rig/rig_calibration.h"
#include "calibration/rig/view.h"
#include "tracking/pose/body_pose.h"

namespace percuss::tracking {

/// A marker of one frame in space.
struct MarkerPoint {
  int frame = 0;  ///< place in TrackedTrial::frames
  int marker = 0;
  TriangulatedPoint point;
};

/// Metric scale of a reconstruction by the known distances between markers (sun2017 4.4): in each
/// frame
///     C = sum L d / sum d^2
/// over all pairs of triangulated markers, L as stated, d as measured; then the mean over frames.
/// With right lengths of board and body it is 1. The thesis corrects its lengths by C; Percuss does
/// not, since a scale that differs from 1 says that some stated length is wrong, not which.
struct MarkerScale {
  double scale = std::numeric_limits<double>::quiet_NaN();
  /// Of the frames' spread and of the calibration together.
  double sigma = std::numeric_limits<double>::quiet_NaN();
  int frames = 0;  ///< with two markers or more
};
MarkerScale MeasureMarkerScale(std::span<const MarkerPoint> points, const MarkerLayout& layout,
                               const calibration::RigCalibration& calibration);

/// What to check, if the scale is off by more than 0.5 % and four sigmas; otherwise empty.
std::string MarkerScaleWarning(const MarkerScale& scale);

}  // namespace percuss::tracking
