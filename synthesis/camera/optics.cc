// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/camera/optics.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <stdexcept>

namespace percuss::synthesis {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

Matrix2d DistortDerivative(const Camera& c, const Vector2d& ray) {
  const double x = ray.x(), y = ray.y(), s = ray.squaredNorm();
  const double radial = 1.0 + s * (c.k1 + s * (c.k2 + s * c.k3));
  const double radial_ds = c.k1 + s * (2.0 * c.k2 + s * 3.0 * c.k3);
  const double mixed = 2.0 * x * y * radial_ds + 2.0 * (c.p1 * x + c.p2 * y);
  Matrix2d derivative;
  derivative << radial + 2.0 * x * x * radial_ds + 2.0 * c.p1 * y + 6.0 * c.p2 * x, mixed,  //
      mixed, radial + 2.0 * y * y * radial_ds + 6.0 * c.p1 * y + 2.0 * c.p2 * x;
  return derivative;
}

// Whether r (1 + k1 r^2 + ...) still rises everywhere from the axis to this ray.
bool BeforeFold(const Camera& c, double s) {
  constexpr int kSteps = 8;
  for (int k = 1; k <= kSteps; ++k) {
    const double part = s * k / kSteps;
    if (!(1.0 + part * (3.0 * c.k1 + part * (5.0 * c.k2 + part * 7.0 * c.k3)) > 0.0)) return false;
  }
  return true;
}

}  // namespace

Camera Turned(Camera camera, const Vector3d& rotation) {
  const double angle = rotation.norm();
  if (angle == 0.0) return camera;
  const Matrix3d R = Eigen::AngleAxisd(angle, rotation / angle).toRotationMatrix();
  camera.R_CW = R * camera.R_CW;
  camera.t_CW = R * camera.t_CW;
  return camera;
}

Matrix3d LookAt(const Vector3d& position, const Vector3d& target, double roll) {
  const Vector3d forward = target - position;
  const Vector3d right = forward.cross(Vector3d::UnitZ());
  if (!(right.norm() > 1e-6 * forward.norm()) || !(forward.norm() > 0.0)) {
    throw std::invalid_argument("LookAt: found a camera that looks along z, allowed any other");
  }
  const Vector3d z = forward.normalized(), x = right.normalized();
  Matrix3d R_CW;
  R_CW << x.transpose(), z.cross(x).transpose(), z.transpose();
  return Eigen::AngleAxisd(roll, Vector3d::UnitZ()).toRotationMatrix() * R_CW;
}

Vector2d Distort(const Camera& c, const Vector2d& ray) {
  const double x = ray.x(), y = ray.y(), s = ray.squaredNorm();
  const double radial = 1.0 + s * (c.k1 + s * (c.k2 + s * c.k3));
  return {x * radial + 2.0 * c.p1 * x * y + c.p2 * (s + 2.0 * x * x),
          y * radial + c.p1 * (s + 2.0 * y * y) + 2.0 * c.p2 * x * y};
}

std::optional<Vector2d> ProjectInCamera(const Camera& camera, const Vector3d& p_C) {
  if (!(p_C.z() > 0.0)) return {};
  const Vector2d ray = p_C.head<2>() / p_C.z();
  if (!BeforeFold(camera, ray.squaredNorm())) return {};
  const Vector2d distorted = Distort(camera, ray);
  return Vector2d(camera.fx * distorted.x() + camera.cx, camera.fy * distorted.y() + camera.cy);
}

std::optional<Vector2d> Project(const Camera& camera, const Vector3d& p_W) {
  return ProjectInCamera(camera, camera.R_CW * p_W + camera.t_CW);
}

std::optional<Vector2d> RayOf(const Camera& camera, const Vector2d& pixel) {
  const Vector2d goal((pixel.x() - camera.cx) / camera.fx, (pixel.y() - camera.cy) / camera.fy);
  Vector2d ray = goal;
  constexpr int kMaxSteps = 30;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Vector2d error = Distort(camera, ray) - goal;
    if (error.norm() < 1e-13) break;
    ray -= DistortDerivative(camera, ray).inverse() * error;
    if (!ray.allFinite()) return {};
  }
  const bool solved = (Distort(camera, ray) - goal).norm() < 1e-12;
  if (!solved || !BeforeFold(camera, ray.squaredNorm())) return {};
  return ray;
}

bool InImage(const Camera& camera, const Vector2d& pixel, double margin) {
  return pixel.x() >= margin && pixel.y() >= margin && pixel.x() <= camera.width - 1 - margin &&
         pixel.y() <= camera.height - 1 - margin;
}

Camera WithFinerPixels(Camera camera, int fineness) {
  camera.width *= fineness;
  camera.height *= fineness;
  camera.fx *= fineness;
  camera.fy *= fineness;
  // Places count from the middle of the first pixel.
  camera.cx = fineness * (camera.cx + 0.5) - 0.5;
  camera.cy = fineness * (camera.cy + 0.5) - 0.5;
  return camera;
}

PixelRays::PixelRays(const Camera& camera) : stride_(camera.width + 1) {
  corners_.reserve(static_cast<std::size_t>(stride_) * static_cast<std::size_t>(camera.height + 1));
  for (int y = 0; y <= camera.height; ++y) {
    for (int x = 0; x <= camera.width; ++x) {
      const std::optional<Vector2d> ray = RayOf(camera, {x - 0.5, y - 0.5});
      if (!ray) {
        throw std::invalid_argument(fmt::format(
            "PixelRays: found no ray for the corner of pixel ({}, {}), allowed a lens whose image "
            "fills the sensor",
            x, y));
      }
      corners_.push_back(*ray);
    }
  }
}

}  // namespace percuss::synthesis
