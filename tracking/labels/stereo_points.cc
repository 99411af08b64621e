// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/labels/stereo_points.h"

#include <Eigen/Geometry>
#include <cmath>
#include <set>

namespace percuss::tracking {
namespace {

/// Spots as directions (x, y, 1) in their camera.
std::vector<Eigen::Vector3d> Directions(const View& view, const std::vector<Blob>& blobs) {
  std::vector<Eigen::Vector3d> directions;
  directions.reserve(blobs.size());
  for (const Blob& blob : blobs)
    directions.push_back(calibration::Unproject(view.camera, blob.centre).homogeneous());
  return directions;
}

/// E with x_right^T E x_left = 0 for two directions to one point.
Eigen::Matrix3d EssentialMatrix(const Views& views) {
  const calibration::Pose right_from_left =
      views[1].camera_from_world * views[0].camera_from_world.Inverse();
  Eigen::Matrix3d essential;
  for (int i = 0; i < 3; ++i) essential.col(i) = right_from_left.t.cross(right_from_left.R.col(i));
  return essential;
}

bool MayBeDisc(const Blob& blob, const View& view, const Eigen::Vector3d& p_W,
               double marker_diameter) {
  if (blob.marker >= 0) return true;  // a corner of a tag, by its code
  const double disc = FaceOnArea(view, p_W, marker_diameter);
  return !(blob.area >= 3.0 * disc || blob.area <= 0.03 * disc);  // an unknown one fits
}

}  // namespace

std::vector<StereoPoint> FindStereoPoints(const Views& views,
                                          const std::array<std::vector<Blob>, 2>& blobs,
                                          double marker_diameter, double max_epipolar_px) {
  const std::vector<Eigen::Vector3d> left = Directions(views[0], blobs[0]),
                                     right = Directions(views[1], blobs[1]);
  const Eigen::Matrix3d E = EssentialMatrix(views);
  // Sampson's distance tells at little cost which pairs are worth triangulating; a lens stretches
  // pixels by less than the factor of four.
  const double limit = 4.0 * max_epipolar_px /
                       std::min(views[0].camera.intrinsics[0], views[1].camera.intrinsics[0]);
  std::vector<Eigen::Vector3d> line_of_right;
  for (const Eigen::Vector3d& direction : right) line_of_right.push_back(E.transpose() * direction);
  std::vector<StereoPoint> points;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Eigen::Vector3d line = E * left[i];
    for (std::size_t j = 0; j < right.size(); ++j) {
      if (blobs[0][i].marker != blobs[1][j].marker) continue;
      const double error = right[j].dot(line);
      const double slope2 = line.head<2>().squaredNorm() + line_of_right[j].head<2>().squaredNorm();
      if (!(error * error <= limit * limit * slope2)) continue;
      const Eigen::Matrix2d equal = Eigen::Matrix2d::Identity();
      const auto point =
          Triangulate(views, {blobs[0][i].centre, blobs[1][j].centre}, {equal, equal});
      if (!point || point->error_px > max_epipolar_px) continue;
      if (!MayBeDisc(blobs[0][i], views[0], point->p_W, marker_diameter) ||
          !MayBeDisc(blobs[1][j], views[1], point->p_W, marker_diameter)) {
        continue;
      }
      points.push_back({{static_cast<int>(i), static_cast<int>(j)}, point->p_W});
    }
  }
  return points;
}

std::vector<StereoPoint> FindPlanePoints(const View& view, const std::vector<Blob>& blobs,
                                         const MarkerLayout& layout) {
  std::set<double> planes;
  for (const Eigen::Vector3d& p_BM : layout.p_BM) planes.insert(p_BM.y());
  const auto is_elsewhere = [&](const Blob& blob, double y) {
    return blob.marker >= 0 && layout.p_BM[blob.marker].y() != y;
  };
  std::vector<StereoPoint> points;
  for (const double y : planes) {
    for (std::size_t i = 0; i < blobs.size(); ++i) {
      if (is_elsewhere(blobs[i], y)) continue;
      const auto point = PointInPlane(view, blobs[i].centre, Eigen::Matrix2d::Identity(), y);
      if (point && MayBeDisc(blobs[i], view, point->p_W, layout.marker_diameter))
        points.push_back({{static_cast<int>(i), -1}, point->p_W});
    }
  }
  return points;
}

}  // namespace percuss::tracking
