// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/trial_surfaces.h"

#include "base/error.h"
#include "calibration/board_pose.h"
#include "calibration/board_video/board_videos.h"
#include "calibration/targets/board_images.h"

namespace percuss::calibration {
namespace {

/// The experiment whose only board picture is that of the surface.
capture::Experiment WithSurfaceAlone(capture::Experiment experiment,
                                     const capture::TrialSurface& surface) {
  auto& cameras = experiment.calibration.cameras;
  for (std::size_t c = 0; c < cameras.size(); ++c) {
    cameras[c].images.clear();
    cameras[c].surface = surface.pictures.at(c);
  }
  experiment.calibration.known_distances.clear();
  return experiment;
}

SurfacePlane PlaneOf(const Bundle& bundle, const RigCalibration& calibration, bool planar) {
  // With W turned by a small w and the board by d: n = exp(w) R_WF R_GF^T exp(-d) n_G.
  const Pose& board_from_first = bundle.views[0].board_from_first;
  const Pose W_from_G = calibration.world_from_first * board_from_first.Inverse();
  const Eigen::Vector3d n_G(0.0, planar ? -1.0 : 0.0, planar ? 0.0 : 1.0);
  SurfacePlane plane{.normal = W_from_G.R * n_G, .point = W_from_G.t};
  const PoseInformation information = InformationOfPose(bundle);
  plane.tilt_covariance =
      W_from_G.R * information.Covariance().topLeftCorner<3, 3>() * W_from_G.R.transpose();
  plane.tilt_by_rig = W_from_G.R * information.ByRig().topRows<3>();
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
    const auto pictures = std::ranges::count_if(
        surface.pictures, [](const std::filesystem::path& file) { return !file.empty(); });
    if (view.NumFound() < pictures) {
      plane.reason = images.Reason(view);
      return plane;
    }
    Bundle bundle = BundleOfView(experiment.board, calibration, view);
    bundle.views[0].board_from_first = calibration.world_from_first;
    AdjustBoardPose(&bundle);
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
