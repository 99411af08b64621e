// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <string>
#include <vector>

#include "tracking/body_pose.h"
#include "tracking/marker_detection.h"

namespace percuss::tracking {

struct LayoutSearchOptions {
  double max_epipolar_px = 1.5;  ///< reprojection error up to which two spots can be one point
  double distance_tolerance = 0.0015;  ///< [m] plus 1 % between measured and known marker distances
  double gate_px = 2.0;                ///< projected marker to spot, after refinement
  double min_facing = 0.2;             ///< a marker seen at a lower cosine need not be found
  int min_markers = 3;                 ///< different markers seen in both views
};

/// Which spots are which markers.
struct LabelledFrame {
  bool found = false;
  std::string reason;  ///< why not: how many spots, pairs, markers matched at best
  std::vector<MarkerObservation> observations;
  std::array<std::vector<int>, 2> marker_of_blob;  ///< per side; -1 where the spot is no marker
  PoseEstimate pose;
};

/// Gives spots the labels of the markers that the pose puts on them: one-to-one, within `gate_px`,
/// only markers that face the camera, only spots whose size fits the marker's distance.
std::array<std::vector<int>, 2> LabelByPose(const StereoViews& views, const MarkerLayout& layout,
                                            const std::array<std::vector<Blob>, 2>& blobs,
                                            const BodyPose& pose, double gate_px,
                                            double min_facing);

/// Observations of all labelled spots. To the covariance from grey noise comes what it does not
/// explain (compression, shading, a blurred edge that the surround cuts): `kCentroidFloorPx` seen
/// face on, growing as the disc narrows, with the cosine between the marker's normal and the line
/// of sight at `pose`.
inline constexpr double kCentroidFloorPx = 0.03;
std::vector<MarkerObservation> ObservationsOf(const StereoViews& views, const MarkerLayout& layout,
                                              const std::array<std::vector<Blob>, 2>& blobs,
                                              const std::array<std::vector<int>, 2>& marker_of_blob,
                                              const BodyPose& pose);

/// Finds the marker layout among the spots of both views without any prior pose: spots that can be
/// one point are triangulated, triples of points whose distances are those of three markers give a
/// pose, and the pose that explains most spots with fewest visible markers missing wins. Fails when
/// nothing explains `min_markers`, or when two different labellings explain the spots equally well
/// (a symmetric layout).
LabelledFrame SearchLayout(const StereoViews& views, const MarkerLayout& layout,
                           const std::array<std::vector<Blob>, 2>& blobs,
                           const LayoutSearchOptions& options = {});

}  // namespace percuss::tracking
