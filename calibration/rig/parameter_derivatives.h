// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "calibration/rig/rig_calibration.h"

namespace percuss::calibration {

/// Whether a camera has the point before it and within its picture.
bool Sees(const RigCalibration& rig, std::size_t camera, const Eigen::Vector3d& p_W);

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
/// camera is taken to know that the point lies in a plane y = const. of W if the experiment is
/// planar, else in one of z = const., as on the surface.
Eigen::Matrix<double, 3, Eigen::Dynamic> PointByParameters(const RigCalibration& rig,
                                                           const Eigen::Vector3d& p_W);

}  // namespace percuss::calibration
