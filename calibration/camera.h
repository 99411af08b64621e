// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>

namespace percuss::calibration {

/// Number of intrinsic parameters: fx, fy, cx, cy [px], k1, k2, p1, p2, k3 (Brown's model as in
/// OpenCV).
inline constexpr int kNumIntrinsics = 9;

struct Camera {
  int width = 0, height = 0;  ///< [px]
  std::array<double, kNumIntrinsics> intrinsics{};
};

/// Pixel of a point in camera axes (x right, y down, z forward) [m]:
///     x = X/Z, y = Y/Z, r2 = x^2 + y^2, radial = 1 + k1 r2 + k2 r2^2 + k3 r2^3
///     px = fx (x radial + 2 p1 x y + p2 (r2 + 2 x^2)) + cx
///     py = fy (y radial + p1 (r2 + 2 y^2) + 2 p2 x y) + cy
/// Pixel (0,0) is the centre of the top-left pixel. The caller sees to Z > 0.
template <typename T>
Eigen::Matrix<T, 2, 1> Project(const T* intrinsics, const Eigen::Matrix<T, 3, 1>& p_C) {
  const T x = p_C[0] / p_C[2], y = p_C[1] / p_C[2];
  const T r2 = x * x + y * y;
  const T radial = T(1) + r2 * (intrinsics[4] + r2 * (intrinsics[5] + r2 * intrinsics[8]));
  const T &p1 = intrinsics[6], &p2 = intrinsics[7];
  return {
      intrinsics[0] * (x * radial + T(2) * p1 * x * y + p2 * (r2 + T(2) * x * x)) + intrinsics[2],
      intrinsics[1] * (y * radial + p1 * (r2 + T(2) * y * y) + T(2) * p2 * x * y) + intrinsics[3]};
}

inline Eigen::Vector2d Project(const Camera& camera, const Eigen::Vector3d& p_C) {
  return Project(camera.intrinsics.data(), p_C);
}

/// The ray (x, y) = (X/Z, Y/Z) seen at a pixel: inverse of Project by Newton's method, to 1e-12.
/// NaN where the model does not invert (beyond the fold of the distortion).
Eigen::Vector2d Unproject(const Camera& camera, const Eigen::Vector2d& pixel);

/// p_A = X * p_B with X = {R, t}.
struct Pose {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Eigen::Vector3d t = Eigen::Vector3d::Zero();
  Eigen::Vector3d operator*(const Eigen::Vector3d& p) const { return R * p + t; }
  Pose operator*(const Pose& other) const { return {R * other.R, R * other.t + t}; }
  Pose Inverse() const { return {R.transpose(), -R.transpose() * t}; }
};

/// R = exp([rotation]x): turns by |rotation| about its direction (Rodrigues).
Eigen::Matrix3d RotationFromVector(const Eigen::Vector3d& rotation);

}  // namespace percuss::calibration
