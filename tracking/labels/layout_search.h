// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tracking/pose/body_pose.h"
#include "tracking/spots/marker_detection.h"

namespace percuss::tracking {

struct LayoutSearchOptions {
  double max_epipolar_px = 1.5;  ///< reprojection error up to which two spots can be one point
  double distance_tolerance = 0.0015;  ///< [m] plus 1 % between measured and known marker distances
  double gate_px = 2.0;                ///< projected marker to spot, after refinement
  double min_facing = 0.2;             ///< a marker seen at a lower cosine need not be found
  int min_markers = 3;                 ///< different markers seen in all views
  /// Steps of some 10 ns after which a search ends with what it has.
  std::int64_t max_work = 8'000'000;
};

/// Where a marker may be, in W.
struct MarkerRegion {
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();
  double radius = 0.0;  ///< [m]
};

/// Which spots are which markers.
struct LabelledFrame {
  bool found = false;
  std::string reason;       ///< why not: how many spots, pairs, markers matched at best
  bool two_bodies = false;  ///< that is why not
  std::int64_t work = 0;    ///< what the search cost, as LayoutSearchOptions::max_work counts
  std::vector<MarkerObservation> observations;
  std::array<std::vector<int>, 2> marker_of_blob;  ///< per side; -1 where the spot is no marker
  PoseEstimate pose;
};

/// Whether a spot is about as large as a marker at a point, seen at a cosine of `facing`: half-way
/// outlines of blurred or dim discs differ from the disc itself, so a factor of three is allowed.
/// An area that is not known fits.
bool SizeFits(const Blob& blob, const View& view, const Eigen::Vector3d& p_W,
              double marker_diameter, double facing);

/// Whether a spot can be a marker at a point: the corner of a tag by its code alone, a dot by its
/// size.
bool CanBe(const Blob& blob, const MarkerLayout& layout, int marker, const View& view,
           const Eigen::Vector3d& p_W, double facing);

/// Gives spots the labels of the markers that the pose puts on them: one-to-one, within `gate_px`,
/// only markers that face the camera, only spots whose size fits the marker's distance.
std::array<std::vector<int>, 2> LabelByPose(const Views& views, const MarkerLayout& layout,
                                            const std::array<std::vector<Blob>, 2>& blobs,
                                            const BodyPose& pose, double gate_px,
                                            double min_facing);

/// Observations of all labelled spots. The covariance of a spot holds for noise that differs from
/// pixel to pixel. Compression makes errors that neighbouring pixels share and the residuals do not
/// show: `kCentroidFloorPx` seen face on, growing as the disc narrows, with the cosine between the
/// marker's normal and the line of sight at `pose`.
inline constexpr double kCentroidFloorPx = 0.03;
std::vector<MarkerObservation> ObservationsOf(const Views& views, const MarkerLayout& layout,
                                              const std::array<std::vector<Blob>, 2>& blobs,
                                              const std::array<std::vector<int>, 2>& marker_of_blob,
                                              const BodyPose& pose);

/// Finds the marker layout among the spots of both views: spots that can be one point are
/// triangulated, triples of points whose distances are those of three markers give a pose, and the
/// pose that explains most spots with fewest visible markers missing wins. The points of a planar
/// layout are where the rays of its one view meet the planes of its markers. Fails when nothing
/// explains `min_markers`, when two different labellings explain the spots equally well (a
/// symmetric layout), when two bodies with this layout are seen, when so many spots would explain
/// as much by chance, or when there are so many that `max_work` does not suffice. Where a tag of
/// the body is read, even in one view, PoseFromCodes says all of this at once.
/// @param regions where each marker may be; empty where nothing is known
/// @param near where the body may be, if something is known of that: see PoseFromCodes
LabelledFrame SearchLayout(const Views& views, const MarkerLayout& layout,
                           const std::array<std::vector<Blob>, 2>& blobs,
                           const LayoutSearchOptions& options = {},
                           std::span<const MarkerRegion> regions = {},
                           const BodyPose* near = nullptr);

}  // namespace percuss::tracking
