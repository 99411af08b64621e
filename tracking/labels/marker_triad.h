// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <cmath>

// Orientation of a body from three markers, as sun2017 4.2.5 has it. T is double or a first-order
// autodiff scalar such as ceres::Jet.
namespace percuss::tracking {

/// Centroid of the triangle (sun2017 4.13).
template <typename T>
Eigen::Matrix<T, 3, 1> Centroid(const std::array<Eigen::Matrix<T, 3, 1>, 3>& markers) {
  return (markers[0] + markers[1] + markers[2]) / T(3);
}

/// The matrix A whose rows are the unit vectors e1, e2, e3 of the frame that three markers span, in
/// the axes the markers are given in (sun2017 4.10 to 4.12): with the centroid G,
///     e1 along G to marker 2,   e3 along e1 x (G to marker 1),   e2 = e3 x e1.
/// The thesis does not normalise e3, which would give a matrix that is no rotation. Not finite for
/// collinear markers.
template <typename T>
Eigen::Matrix<T, 3, 3> MarkerTriad(const std::array<Eigen::Matrix<T, 3, 1>, 3>& markers) {
  using Vector3 = Eigen::Matrix<T, 3, 1>;
  const Vector3 centroid = Centroid(markers);
  const Vector3 to_second = markers[1] - centroid, to_first = markers[0] - centroid;
  const Vector3 e1 = to_second / to_second.norm();
  const Vector3 normal = e1.cross(to_first);
  const Vector3 e3 = normal / normal.norm();
  Eigen::Matrix<T, 3, 3> triad;
  triad << e1.transpose(), e3.cross(e1).transpose(), e3.transpose();
  return triad;
}

/// The 2-1-3 Euler angles of A = R3(theta3) R1(theta2) R2(theta1) (sun2017 4.17, 4.19), theta2 in
/// [-pi/2, pi/2] and the others in [-pi, pi]. At theta2 = +-pi/2 only
/// theta1 -+ theta3 is determined: there the angles mean nothing.
template <typename T>
Eigen::Matrix<T, 3, 1> EulerAnglesFromTriad(const Eigen::Matrix<T, 3, 3>& triad) {
  using std::atan2;
  using std::sqrt;
  const T cos_theta2 = sqrt(triad(2, 0) * triad(2, 0) + triad(2, 2) * triad(2, 2));
  return {atan2(triad(2, 0), triad(2, 2)), atan2(-triad(2, 1), cos_theta2),
          atan2(triad(0, 1), triad(1, 1))};
}

/// Matrix that makes the angular velocity in reference axes of the Euler rates (sun2017 4.22).
template <typename T>
Eigen::Matrix<T, 3, 3> ReferenceSpinFromEulerRates(const Eigen::Matrix<T, 3, 1>& theta) {
  using std::cos;
  using std::sin;
  const T s1 = sin(theta[0]), c1 = cos(theta[0]), s2 = sin(theta[1]), c2 = cos(theta[1]);
  Eigen::Matrix<T, 3, 3> matrix;
  matrix << T(0), c1, c2 * s1, T(1), T(0), -s2, T(0), -s1, c2 * c1;
  return matrix;
}

}  // namespace percuss::tracking
