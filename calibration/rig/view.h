// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <vector>

#include "calibration/rig/rig_calibration.h"
#include "calibration/rig/triangulation.h"

namespace percuss::tracking {

using calibration::ProjectedPoint;
using calibration::ProjectPoint;
using calibration::TriangulatedPoint;
using calibration::View;

/// Left, right, and then further cameras; or the one camera.
using Views = std::vector<View>;
Views ViewsOf(const calibration::RigCalibration& calibration);
/// Left and right alone, or the one camera.
Views PairOf(const Views& views);

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

/// A band wound round a cylinder of a radius, about the point p of its axis: what of it a camera
/// sees has its centroid at p + pi/4 radius u, u the direction towards the camera across the axis
/// (the mean of radius cos(phi) over the half that faces it, as it appears: weighted by cos(phi)).
struct BandImage {
  Eigen::Vector3d place;
  Eigen::Matrix3d by_point, by_axis;  ///< derivatives by p and by the unit axis
  Eigen::Vector3d by_radius;
};
BandImage BandImageCentre(const Eigen::Vector3d& p, const Eigen::Vector3d& axis,
                          const Eigen::Vector3d& camera, double radius);

/// ProjectPoint for the centre of a round marker's image: `n_W` its unit normal, W axes.
std::optional<ProjectedPoint> ProjectDisc(const View& view, const Eigen::Vector3d& p_W,
                                          const Eigen::Vector3d& n_W, double radius);

bool InsideImage(const View& view, const Eigen::Vector2d& pixel);

/// calibration::Triangulate for two views.
std::optional<TriangulatedPoint> Triangulate(const Views& views,
                                             const std::array<Eigen::Vector2d, 2>& pixels,
                                             const std::array<Eigen::Matrix2d, 2>& covariances);

/// Where the ray through a pixel meets the plane on which a coordinate of W is `value`: nothing if
/// it leaves the lens model, or meets the plane behind the camera. The covariance knows nothing of
/// that coordinate.
/// @param axis 0, 1, 2 for x, y, z
std::optional<TriangulatedPoint> PointInPlane(const View& view, const Eigen::Vector2d& pixel,
                                              const Eigen::Matrix2d& covariance, double value,
                                              int axis = 1);

}  // namespace percuss::tracking
