// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "calibration/bundle/bundle.h"
#include "calibration/rig/rig_calibration.h"

namespace percuss::calibration {

/// Derivative of the pixel of a point that is fixed in the world by the rig parameters
/// (NumRigParameters): how much the image of a known place is in doubt. The point must lie before
/// the camera.
Eigen::Matrix<double, 2, Eigen::Dynamic> PixelByParameters(const RigCalibration& rig,
                                                           std::size_t camera,
                                                           const Eigen::Vector3d& p_W);

/// Derivative of the point triangulated from fixed pixels by the rig parameters,
///
///     dp/dtheta = -(Jp^T Jp)^-1 Jp^T Jtheta,   stacked over the cameras that see it,
///
/// where Jp, Jtheta are the derivatives of the pixels: how much the place of a perfectly measured
/// marker is in doubt. Empty if fewer than two cameras see the point, or one camera alone: a single
/// camera (planar experiment) is taken to know that the point lies in the plane y = 0 of W.
Eigen::Matrix<double, 3, Eigen::Dynamic> PointByParameters(const RigCalibration& rig,
                                                           const Eigen::Vector3d& p_W);

/// Where experiments happen: the points of all boards, in W [m].
struct WorkingVolume {
  Eigen::Vector3d lowest, highest;      ///< of all target points of all views
  std::vector<double> distance;         ///< [camera] median distance of the points along its axis
  std::vector<Eigen::Vector3d> points;  ///< raster over the box, those that two cameras see
};
WorkingVolume VolumeOf(const Bundle& bundle, const RigCalibration& rig);

/// Raster over the image of a camera, values NaN.
ImageMap RasterOf(const Camera& camera);

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
