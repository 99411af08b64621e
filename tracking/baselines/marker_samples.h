// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "calibration/rig/view.h"
#include "tracking/pose/tracked_frame.h"

namespace percuss::tracking {

inline constexpr int kSamples = 4;

/// One marker at four equally spaced times, the farthest from the impact first; W axes.
struct MarkerSamples {
  std::array<Eigen::Vector3d, kSamples> p_W;
  /// Of all four places in that order, from the pixels. Places at neighbouring times share
  /// sightings wherever they were interpolated.
  Eigen::Matrix<double, 3 * kSamples, 3 * kSamples> covariance;
};

/// Markers on one side of an impact, and when.
struct SideSamples {
  double step = 0.0;  ///< between samples [s]
  double last = 0.0;  ///< from the sample next to the impact to the instant of the impact [s]
  /// From the sample next to the impact to the middle between the last sighting on this side and
  /// the first one on the other: step / 2 where all of a frame is seen at one time and none is
  /// missing [s].
  double half_frame = 0.0;
  std::array<int, 2> left_frames = {0, 0};            ///< first and last of the four nearest
  std::vector<std::optional<MarkerSamples>> markers;  ///< by place in the layout
};

struct SampleOptions {
  double impact_time = 0.0;          ///< [s], left clock
  double exclusion = 0.0;            ///< sightings nearer to the impact are passed over [s]
  std::array<int, 2> left_frames{};  ///< first before the impact, last after it
  double noise_scale = 1.0;          ///< by which the pixel sigmas are multiplied
  double max_extrapolation = 0.02;   ///< beyond the first and last sighting [frames]
};

/// Takes what was seen of each marker before or after an impact to four times that all markers
/// share, a frame apart: on a cubic through the four sightings about a time, in pixels, camera by
/// camera, as the sightings of free-running cameras and rolling shutters have times of their own.
/// A sighting that was made at such a time is taken as it is. The last time is the earliest of the
/// last sightings (the first of the first ones after the impact, likewise). Two views are then
/// triangulated; the one view of a planar layout meets the marker's plane.
///
/// The error of the cubic is 9/384 step^4 of the fourth derivative of the path between sightings:
/// a micrometre for a marker that turns by 7 degrees in a frame, 0.15 m from the axis.
/// @return nothing with fewer than four frames on that side, or none of them next to the impact; a
///   marker is left out that was not seen by all cameras in the frames about its times.
std::optional<SideSamples> SampleMarkers(std::span<const TrackedFrame> frames, bool before,
                                         const MarkerLayout& layout, const Views& views,
                                         const SampleOptions& options);

}  // namespace percuss::tracking
