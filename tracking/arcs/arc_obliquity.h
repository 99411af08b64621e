// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <limits>
#include <span>
#include <vector>

#include "tracking/arcs/arc_problem.h"
#include "tracking/pose/tracked_frame.h"

namespace percuss::tracking {

/// From here on a view is called oblique (sun2017 4.3).
inline constexpr double kObliqueDeg = 45.0;

/// Sightings of one kind and what the flights leave of them, root mean square of a coordinate.
struct SightingErrors {
  int sightings = 0;
  double rms_px = std::numeric_limits<double>::quiet_NaN();
  double rms_sigmas = std::numeric_limits<double>::quiet_NaN();  ///< in sigmas as stated
};

/// How obliquely one camera saw the markers in both flights: the angle at a marker from its outward
/// normal to the camera, 0 seen face on, 90 edge on [degrees].
struct Obliquity {
  double median_deg = std::numeric_limits<double>::quiet_NaN();
  double largest_deg = std::numeric_limits<double>::quiet_NaN();
  SightingErrors below, above;  ///< kObliqueDeg
};

/// One for each camera. Whether obliquity costs anything is for the residuals to say: sigmas of
/// spots grow with it by themselves.
/// @param frames that the arcs were fitted to, with their poses
std::vector<Obliquity> CalcObliquity(const FittedArcs& arcs, std::span<const TrackedFrame> frames,
                                     const MarkerLayout& layout,
                                     const calibration::RigCalibration& calibration,
                                     const Eigen::Matrix3d& inertia_B,
                                     const Eigen::Vector3d& gravity);

}  // namespace percuss::tracking
