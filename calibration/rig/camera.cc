// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/rig/camera.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

namespace percuss::calibration {
namespace {

// The distorted ray (x', y') of a ray (x, y), its derivative by the ray and by the coefficients.
struct Distortion {
  Eigen::Vector2d ray;
  Eigen::Matrix2d by_ray;
  Eigen::Matrix<double, 2, kNumIntrinsics - 4> by_coefficients;
};

// Fills the part of (x', y') = scale(r2) (x, y), given scale and its derivative.
void ScaleRay(const Eigen::Vector2d& ray, double scale, double scale_by_r2, Distortion* out) {
  out->ray = scale * ray;
  out->by_ray = scale * Eigen::Matrix2d::Identity() + 2.0 * scale_by_r2 * ray * ray.transpose();
}

Distortion DistortFisheye(const double* k, const Eigen::Vector2d& ray) {
  Distortion out;
  out.by_coefficients.setZero();
  const double r2 = ray.squaredNorm();
  constexpr double kSmall = 1e-10;
  if (r2 < kSmall) {
    ScaleRay(ray, 1.0 + r2 * (k[0] - 1.0 / 3.0), k[0] - 1.0 / 3.0, &out);
    out.by_coefficients.col(0) = r2 * ray;
    return out;
  }
  const double r = std::sqrt(r2), a = std::atan(r), a2 = a * a;
  const double bent = a * (1.0 + a2 * (k[0] + a2 * (k[1] + a2 * (k[2] + a2 * k[3]))));
  const double bent_by_a =
      1.0 + a2 * (3.0 * k[0] + a2 * (5.0 * k[1] + a2 * (7.0 * k[2] + a2 * 9.0 * k[3])));
  const double scale = bent / r;
  ScaleRay(ray, scale, (bent_by_a / (1.0 + r2) - scale) / (2.0 * r2), &out);
  double power = a * a2;
  for (int c = 0; c < 4; ++c, power *= a2) out.by_coefficients.col(c) = power / r * ray;
  return out;
}

// Brown's model, with a denominator where there is one.
Distortion DistortRational(const double* k, const Eigen::Vector2d& ray) {
  Distortion out;
  const double x = ray.x(), y = ray.y(), r2 = ray.squaredNorm();
  const double top = 1.0 + r2 * (k[0] + r2 * (k[1] + r2 * k[4]));
  const double below = 1.0 + r2 * (k[5] + r2 * (k[6] + r2 * k[7]));
  const double top_by_r2 = k[0] + r2 * (2.0 * k[1] + 3.0 * r2 * k[4]);
  const double below_by_r2 = k[5] + r2 * (2.0 * k[6] + 3.0 * r2 * k[7]);
  const double scale = top / below;
  ScaleRay(ray, scale, (top_by_r2 - scale * below_by_r2) / below, &out);
  const double p1 = k[2], p2 = k[3];
  out.ray += Eigen::Vector2d(2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
                             p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y);
  const double mixed = 2.0 * p1 * x + 2.0 * p2 * y;
  out.by_ray(0, 0) += 2.0 * p1 * y + 6.0 * p2 * x;
  out.by_ray(0, 1) += mixed;
  out.by_ray(1, 0) += mixed;
  out.by_ray(1, 1) += 6.0 * p1 * y + 2.0 * p2 * x;
  const double r4 = r2 * r2, r6 = r4 * r2;
  out.by_coefficients.col(0) = r2 / below * ray;
  out.by_coefficients.col(1) = r4 / below * ray;
  out.by_coefficients.col(2) << 2.0 * x * y, r2 + 2.0 * y * y;
  out.by_coefficients.col(3) << r2 + 2.0 * x * x, 2.0 * x * y;
  out.by_coefficients.col(4) = r6 / below * ray;
  out.by_coefficients.col(5) = -scale * r2 / below * ray;
  out.by_coefficients.col(6) = -scale * r4 / below * ray;
  out.by_coefficients.col(7) = -scale * r6 / below * ray;
  return out;
}

Distortion Distort(const Camera& camera, const Eigen::Vector2d& ray) {
  const double* k = camera.intrinsics.data() + 4;
  if (camera.lens == LensModel::kFisheye) return DistortFisheye(k, ray);
  Distortion out = DistortRational(k, ray);
  if (camera.lens == LensModel::kBrown) out.by_coefficients.rightCols<3>().setZero();
  return out;
}

Eigen::Vector2d NoRay() {
  return Eigen::Vector2d::Constant(std::numeric_limits<double>::quiet_NaN());
}

// The angle a in [0, 90 deg) with a (1 + k1 a^2 + ...) = bent, NaN beyond the fold.
double AngleOfBent(const double* k, double bent) {
  constexpr double kTolerance = 1e-14, kRightAngle = 1.5707963267948966;
  constexpr int kMaxIterations = 50;
  double a = std::min(bent, 1.5);
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const double a2 = a * a;
    const double error = a * (1.0 + a2 * (k[0] + a2 * (k[1] + a2 * (k[2] + a2 * k[3])))) - bent;
    const double slope =
        1.0 + a2 * (3.0 * k[0] + a2 * (5.0 * k[1] + a2 * (7.0 * k[2] + a2 * 9.0 * k[3])));
    if (!(slope > 0.0)) break;
    if (std::abs(error) <= kTolerance * (1.0 + bent)) return a;
    a = std::clamp(a - error / slope, 0.0, kRightAngle - 1e-9);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::span<const std::string_view> DistortionNames(LensModel lens) {
  static constexpr std::array<std::string_view, 8> kRational = {"k1", "k2", "p1", "p2",
                                                                "k3", "k4", "k5", "k6"};
  static constexpr std::array<std::string_view, 4> kFisheye = {"k1", "k2", "k3", "k4"};
  if (lens == LensModel::kFisheye) return kFisheye;
  return std::span(kRational).first(lens == LensModel::kBrown ? 5 : 8);
}

Projection ProjectWithDerivatives(const Camera& camera, const Eigen::Vector3d& p_C) {
  const double inverse_z = 1.0 / p_C.z();
  const Eigen::Vector2d ray = inverse_z * p_C.head<2>();
  const Distortion distortion = Distort(camera, ray);
  const auto& c = camera.intrinsics;
  const Eigen::Vector2d focal(c[0], c[1]);
  Projection out;
  out.pixel = focal.cwiseProduct(distortion.ray) + Eigen::Vector2d(c[2], c[3]);
  const Eigen::Matrix2d by_ray = focal.asDiagonal() * distortion.by_ray;
  out.by_point.leftCols<2>() = inverse_z * by_ray;
  out.by_point.col(2) = -inverse_z * (by_ray * ray);
  out.by_intrinsics.leftCols<4>() << distortion.ray.x(), 0.0, 1.0, 0.0,  //
      0.0, distortion.ray.y(), 0.0, 1.0;
  out.by_intrinsics.rightCols<kNumIntrinsics - 4>() =
      focal.asDiagonal() * distortion.by_coefficients;
  return out;
}

Eigen::Vector2d Unproject(const Camera& camera, const Eigen::Vector2d& pixel) {
  const auto& c = camera.intrinsics;
  const Eigen::Vector2d target =
      (pixel - Eigen::Vector2d(c[2], c[3])).cwiseQuotient(Eigen::Vector2d(c[0], c[1]));
  if (camera.lens == LensModel::kFisheye) {
    const double bent = target.norm();
    if (!(bent > 0.0)) return bent == 0.0 ? target : NoRay();
    return std::tan(AngleOfBent(c.data() + 4, bent)) / bent * target;
  }
  constexpr double kTolerance = 1e-13;
  constexpr int kMaxIterations = 50;
  Eigen::Vector2d ray = target;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Distortion distortion = Distort(camera, ray);
    const Eigen::Vector2d error = distortion.ray - target;
    const Eigen::Matrix2d& jacobian = distortion.by_ray;
    // Up to the fold the distorted radius grows with the radius; a ray beyond it is another
    // solution of the same equations, but not what the lens shows.
    if (!(jacobian.determinant() > 0.0) || !(jacobian.trace() > 0.0)) break;
    if (error.norm() <= kTolerance * (1.0 + target.norm())) return ray;
    const Eigen::Vector2d step = jacobian.inverse() * error;
    // Halve steps that do not help: near the fold Newton's full step leaps over it.
    double scale = 1.0;
    while (scale > 1e-6 &&
           !((Distort(camera, ray - scale * step).ray - target).norm() < error.norm())) {
      scale *= 0.5;
    }
    if (scale <= 1e-6) {
      // The last digits: no step improves what rounding allows.
      if (error.norm() <= 1e-12) return ray;
      break;
    }
    ray -= scale * step;
  }
  return NoRay();
}

Eigen::Matrix3d RotationFromVector(const Eigen::Vector3d& rotation) {
  const double angle = rotation.norm();
  if (!(angle > 0.0)) return Eigen::Matrix3d::Identity();
  return Eigen::AngleAxisd(angle, rotation / angle).toRotationMatrix();
}

Pose Moved(const Pose& pose, const Eigen::Ref<const Eigen::Matrix<double, 6, 1>>& step) {
  // Through a quaternion, so that many small steps do not wear the rotation off.
  const Eigen::Quaterniond q(RotationFromVector(step.head<3>()) * pose.R);
  return {q.normalized().toRotationMatrix(), pose.t + step.tail<3>()};
}

}  // namespace percuss::calibration
