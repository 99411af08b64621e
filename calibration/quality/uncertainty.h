// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "calibration/bundle/bundle.h"
#include "calibration/rig/parameter_derivatives.h"
#include "calibration/rig/rig_calibration.h"

namespace percuss::calibration {

/// Where experiments happen: the points of all boards, in W [m].
struct WorkingVolume {
  Eigen::Vector3d lowest, highest;      ///< of all target points of all views
  std::vector<double> distance;         ///< [camera] median distance of the points along its axis
  std::vector<Eigen::Vector3d> points;  ///< raster over the box, those that two cameras see
};
WorkingVolume VolumeOf(const Bundle& bundle, const RigCalibration& rig);

/// Largest standard deviation over all directions of the pixel of a point fixed in the world, on a
/// raster of the image, at the working distance.
ImageMap ProjectionSigma(const RigCalibration& rig, const WorkingVolume& volume,
                         std::size_t camera);

/// Root mean square over x, y, z together of the error of a triangulated point: sqrt(trace), at the
/// points of the volume [m].
std::vector<double> PointSigma(const RigCalibration& rig, const WorkingVolume& volume);

/// All of the above.
PredictedError PredictError(const RigCalibration& rig, const WorkingVolume& volume);

}  // namespace percuss::calibration
