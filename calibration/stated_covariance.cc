// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/stated_covariance.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/error.h"
#include "base/math/geometry.h"
#include "base/math/statistics.h"
#include "calibration/bundle/bundle_adjustment.h"
#include "calibration/rig/rig_calibration.h"

namespace percuss::calibration {
namespace {

/// Median depth of the board's points in a camera [m].
double BoardDepth(const Bundle& bundle, std::size_t camera) {
  const Pose camera_from_board =
      bundle.camera_from_first[camera] * bundle.views.front().board_from_first.Inverse();
  std::vector<double> depths;
  for (const Eigen::Vector3d& point : bundle.board)
    depths.push_back((camera_from_board * point).z());
  return Median(std::move(depths));
}

Eigen::Vector3d MeanOf(const std::vector<Eigen::Vector3d>& points) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& point : points) sum += point;
  return sum / static_cast<double>(points.size());
}

/// What a camera sees of a board: the points within its picture, none if too few.
TargetImage ImageOf(const Bundle& bundle, const TargetView& view, std::size_t camera) {
  constexpr int kLeastPoints = 6;
  const Camera& lens = bundle.cameras[camera];
  const Pose camera_from_board = bundle.camera_from_first[camera] * view.board_from_first.Inverse();
  TargetImage image;
  int num_used = 0;
  for (const Eigen::Vector3d& point : bundle.board) {
    const Eigen::Vector3d p = camera_from_board * point;
    const Eigen::Vector2d pixel = p.z() > 0.0 ? Project(lens, p) : Eigen::Vector2d(-1.0, -1.0);
    bool seen = pixel.x() >= 0.0 && pixel.y() >= 0.0 && pixel.x() <= lens.width - 1.0 &&
                pixel.y() <= lens.height - 1.0;
    // Beyond the fold of its distortion a lens model shows places that the lens does not.
    seen = seen && (Unproject(lens, pixel) - p.head<2>() / p.z()).norm() < 1e-6;
    image.pixels.push_back(pixel);
    image.used.push_back(static_cast<char>(seen));
    num_used += seen;
  }
  return num_used < kLeastPoints ? TargetImage{} : image;
}

/// The board at a place in axes of the first camera, facing the cameras but for a tilt.
Pose FacingBoard(const Bundle& bundle, const Eigen::Vector3d& place, double tilt_direction) {
  constexpr double kTilt = 30.0 * std::numbers::pi / 180.0;
  std::vector<Eigen::Vector3d> centres;
  for (const Pose& pose : bundle.camera_from_first) centres.push_back(pose.Inverse().t);
  const Eigen::Vector3d z = (MeanOf(centres) - place).normalized();
  const Eigen::Vector3d x = (Eigen::Vector3d::UnitX() - z.x() * z).normalized();
  Eigen::Matrix3d facing;
  facing << x, z.cross(x), z;
  const Eigen::Vector3d axis(std::cos(tilt_direction), std::sin(tilt_direction), 0.0);
  const Eigen::Matrix3d R = facing * Eigen::AngleAxisd(kTilt, axis).toRotationMatrix();
  return {R.transpose(), MeanOf(bundle.board) - R.transpose() * place};
}

/// Exact pictures of boards all over the pictures of all cameras.
Bundle WithBoardsAllOver(const Bundle& surface) {
  constexpr int kColumns = 4, kRows = 3;
  static constexpr double kDistances[] = {0.8, 1.0, 1.25};
  constexpr double kDirection = std::numbers::pi / 3.0;
  Bundle bundle = surface;
  bundle.disc_radius = 0.0;
  bundle.distances.clear();
  bundle.views.clear();
  for (std::size_t c = 0; c < bundle.cameras.size(); ++c) {
    const Camera& camera = bundle.cameras[c];
    const double depth = BoardDepth(surface, c);
    for (int k = 0; k < kColumns * kRows; ++k) {
      const Eigen::Vector2d ray = Unproject(camera, {camera.width * (k % kColumns + 0.5) / kColumns,
                                                     camera.height * (k / kColumns + 0.5) / kRows});
      if (!ray.allFinite()) continue;
      const Eigen::Vector3d place = bundle.camera_from_first[c].Inverse() *
                                    (kDistances[k % 3] * depth * ray.homogeneous()).eval();
      TargetView view;
      view.board_from_first = FacingBoard(bundle, place, k * kDirection);
      bool seen = false;
      for (std::size_t other = 0; other < bundle.cameras.size(); ++other) {
        view.images.push_back(ImageOf(bundle, view, other));
        seen = seen || !view.images.back().pixels.empty();
      }
      if (seen) bundle.views.push_back(std::move(view));
    }
  }
  return bundle;
}

}  // namespace

double ProjectionRms(const Bundle& surface, const Eigen::MatrixXd& covariance) {
  const ParameterPlaces places{static_cast<int>(surface.cameras.size())};
  double sum = 0.0;
  int count = 0;
  for (int c = 0; c < places.num_cameras; ++c) {
    const Camera& camera = surface.cameras[c];
    const double depth = BoardDepth(surface, c);
    for (const Eigen::Vector2d& pixel : RasterOf(camera).pixels) {
      const Eigen::Vector2d ray = Unproject(camera, pixel);
      if (!ray.allFinite()) continue;
      const Eigen::Vector3d p_C = depth * ray.homogeneous();
      const Projection projection = ProjectWithDerivatives(camera, p_C);
      Eigen::MatrixXd by = Eigen::MatrixXd::Zero(2, places.World());
      by.middleCols<kNumIntrinsics>(places.Intrinsics(c)) = projection.by_intrinsics;
      if (c > 0) {
        const Eigen::Vector3d turned = p_C - surface.camera_from_first[c].t;
        by.middleCols<3>(places.CameraPose(c)) = -projection.by_point * Skew(turned);
        by.middleCols<3>(places.CameraPose(c) + 3) = projection.by_point;
      }
      sum +=
          (by * covariance.topLeftCorner(places.World(), places.World()) * by.transpose()).trace();
      count += 2;
    }
  }
  return std::sqrt(sum / count);
}

Eigen::MatrixXd StatedCovariance(const Bundle& surface, double sigma_px) {
  constexpr int kRounds = 4;  // what is known of lenses beforehand does not grow with the noise
  Bundle bundle = WithBoardsAllOver(surface);
  const int size = ParameterPlaces{static_cast<int>(surface.cameras.size())}.World();
  bundle.pixel_sigma_px = sigma_px;
  Eigen::MatrixXd covariance;
  double rms = 0.0;
  for (int round = 0; round < kRounds; ++round) {
    if (bundle.views.size() > 2) covariance = BundleCovariance(bundle);
    if (covariance.size() == 0) {
      throw DataError(
          "calibration.sigma_px: pictures of this board, at the distance at which it lies on the "
          "surface, would not determine these cameras; needed is a larger board");
    }
    rms = ProjectionRms(surface, covariance);
    bundle.pixel_sigma_px *= sigma_px / rms;
  }
  return std::pow(sigma_px / rms, 2) * covariance.topLeftCorner(size, size);
}

}  // namespace percuss::calibration
