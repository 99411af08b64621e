// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>

#include "calibration/rig/camera.h"

namespace percuss::calibration {

/// A camera and where it stands. "World" is whatever frame all cameras are given in.
struct View {
  Camera camera;
  Pose camera_from_world;

  Eigen::Vector3d Centre() const { return camera_from_world.Inverse().t; }  ///< in W
};

/// Pixel of a world point and its derivative by that point; nothing if the point is not in front of
/// the camera.
struct ProjectedPoint {
  Eigen::Vector2d pixel;
  Eigen::Matrix<double, 2, 3> by_point;
};
std::optional<ProjectedPoint> ProjectPoint(const View& view, const Eigen::Vector3d& p_W);

/// What one camera sees of a point.
struct Sight {
  View view;
  Eigen::Vector2d pixel = Eigen::Vector2d::Zero();
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Identity();  ///< [px^2]
};

/// A world point from its pixels in two views or more: least squares of the reprojection error,
/// started from the point nearest to all rays.
struct TriangulatedPoint {
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();  ///< from the pixel covariances
  double error_px = 0.0;                                 ///< rms of the reprojection distances
};

/// Nothing if the rays are parallel, leave the lens model or meet behind a camera.
std::optional<TriangulatedPoint> Triangulate(std::span<const Sight> sights);

}  // namespace percuss::calibration
