// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "calibration/bundle/bundle.h"

namespace percuss::calibration {

/// Covariance of the cameras of a rig (the first World() places of ParameterPlaces) of which no
/// more is known than by how much it errs in a picture: that of a calibration from two dozen
/// pictures of the board all over the pictures of all cameras, tilted by 30 deg, at 0.8 to 1.25
/// times the distance at which it is seen, with as much noise of their corners as gives
/// ProjectionRms = sigma_px. So what a calibration confuses (focal length and distance, principal
/// point and tilt, radial terms with each other) is confused here, too.
/// @param surface Cameras, board and its pose in one view.
/// @throws DataError if such pictures do not determine the cameras.
Eigen::MatrixXd StatedCovariance(const Bundle& surface, double sigma_px);

/// Standard deviation of a coordinate of a projected point that rests in axes of the first camera,
/// root mean square over the pictures of all cameras (RasterOf), at the distance of the board.
double ProjectionRms(const Bundle& surface, const Eigen::MatrixXd& covariance);

}  // namespace percuss::calibration
