// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>

namespace percuss::tracking {

/// The outline of the ball in one frame.
struct BallSighting {
  int frame = 0;
  double time = 0.0;                                 ///< of the middle row, mid exposure [s]
  Eigen::Vector2d centre = Eigen::Vector2d::Zero();  ///< of the outline [px]
  double radius = 0.0;                               ///< of the disc of the same area [px]
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Identity();  ///< of centre and radius [px^2]
};

}  // namespace percuss::tracking
