// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/quality/uncertainty.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math/statistics.h"
#include "base/nan.h"

namespace percuss::calibration {
namespace {

constexpr int kVolumeSteps = 5;  // along each axis

}  // namespace

WorkingVolume VolumeOf(const Bundle& bundle, const RigCalibration& rig) {
  WorkingVolume volume;
  volume.lowest = Eigen::Vector3d::Constant(std::numeric_limits<double>::infinity());
  volume.highest = -volume.lowest;
  std::vector<std::vector<double>> distance(bundle.cameras.size());
  const std::vector<Eigen::Vector3d> board = ShapedBoard(bundle);
  for (const TargetView& view : bundle.views) {
    const Pose first_from_board = view.board_from_first.Inverse();
    for (std::size_t k = 0; k < board.size(); ++k) {
      const Eigen::Vector3d p_F = first_from_board * board[k];
      bool seen = false;
      for (std::size_t c = 0; c < bundle.cameras.size(); ++c) {
        if (view.images[c].used.empty() || view.images[c].used[k] == 0) continue;
        distance[c].push_back((bundle.camera_from_first[c] * p_F).z());
        seen = true;
      }
      if (!seen) continue;
      const Eigen::Vector3d p_W = rig.world_from_first * p_F;
      volume.lowest = volume.lowest.cwiseMin(p_W);
      volume.highest = volume.highest.cwiseMax(p_W);
    }
  }
  if (rig.planar) volume.lowest.y() = volume.highest.y() = 0.0;
  for (std::vector<double>& of_camera : distance) {
    volume.distance.push_back(of_camera.empty() ? kNaN : Median(std::move(of_camera)));
  }
  const Eigen::Vector3d step = (volume.highest - volume.lowest) / (kVolumeSteps - 1);
  for (int place = 0; place < kVolumeSteps * kVolumeSteps * kVolumeSteps; ++place) {
    const Eigen::Vector3d p_W =
        volume.lowest +
        step.cwiseProduct(Eigen::Vector3d(place % kVolumeSteps, place / kVolumeSteps % kVolumeSteps,
                                          place / kVolumeSteps / kVolumeSteps));
    int num_seen = 0;
    for (std::size_t c = 0; c < rig.cameras.size(); ++c) num_seen += Sees(rig, c, p_W);
    if (num_seen >= std::min<int>(2, static_cast<int>(rig.cameras.size()))) {
      volume.points.push_back(p_W);
    }
  }
  return volume;
}

ImageMap ProjectionSigma(const RigCalibration& rig, const WorkingVolume& volume,
                         std::size_t camera) {
  const Camera& lens = rig.cameras[camera].camera;
  const Pose world_from_camera = rig.CameraFromWorld(camera).Inverse();
  ImageMap map = RasterOf(lens);
  for (std::size_t k = 0; k < map.pixels.size(); ++k) {
    const Eigen::Vector2d ray = Unproject(lens, map.pixels[k]);
    if (!ray.allFinite()) continue;
    const Eigen::Vector3d p_W =
        world_from_camera * Eigen::Vector3d(volume.distance[camera] * ray.homogeneous());
    const auto jacobian = PixelByParameters(rig, camera, p_W);
    const Eigen::Matrix2d covariance = jacobian * rig.covariance * jacobian.transpose();
    map.values[k] =
        std::sqrt(Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d>(covariance).eigenvalues()[1]);
  }
  return map;
}

std::vector<double> PointSigma(const RigCalibration& rig, const WorkingVolume& volume) {
  std::vector<double> sigmas;
  for (const Eigen::Vector3d& p_W : volume.points) {
    const auto jacobian = PointByParameters(rig, p_W);
    sigmas.push_back(std::sqrt((jacobian * rig.covariance * jacobian.transpose()).trace()));
  }
  return sigmas;
}

PredictedError PredictError(const RigCalibration& rig, const WorkingVolume& volume) {
  PredictedError predicted{
      .projection_sigma_px = {}, .volume_lowest = volume.lowest, .volume_highest = volume.highest};
  for (std::size_t c = 0; c < rig.cameras.size(); ++c) {
    predicted.projection_sigma_px.push_back(ProjectionSigma(rig, volume, c));
  }
  const std::vector<double> sigmas = PointSigma(rig, volume);
  if (sigmas.empty()) return predicted;
  predicted.point_sigma_worst = *std::max_element(sigmas.begin(), sigmas.end());
  predicted.point_sigma_median = Median(sigmas);
  return predicted;
}

}  // namespace percuss::calibration
