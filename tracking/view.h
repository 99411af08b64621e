// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>

#include "calibration/stereo_calibration.h"

namespace percuss::tracking {

/// A camera and where it stands.
struct View {
  calibration::Camera camera;
  calibration::Pose camera_from_world;

  Eigen::Vector3d Centre() const { return camera_from_world.Inverse().t; }  ///< in W
};

/// Left and right.
using StereoViews = std::array<View, 2>;
StereoViews ViewsOf(const calibration::StereoCalibration& calibration);

/// Pixel of a world point and its derivative by that point; nothing if the point is not in front of
/// the camera.
struct ProjectedPoint {
  Eigen::Vector2d pixel;
  Eigen::Matrix<double, 2, 3> by_point;
};
std::optional<ProjectedPoint> ProjectPoint(const View& view, const Eigen::Vector3d& p_W);

/// A world point from its pixels in both views: least squares of the reprojection error, started
/// from the midpoint of the two rays.
struct TriangulatedPoint {
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();  ///< from the pixel covariances
  double error_px = 0.0;                                 ///< rms of the two reprojection distances
};

/// Nothing if the rays are parallel, leave the lens model or meet behind a camera.
std::optional<TriangulatedPoint> Triangulate(const StereoViews& views,
                                             const std::array<Eigen::Vector2d, 2>& pixels,
                                             const std::array<Eigen::Matrix2d, 2>& covariances);

}  // namespace percuss::tracking
