// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/view.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <cmath>

namespace percuss::tracking {
namespace {

/// d(pixel) / d(point in camera axes) of calibration::Project.
Eigen::Matrix<double, 2, 3> ProjectionJacobian(const calibration::Camera& camera,
                                               const Eigen::Vector3d& p_C) {
  const auto& k = camera.intrinsics;
  const double iz = 1.0 / p_C.z(), x = p_C.x() * iz, y = p_C.y() * iz;
  const double r2 = x * x + y * y;
  const double radial = 1.0 + r2 * (k[4] + r2 * (k[5] + r2 * k[8]));
  const double radial_by_r2 = k[4] + r2 * (2.0 * k[5] + 3.0 * r2 * k[8]);
  const double p1 = k[6], p2 = k[7];
  Eigen::Matrix2d by_ray;
  by_ray(0, 0) = k[0] * (radial + 2.0 * x * x * radial_by_r2 + 2.0 * p1 * y + 6.0 * p2 * x);
  by_ray(0, 1) = k[0] * (2.0 * x * y * radial_by_r2 + 2.0 * p1 * x + 2.0 * p2 * y);
  by_ray(1, 0) = k[1] * (2.0 * x * y * radial_by_r2 + 2.0 * p1 * x + 2.0 * p2 * y);
  by_ray(1, 1) = k[1] * (radial + 2.0 * y * y * radial_by_r2 + 6.0 * p1 * y + 2.0 * p2 * x);
  Eigen::Matrix<double, 2, 3> ray_by_point;
  ray_by_point << iz, 0.0, -x * iz, 0.0, iz, -y * iz;
  return by_ray * ray_by_point;
}

}  // namespace

StereoViews ViewsOf(const calibration::StereoCalibration& calibration) {
  const calibration::Pose left_from_world = calibration.world_from_left.Inverse();
  return {View{calibration.left, left_from_world},
          View{calibration.right, calibration.right_from_left * left_from_world}};
}

std::optional<ProjectedPoint> ProjectPoint(const View& view, const Eigen::Vector3d& p_W) {
  const Eigen::Vector3d p_C = view.camera_from_world * p_W;
  if (!(p_C.z() > 1e-6)) return std::nullopt;
  return ProjectedPoint{calibration::Project(view.camera, p_C),
                        ProjectionJacobian(view.camera, p_C) * view.camera_from_world.R};
}

std::optional<ProjectedPoint> ProjectDisc(const View& view, const Eigen::Vector3d& p_W,
                                          const Eigen::Vector3d& n_W, double radius) {
  const Eigen::Matrix3d& R_CW = view.camera_from_world.R;
  const Eigen::Vector3d centre_C = view.camera_from_world * p_W;
  if (!(centre_C.z() > 1e-6)) return std::nullopt;
  const Eigen::Vector3d p_C = DiscImageCentre<double>(centre_C, R_CW * n_W, radius);
  return ProjectedPoint{calibration::Project(view.camera, p_C),
                        ProjectionJacobian(view.camera, p_C) * R_CW};
}

std::optional<TriangulatedPoint> Triangulate(const StereoViews& views,
                                             const std::array<Eigen::Vector2d, 2>& pixels,
                                             const std::array<Eigen::Matrix2d, 2>& covariances) {
  // Midpoint: the point with the least squared distance to both rays.
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right_side = Eigen::Vector3d::Zero();
  for (std::size_t side = 0; side < 2; ++side) {
    const Eigen::Vector2d ray = calibration::Unproject(views[side].camera, pixels[side]);
    if (!ray.allFinite()) return std::nullopt;
    const Eigen::Vector3d direction =
        (views[side].camera_from_world.R.transpose() * Eigen::Vector3d(ray.x(), ray.y(), 1.0))
            .normalized();
    const Eigen::Matrix3d across = Eigen::Matrix3d::Identity() - direction * direction.transpose();
    normal += across;
    right_side += across * views[side].Centre();
  }
  const Eigen::LDLT<Eigen::Matrix3d> midpoint(normal);
  if (midpoint.vectorD().minCoeff() < 1e-6) return std::nullopt;  // rays within a milliradian
  TriangulatedPoint point;
  point.p_W = midpoint.solve(right_side);

  for (int iteration = 0; iteration < 3; ++iteration) {
    Eigen::Matrix3d information = Eigen::Matrix3d::Zero();
    Eigen::Vector3d gradient = Eigen::Vector3d::Zero();
    double squared_error = 0.0;
    for (std::size_t side = 0; side < 2; ++side) {
      const auto projected = ProjectPoint(views[side], point.p_W);
      if (!projected) return std::nullopt;
      const Eigen::Matrix2d weight = covariances[side].inverse();
      const Eigen::Vector2d error = pixels[side] - projected->pixel;
      information += projected->by_point.transpose() * weight * projected->by_point;
      gradient += projected->by_point.transpose() * weight * error;
      squared_error += error.squaredNorm();
    }
    point.covariance = information.inverse();
    point.error_px = std::sqrt(0.5 * squared_error);
    if (iteration < 2) point.p_W += point.covariance * gradient;
  }
  return point;
}

}  // namespace percuss::tracking
