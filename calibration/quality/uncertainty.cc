// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/quality/uncertainty.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "calibration/rig/triangulation.h"

namespace percuss::calibration {
namespace {

constexpr int kMapColumns = 13, kMapRows = 9;
constexpr int kVolumeSteps = 5;  // along each axis
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Eigen::Matrix3d Skew(const Eigen::Vector3d& v) {
  Eigen::Matrix3d skew;
  skew << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return skew;
}

bool Sees(const RigCalibration& rig, std::size_t camera, const Eigen::Vector3d& p_W) {
  const Eigen::Vector3d p_C = rig.CameraFromWorld(camera) * p_W;
  if (!(p_C.z() > 0.0)) return false;
  const Camera& lens = rig.cameras[camera].camera;
  const Eigen::Vector2d pixel = Project(lens, p_C);
  return pixel.x() > -0.5 && pixel.y() > -0.5 && pixel.x() < lens.width - 0.5 &&
         pixel.y() < lens.height - 0.5;
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Eigen::Matrix<double, 2, Eigen::Dynamic> PixelByParameters(const RigCalibration& rig,
                                                           std::size_t camera,
                                                           const Eigen::Vector3d& p_W) {
  const ParameterPlaces places = rig.Places();
  const int c = static_cast<int>(camera);
  const Pose& X_WF = rig.world_from_first;
  const Pose& X_CF = rig.cameras[camera].from_first;
  const Eigen::Vector3d p_F = X_WF.Inverse() * p_W;
  const Eigen::Vector3d rotated = X_CF.R * p_F;
  const Projection projection =
      ProjectWithDerivatives(rig.cameras[camera].camera, rotated + X_CF.t);
  Eigen::Matrix<double, 2, Eigen::Dynamic> jacobian =
      Eigen::Matrix<double, 2, Eigen::Dynamic>::Zero(2, NumRigParameters(places.num_cameras));
  jacobian.middleCols<kNumIntrinsics>(places.Intrinsics(c)) = projection.by_intrinsics;
  if (c > 0) {
    jacobian.middleCols<3>(places.CameraPose(c)) = -projection.by_point * Skew(rotated);
    jacobian.middleCols<3>(places.CameraPose(c) + 3) = projection.by_point;
  }
  // p_F = R^T exp(-d) (p_W - t - dt)
  const Eigen::Matrix<double, 2, 3> by_turned = projection.by_point * X_CF.R * X_WF.R.transpose();
  jacobian.middleCols<3>(places.World()) = by_turned * Skew(p_W - X_WF.t);
  jacobian.middleCols<3>(places.World() + 3) = -by_turned;
  return jacobian;
}

Eigen::Matrix<double, 3, Eigen::Dynamic> PointByParameters(const RigCalibration& rig,
                                                           const Eigen::Vector3d& p_W) {
  const int size = NumRigParameters(rig.Places().num_cameras);
  Eigen::Matrix3d information = Eigen::Matrix3d::Zero();
  Eigen::MatrixXd mixed = Eigen::MatrixXd::Zero(3, size);
  int num_seen = 0;
  for (std::size_t c = 0; c < rig.cameras.size(); ++c) {
    if (!Sees(rig, c, p_W)) continue;
    ++num_seen;
    const View view{rig.cameras[c].camera, rig.CameraFromWorld(c)};
    const Eigen::Matrix<double, 2, 3> by_point = ProjectPoint(view, p_W)->by_point;
    information += by_point.transpose() * by_point;
    mixed += by_point.transpose() * PixelByParameters(rig, c, p_W);
  }
  const bool planar = rig.cameras.size() == 1;
  if (num_seen < (planar ? 1 : 2)) return {};
  if (!planar) return -information.ldlt().solve(mixed);
  Eigen::Matrix<double, 3, 2> in_plane;
  in_plane << 1.0, 0.0, 0.0, 0.0, 0.0, 1.0;
  const Eigen::Matrix2d plane_information = in_plane.transpose() * information * in_plane;
  return -in_plane * plane_information.ldlt().solve(in_plane.transpose() * mixed);
}

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
  if (rig.cameras.size() == 1) volume.lowest.y() = volume.highest.y() = 0.0;
  for (std::vector<double>& of_camera : distance) {
    volume.distance.push_back(of_camera.empty() ? kNan : Median(std::move(of_camera)));
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

ImageMap RasterOf(const Camera& camera) {
  ImageMap map{.columns = kMapColumns, .rows = kMapRows, .pixels = {}, .values = {}};
  for (int j = 0; j < kMapRows; ++j) {
    for (int i = 0; i < kMapColumns; ++i) {
      map.pixels.emplace_back((camera.width - 1.0) * i / (kMapColumns - 1.0),
                              (camera.height - 1.0) * j / (kMapRows - 1.0));
    }
  }
  map.values.assign(map.pixels.size(), kNan);
  return map;
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
