// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>

namespace percuss::tracking {

/// Where the centre of a ball was.
struct BallPlace {
  double time = 0.0;                                ///< [s]
  Eigen::Vector3d place = Eigen::Vector3d::Zero();  ///< [m], any fixed frame
  /// [m^2]; a fit multiplies all by one factor, so that the unit matrix says "all alike"
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Identity();
};

}  // namespace percuss::tracking
