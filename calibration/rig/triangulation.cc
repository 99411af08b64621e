// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/rig/triangulation.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

namespace percuss::calibration {
namespace {

// The point with the least squared distance to all rays.
std::optional<Eigen::Vector3d> NearestToRays(std::span<const Sight> sights) {
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right_side = Eigen::Vector3d::Zero();
  for (const Sight& sight : sights) {
    const Eigen::Vector2d ray = Unproject(sight.view.camera, sight.pixel);
    if (!ray.allFinite()) return std::nullopt;
    const Eigen::Vector3d direction =
        (sight.view.camera_from_world.R.transpose() * ray.homogeneous()).normalized();
    const Eigen::Matrix3d across = Eigen::Matrix3d::Identity() - direction * direction.transpose();
    normal += across;
    right_side += across * sight.view.Centre();
  }
  const Eigen::LDLT<Eigen::Matrix3d> midpoint(normal);
  if (midpoint.vectorD().minCoeff() < 1e-6) return std::nullopt;  // rays within a milliradian
  return midpoint.solve(right_side);
}

}  // namespace

std::optional<ProjectedPoint> ProjectPoint(const View& view, const Eigen::Vector3d& p_W) {
  const Eigen::Vector3d p_C = view.camera_from_world * p_W;
  if (!(p_C.z() > 1e-6)) return std::nullopt;
  const Projection projection = ProjectWithDerivatives(view.camera, p_C);
  return ProjectedPoint{projection.pixel, projection.by_point * view.camera_from_world.R};
}

std::optional<TriangulatedPoint> Triangulate(std::span<const Sight> sights) {
  const std::optional<Eigen::Vector3d> start = NearestToRays(sights);
  if (!start) return std::nullopt;
  TriangulatedPoint point;
  point.p_W = *start;
  constexpr int kSteps = 2;  // Gauss-Newton from there is at rounding after two
  for (int step = 0; step <= kSteps; ++step) {
    Eigen::Matrix3d information = Eigen::Matrix3d::Zero();
    Eigen::Vector3d gradient = Eigen::Vector3d::Zero();
    double squared_error = 0.0;
    for (const Sight& sight : sights) {
      const auto projected = ProjectPoint(sight.view, point.p_W);
      if (!projected) return std::nullopt;
      const Eigen::Matrix2d weight = sight.covariance.inverse();
      const Eigen::Vector2d error = sight.pixel - projected->pixel;
      information += projected->by_point.transpose() * weight * projected->by_point;
      gradient += projected->by_point.transpose() * weight * error;
      squared_error += error.squaredNorm();
    }
    point.covariance = information.inverse();
    point.error_px = std::sqrt(squared_error / static_cast<double>(sights.size()));
    if (step < kSteps) point.p_W += point.covariance * gradient;
  }
  return point;
}

}  // namespace percuss::calibration
