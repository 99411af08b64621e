// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "calibration/rig/view.h"
#include "tracking/pose/body_pose.h"
#include "tracking/spots/marker_detection.h"
#include "tracking/spots/stereo_spots.h"

namespace percuss::tracking {

/// A spot of each view that may be one point in space.
struct StereoPoint {
  std::array<int, 2> blob{};  ///< -1 where there is no such view
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();
};

/// Every pair of spots whose rays meet within `max_epipolar_px` (rms reprojection distance of the
/// triangulated point) at a distance at which neither is larger than three discs seen face on or
/// smaller than a thirtieth of one.
std::vector<StereoPoint> FindStereoPoints(const Views& views,
                                          const std::array<std::vector<Blob>, 2>& blobs,
                                          double marker_diameter, double max_epipolar_px);

/// The spots of one view as points in the planes in which the markers of a planar body move (one
/// after the other, where markers differ in y), if their size fits as above.
std::vector<StereoPoint> FindPlanePoints(const View& view, const std::vector<Blob>& blobs,
                                         const MarkerLayout& layout);

}  // namespace percuss::tracking
