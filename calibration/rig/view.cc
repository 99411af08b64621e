// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/rig/view.h"

#include <algorithm>
#include <iterator>
#include <numbers>

namespace percuss::tracking {

Views ViewsOf(const calibration::RigCalibration& calibration) {
  Views views;
  for (std::size_t camera = 0; camera < calibration.cameras.size(); ++camera)
    views.push_back({calibration.cameras[camera].camera, calibration.CameraFromWorld(camera)});
  return views;
}

Views PairOf(const Views& views) {
  return {views.begin(), views.begin() + std::min<std::ptrdiff_t>(2, std::ssize(views))};
}

BandImage BandImageCentre(const Eigen::Vector3d& p, const Eigen::Vector3d& axis,
                          const Eigen::Vector3d& camera, double radius) {
  const double shift = 0.25 * std::numbers::pi * radius;
  const Eigen::Vector3d towards = camera - p;
  const double along = towards.dot(axis);
  const Eigen::Vector3d across = towards - along * axis;
  const double length = across.norm();
  const Eigen::Vector3d u = across / length;
  const Eigen::Matrix3d one = Eigen::Matrix3d::Identity();
  const Eigen::Matrix3d by_across = shift / length * (one - u * u.transpose());
  return {p + shift * u, one - by_across * (one - axis * axis.transpose()),
          -by_across * (axis * towards.transpose() + along * one), 0.25 * std::numbers::pi * u};
}

std::optional<ProjectedPoint> ProjectDisc(const View& view, const Eigen::Vector3d& p_W,
                                          const Eigen::Vector3d& n_W, double radius) {
  const Eigen::Matrix3d& R_CW = view.camera_from_world.R;
  const Eigen::Vector3d centre_C = view.camera_from_world * p_W;
  if (!(centre_C.z() > 1e-6)) return std::nullopt;
  const Eigen::Vector3d p_C = DiscImageCentre<double>(centre_C, R_CW * n_W, radius);
  const calibration::Projection projection = calibration::ProjectWithDerivatives(view.camera, p_C);
  return ProjectedPoint{projection.pixel, projection.by_point * R_CW};
}

bool InsideImage(const View& view, const Eigen::Vector2d& pixel) {
  return pixel.minCoeff() > 0.0 && pixel.x() < view.camera.width - 1 &&
         pixel.y() < view.camera.height - 1;
}

std::optional<TriangulatedPoint> Triangulate(const Views& views,
                                             const std::array<Eigen::Vector2d, 2>& pixels,
                                             const std::array<Eigen::Matrix2d, 2>& covariances) {
  const std::array<calibration::Sight, 2> sights = {
      {{views[0], pixels[0], covariances[0]}, {views[1], pixels[1], covariances[1]}}};
  return calibration::Triangulate(sights);
}

std::optional<TriangulatedPoint> PointInPlane(const View& view, const Eigen::Vector2d& pixel,
                                              const Eigen::Matrix2d& covariance, double value,
                                              int axis) {
  const calibration::Pose world_from_camera = view.camera_from_world.Inverse();
  const Eigen::Vector3d ray =
      world_from_camera.R * calibration::Unproject(view.camera, pixel).homogeneous();
  const double depth = (value - world_from_camera.t[axis]) / ray[axis];
  if (!(depth > 0.0) || !ray.allFinite()) return std::nullopt;
  TriangulatedPoint point;
  point.p_W = world_from_camera.t + depth * ray;
  point.p_W[axis] = value;
  const auto projected = ProjectPoint(view, point.p_W);
  if (!projected) return std::nullopt;
  const std::array<int, 2> others = {axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
  Eigen::Matrix2d by_place;
  by_place << projected->by_point.col(others[0]), projected->by_point.col(others[1]);
  const Eigen::Matrix2d inverse = by_place.inverse();
  if (!inverse.allFinite()) return std::nullopt;
  const Eigen::Matrix2d spread = inverse * covariance * inverse.transpose();
  for (const int row : {0, 1}) {
    for (const int column : {0, 1})
      point.covariance(others[row], others[column]) = spread(row, column);
  }
  return point;
}

}  // namespace percuss::tracking
