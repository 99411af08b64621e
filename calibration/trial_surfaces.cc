// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/trial_surfaces.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/math/geometry.h"
#include "calibration/board_video/board_videos.h"
#include "calibration/bundle/bundle_adjustment.h"
#include "calibration/bundle/image_cost.h"
#include "calibration/bundle/initial_estimate.h"
#include "calibration/bundle/outliers.h"
#include "calibration/measured_views.h"
#include "calibration/targets/board_images.h"

namespace percuss::calibration {
namespace {

/// The experiment whose only board picture is that of the surface.
capture::Experiment WithSurfaceAlone(capture::Experiment experiment,
                                     const capture::TrialSurface& surface) {
  auto& cameras = experiment.calibration.cameras;
  for (capture::CalibrationCamera& camera : cameras) {
    camera.images.clear();
    camera.surface = &camera == &cameras.front() ? surface.left : surface.right;
  }
  experiment.calibration.known_distances.clear();
  return experiment;
}

Bundle BundleOf(const capture::Experiment& experiment, const RigCalibration& calibration,
                const BoardView& view) {
  Bundle bundle;
  bundle.board = TargetPoints(experiment.board);
  bundle.disc_radius = 0.5 * experiment.board.diameter;
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

/// Normal matrix of the pose of the one view and the calibration, with the squares that are left.
struct PoseInformation {
  Eigen::Matrix<double, 6, 6> pose = Eigen::Matrix<double, 6, 6>::Zero();
  Eigen::Matrix<double, 6, Eigen::Dynamic> pose_rig;
  double squares = 0.0;
  int num = 0;  ///< residuals
};

PoseInformation InformationOf(const Bundle& bundle) {
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

SurfacePlane PlaneOf(const Bundle& bundle, const RigCalibration& calibration, bool planar) {
  // With W turned by a small w and the board by d: n = exp(w) R_WF R_GF^T exp(-d) n_G.
  const Pose& board_from_first = bundle.views[0].board_from_first;
  const Pose W_from_G = calibration.world_from_first * board_from_first.Inverse();
  const Eigen::Vector3d n_G(0.0, planar ? -1.0 : 0.0, planar ? 0.0 : 1.0);
  SurfacePlane plane{.normal = W_from_G.R * n_G, .point = W_from_G.t};
  const PoseInformation information = InformationOf(bundle);
  const Eigen::LDLT<Eigen::Matrix<double, 6, 6>> pose(information.pose);
  const double misfit = std::max(1.0, information.squares / std::max(1, information.num - 6));
  const Eigen::Matrix<double, 6, 6> covariance =
      misfit * pose.solve(Eigen::Matrix<double, 6, 6>::Identity());
  plane.tilt_covariance = W_from_G.R * covariance.topLeftCorner<3, 3>() * W_from_G.R.transpose();
  plane.tilt_by_rig = W_from_G.R * pose.solve(information.pose_rig).topRows<3>();
  plane.tilt_by_rig.middleCols<3>(calibration.Places().World()) += Eigen::Matrix3d::Identity();
  if (planar) {  // the plate meets the plane of motion in a line: it turns about y
    plane.normal.y() = 0.0;
    plane.normal.normalize();
    const Eigen::Matrix3d about_y = Eigen::Vector3d::UnitY() * Eigen::RowVector3d::UnitY();
    plane.tilt_covariance = about_y * plane.tilt_covariance * about_y;
    plane.tilt_by_rig = about_y * plane.tilt_by_rig;
  }
  return plane;
}

/// The pose of the board, outliers left out.
void AdjustPose(Bundle* bundle) {
  constexpr double kHuberPx = 1.0;
  CorrectDiscImages(bundle);
  AdjustPosesAndTilts(bundle, {.huber_px = kHuberPx, .poses_only = true});
  for (int round = 0; round < 3; ++round) {
    CorrectDiscImages(bundle);
    ReviseUsedPoints(MeasureSpread(*bundle), bundle);
    AdjustBundle(bundle, {.poses_only = true});
  }
}

}  // namespace

SurfacePlane MeasureSurface(const capture::Experiment& experiment,
                            const capture::TrialSurface& surface,
                            const RigCalibration& calibration) {
  SurfacePlane plane{.name = surface.name};
  try {
    const capture::Experiment alone = WithSurfaceAlone(experiment, surface);
    BoardImages images = ReadBoardImages(alone, 1, {});
    AddBoardVideos(alone, 1, {}, &images);
    const BoardView& view = images.views.back();
    if (view.NumFound() < static_cast<int>(calibration.cameras.size())) {
      plane.reason = images.Reason(view);
      return plane;
    }
    Bundle bundle = BundleOf(experiment, calibration, view);
    bundle.views[0].board_from_first = calibration.world_from_first;
    AdjustPose(&bundle);
    const std::string name = plane.name;
    plane = PlaneOf(bundle, calibration, experiment.planar);
    plane.name = name;
  } catch (const InputError& error) {
    plane.reason = error.what();
  } catch (const DataError& error) {
    plane.reason = error.what();
  }
  return plane;
}

}  // namespace percuss::calibration
