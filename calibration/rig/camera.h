// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <span>
#include <string_view>

#include "capture/experiment/lens_model.h"

namespace percuss::calibration {

using capture::LensModel;

/// Places for intrinsic parameters: fx, fy, cx, cy [px], then the distortion coefficients in the
/// order of OpenCV: k1 k2 p1 p2 k3 (brown), k1 k2 p1 p2 k3 k4 k5 k6 (rational) or k1 k2 k3 k4
/// (fisheye). Places that a model does not have are 0.
inline constexpr int kNumIntrinsics = 12;

struct Camera {
  int width = 0, height = 0;  ///< [px]
  LensModel lens = LensModel::kBrown;
  std::array<double, kNumIntrinsics> intrinsics{};
};

/// Names of the distortion coefficients of a model, as many as it has: {"k1", "k2", ...}.
std::span<const std::string_view> DistortionNames(LensModel lens);

/// Pixel of a point in camera axes (x right, y down, z forward) [m]:
///
///     x = X/Z, y = Y/Z, r2 = x^2 + y^2,   px = fx x' + cx,   py = fy y' + cy
///     brown, rational:
///       radial = (1 + k1 r2 + k2 r2^2 + k3 r2^3) / (1 + k4 r2 + k5 r2^2 + k6 r2^3)
///       x' = x radial + 2 p1 x y + p2 (r2 + 2 x^2),  y' = y radial + p1 (r2 + 2 y^2) + 2 p2 x y
///     fisheye:
///       a = atan(r),  (x', y') = (x, y) / r * a (1 + k1 a^2 + k2 a^4 + k3 a^6 + k4 a^8)
///
/// Pixel (0,0) is the centre of the top-left pixel. The caller sees to Z > 0.
template <typename T>
Eigen::Matrix<T, 2, 1> Project(LensModel lens, const T* intrinsics,
                               const Eigen::Matrix<T, 3, 1>& p_C) {
  using std::atan;
  using std::sqrt;
  const T x = p_C[0] / p_C[2], y = p_C[1] / p_C[2];
  const T r2 = x * x + y * y;
  const T* k = intrinsics + 4;
  T scale, x_tangential(0), y_tangential(0);
  if (lens == LensModel::kFisheye) {
    constexpr double kSmall = 1e-10;  // below it the second-order series is exact to rounding
    if (r2 < T(kSmall)) {
      scale = T(1) + r2 * (k[0] - T(1.0 / 3.0));
    } else {
      const T r = sqrt(r2), a = atan(r), a2 = a * a;
      scale = a * (T(1) + a2 * (k[0] + a2 * (k[1] + a2 * (k[2] + a2 * k[3])))) / r;
    }
  } else {
    scale = T(1) + r2 * (k[0] + r2 * (k[1] + r2 * k[4]));
    if (lens == LensModel::kRational) {
      scale = scale / (T(1) + r2 * (k[5] + r2 * (k[6] + r2 * k[7])));
    }
    x_tangential = T(2) * k[2] * x * y + k[3] * (r2 + T(2) * x * x);
    y_tangential = k[2] * (r2 + T(2) * y * y) + T(2) * k[3] * x * y;
  }
  return {intrinsics[0] * (x * scale + x_tangential) + intrinsics[2],
          intrinsics[1] * (y * scale + y_tangential) + intrinsics[3]};
}

inline Eigen::Vector2d Project(const Camera& camera, const Eigen::Vector3d& p_C) {
  return Project(camera.lens, camera.intrinsics.data(), p_C);
}

/// Project with its derivatives; columns of places that the model does not have are 0.
struct Projection {
  Eigen::Vector2d pixel;
  Eigen::Matrix<double, 2, 3> by_point;
  Eigen::Matrix<double, 2, kNumIntrinsics> by_intrinsics;
};
Projection ProjectWithDerivatives(const Camera& camera, const Eigen::Vector3d& p_C);

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

/// The pose turned by the first three numbers of `step` (R = exp([d]x) R) and shifted by the
/// others.
Pose Moved(const Pose& pose, const Eigen::Ref<const Eigen::Matrix<double, 6, 1>>& step);

}  // namespace percuss::calibration
