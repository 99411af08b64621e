// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace percuss {

/// The matrix [v]x of the cross product: Skew(v) * a = v x a.
inline Eigen::Matrix3d Skew(const Eigen::Vector3d& v) {
  Eigen::Matrix3d m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

/// The rotation about `vector` by its length [rad] (exponential map of SO(3)). Exact to rounding at
/// every angle, zero included.
inline Eigen::Quaterniond RotationFromVector(const Eigen::Vector3d& vector) {
  const double angle = vector.norm();
  // Below this the sine of half the angle is half the angle, and the direction is noise.
  if (angle < 1e-12) return {1.0, 0.5 * vector.x(), 0.5 * vector.y(), 0.5 * vector.z()};
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, vector / angle));
}

}  // namespace percuss
