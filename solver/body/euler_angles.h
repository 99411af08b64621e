// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace percuss::solver {

/// Orientation by the Euler angles 2-1-3 [rad]: theta1 about y, theta2 about the x that has turned
/// along, theta3 about the z that has turned along. The vector x of the body is q x outside. In the
/// words of the source q is A^T, the rows of A being the axes of the body, so that the inertia
/// outside is A^T I A; (3.27), (3.60) and (3.132) print A I A^T, which is wrong unless theta1 =
/// theta2 = 0 and the body is alike in x and y.
/// Source: sun2017 (4.19).
inline Eigen::Quaterniond OrientationFromEulerAngles(const Eigen::Vector3d& theta) {
  return Eigen::AngleAxisd(theta[0], Eigen::Vector3d::UnitY()) *
         Eigen::AngleAxisd(theta[1], Eigen::Vector3d::UnitX()) *
         Eigen::AngleAxisd(theta[2], Eigen::Vector3d::UnitZ());
}

}  // namespace percuss::solver
