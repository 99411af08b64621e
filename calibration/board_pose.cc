// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/board_pose.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>

#include "calibration/bundle/bundle_adjustment.h"
#include "calibration/bundle/image_cost.h"
#include "calibration/bundle/initial_estimate.h"
#include "calibration/bundle/outliers.h"
#include "calibration/measured_views.h"

namespace percuss::calibration {

Eigen::Matrix3d WorldFromBoard(bool planar) {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  if (planar) R << 1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0;
  return R;
}

Bundle BundleOfView(const capture::Board& board, const RigCalibration& calibration,
                    const BoardView& view) {
  Bundle bundle;
  bundle.board = TargetPoints(board);
  bundle.disc_radius = 0.5 * board.diameter;
  bundle.shape = calibration.board.shape;
  bundle.pixel_sigma_px = calibration.corner_sigma_px;
  for (const CalibratedCamera& camera : calibration.cameras) {
    bundle.cameras.push_back(camera.camera);
    bundle.camera_from_first.push_back(camera.from_first);
  }
  TargetView& target = bundle.views.emplace_back();
  for (const BoardCorners& corners : view.corners) target.images.push_back(Measured(corners));
  return bundle;
}

PoseInformation InformationOfPose(const Bundle& bundle) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const ParameterPlaces places{static_cast<int>(bundle.cameras.size())};
  PoseInformation information;
  information.pose_rig.setZero(6, NumRigParameters(places.num_cameras));
  for (int c = 0; c < places.num_cameras; ++c) {
    if (bundle.views[0].images[c].pixels.empty()) continue;
    const ImageCost cost(bundle, bundle.views[0], c, 0.0);
    const int rows = cost.num_residuals();
    Eigen::VectorXd residuals(rows);
    RowMajor by_intrinsics(rows, kNumIntrinsics), by_camera(rows, 6), by_pose(rows, 6);
    const std::array<double, 6> none{};
    const std::array shape = {bundle.shape.scale, bundle.shape.warp.x(), bundle.shape.warp.y()};
    const std::array<const double*, 4> blocks = {bundle.cameras[c].intrinsics.data(), none.data(),
                                                 none.data(), shape.data()};
    std::array<double*, 4> jacobians = {by_intrinsics.data(), by_camera.data(), by_pose.data(),
                                        nullptr};
    if (!cost.Evaluate(blocks.data(), residuals.data(), jacobians.data())) continue;
    information.pose += by_pose.transpose() * by_pose;
    information.pose_rig.middleCols<kNumIntrinsics>(places.Intrinsics(c)) +=
        by_pose.transpose() * by_intrinsics;
    if (c > 0)
      information.pose_rig.middleCols<6>(places.CameraPose(c)) += by_pose.transpose() * by_camera;
    information.squares += residuals.squaredNorm();
    information.num += rows;
  }
  return information;
}

Eigen::Matrix<double, 6, 6> PoseInformation::Covariance() const {
  const double misfit = std::max(1.0, squares / std::max(1, num - 6));
  return misfit * pose.ldlt().solve(Eigen::Matrix<double, 6, 6>::Identity());
}

Eigen::Matrix<double, 6, Eigen::Dynamic> PoseInformation::ByRig() const {
  return pose.ldlt().solve(pose_rig);
}

void AdjustBoardPose(Bundle* bundle) {
  constexpr double kHuberPx = 1.0;
  CorrectDiscImages(bundle);
  AdjustPosesAndTilts(bundle, {.huber_px = kHuberPx, .poses_only = true});
  for (int round = 0; round < 3; ++round) {
    CorrectDiscImages(bundle);
    ReviseUsedPoints(MeasureSpread(*bundle), bundle);
    AdjustBundle(bundle, {.poses_only = true});
  }
}

}  // namespace percuss::calibration
