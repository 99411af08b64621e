// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/camera.h"

#include <Eigen/LU>
#include <limits>

namespace percuss::calibration {
namespace {

// Derivative of the distorted by the undistorted ray (x, y).
Eigen::Matrix2d DistortionJacobian(const Camera& camera, const Eigen::Vector2d& ray) {
  const auto& c = camera.intrinsics;
  const double k1 = c[4], k2 = c[5], p1 = c[6], p2 = c[7], k3 = c[8];
  const double x = ray.x(), y = ray.y(), r2 = ray.squaredNorm();
  const double radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3));
  const double radial_by_r2 = k1 + r2 * (2.0 * k2 + 3.0 * r2 * k3);
  const double mixed = 2.0 * x * y * radial_by_r2 + 2.0 * p1 * x + 2.0 * p2 * y;
  Eigen::Matrix2d jacobian;
  jacobian << radial + 2.0 * x * x * radial_by_r2 + 2.0 * p1 * y + 6.0 * p2 * x, mixed,  //
      mixed, radial + 2.0 * y * y * radial_by_r2 + 6.0 * p1 * y + 2.0 * p2 * x;
  return jacobian;
}

}  // namespace

Eigen::Vector2d Unproject(const Camera& camera, const Eigen::Vector2d& pixel) {
  const auto& c = camera.intrinsics;
  const Eigen::Vector2d focal(c[0], c[1]);
  const Eigen::Vector2d target =
      (pixel - Eigen::Vector2d(c[2], c[3])).cwiseQuotient(focal);  // distorted ray
  const auto distorted = [&](const Eigen::Vector2d& ray) -> Eigen::Vector2d {
    return (Project(camera, ray.homogeneous()) - Eigen::Vector2d(c[2], c[3])).cwiseQuotient(focal);
  };
  constexpr double kTolerance = 1e-13;
  constexpr int kMaxIterations = 50;
  Eigen::Vector2d ray = target;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Eigen::Vector2d error = distorted(ray) - target;
    const Eigen::Matrix2d jacobian = DistortionJacobian(camera, ray);
    // Up to the fold the distorted radius grows with the radius; a ray beyond it is another
    // solution of the same equations, but not what the lens shows.
    if (!(jacobian.determinant() > 0.0) || !(jacobian.trace() > 0.0)) break;
    const Eigen::Vector2d step = jacobian.inverse() * error;
    if (error.norm() <= kTolerance * (1.0 + target.norm())) return ray;
    // Halve steps that do not help: near the fold Newton's full step leaps over it.
    double scale = 1.0;
    while (scale > 1e-6 && !((distorted(ray - scale * step) - target).norm() < error.norm())) {
      scale *= 0.5;
    }
    if (scale <= 1e-6) {
      // The last digits: no step improves what rounding allows.
      if (error.norm() <= 1e-12) return ray;
      break;
    }
    ray -= scale * step;
  }
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  return {kNan, kNan};
}

Eigen::Matrix3d RotationFromVector(const Eigen::Vector3d& rotation) {
  const double angle = rotation.norm();
  if (!(angle > 0.0)) return Eigen::Matrix3d::Identity();
  return Eigen::AngleAxisd(angle, rotation / angle).toRotationMatrix();
}

}  // namespace percuss::calibration
