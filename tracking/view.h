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

/// The point whose image is the centre of the image of a round marker, in camera axes [m].
///
/// The image of a disc is an ellipse whose centre, where the centroid of its light lies, is not the
/// image of the disc's centre c: perspective draws the nearer half larger. The dual conic c c^T -
/// a^2 (I - n n^T) of the disc of radius a and unit normal n (R. Hartley, A. Zisserman, Multiple
/// View Geometry, 2004, 8.2) has its centre at the image of
///     c + a^2 / c_z (n_z n - e_z).
/// @param p_C centre, @param n_C unit normal, both in camera axes.
template <typename T>
Eigen::Matrix<T, 3, 1> DiscImageCentre(const Eigen::Matrix<T, 3, 1>& p_C,
                                       const Eigen::Matrix<T, 3, 1>& n_C, double radius) {
  Eigen::Matrix<T, 3, 1> shift = n_C * n_C[2];
  shift[2] -= T(1);
  return p_C + shift * (T(radius * radius) / p_C[2]);
}

/// ProjectPoint for the centre of a round marker's image: `n_W` its unit normal, W axes.
std::optional<ProjectedPoint> ProjectDisc(const View& view, const Eigen::Vector3d& p_W,
                                          const Eigen::Vector3d& n_W, double radius);

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
