// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/taken_over.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "calibration/board_pose.h"
#include "calibration/board_video/board_videos.h"
#include "calibration/bundle/initial_estimate.h"
#include "calibration/bundle/outliers.h"
#include "calibration/foreign/foreign_files.h"
#include "calibration/quality/residual_set.h"
#include "calibration/quality/uncertainty.h"
#include "calibration/quality/verdict.h"
#include "calibration/quality/view_reports.h"
#include "calibration/rig/triangulation.h"
#include "calibration/stated_covariance.h"
#include "calibration/targets/board_images.h"
#include "calibration/targets/calibration_error.h"
#include "calibration/trial_surfaces.h"

namespace percuss::calibration {
namespace {

std::string FileName(const capture::Experiment& experiment) {
  return NameInExperiment(experiment, experiment.calibration.file.files.front());
}

[[noreturn]] void FailIn(const capture::Experiment& experiment, std::string_view key,
                         const std::string& found, const std::string& allowed) {
  throw InputError(fmt::format("{}: calibration.{}: found {}, allowed {}", experiment.file.string(),
                               key, found, allowed));
}

/// Of the cameras of the file those of the experiment: by the names that it states, by its own
/// names, else in their order.
std::vector<std::size_t> ChooseCameras(const capture::Experiment& experiment,
                                       const ForeignRig& rig) {
  const auto& cameras = experiment.calibration.cameras;
  const auto place_of = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(rig.cameras, name, &ForeignCamera::name) -
                                    rig.cameras.begin());
  };
  const bool named = std::ranges::all_of(cameras, [&](const capture::CalibrationCamera& camera) {
    return place_of(camera.name) < rig.cameras.size();
  });
  std::string names;
  for (const ForeignCamera& camera : rig.cameras)
    names += (names.empty() ? "" : ", ") + camera.name;
  std::vector<std::size_t> chosen;
  for (std::size_t c = 0; c < cameras.size(); ++c) {
    const std::string& stated = cameras[c].name_in_file;
    std::size_t place = c;
    if (!stated.empty()) {
      place = place_of(stated);
      if (place == rig.cameras.size())
        FailIn(experiment, cameras[c].name, stated, fmt::format("a camera of the file: {}", names));
    } else if (named) {
      place = place_of(cameras[c].name);
    } else if (rig.cameras.size() != cameras.size()) {
      FailIn(experiment, cameras[c].name,
             fmt::format("nothing, and {} cameras in {}", rig.cameras.size(), FileName(experiment)),
             fmt::format("the name of one of them: {}", names));
    }
    if (std::ranges::find(chosen, place) != chosen.end())
      FailIn(experiment, cameras[c].name, rig.cameras[place].name + " again", "another camera");
    chosen.push_back(place);
  }
  return chosen;
}

void CheckPictures(const capture::Experiment& experiment, const BoardImages& images,
                   const std::vector<CalibratedCamera>& cameras) {
  for (std::size_t c = 0; c < cameras.size(); ++c) {
    const Camera& camera = cameras[c].camera;
    const auto [width, height] = images.sizes[c];
    if (camera.width == width && camera.height == height) continue;
    FailIn(experiment, "file",
           fmt::format("the {} camera of {} for pictures of {} x {} px, while {} has {} x {} px",
                       cameras[c].name, FileName(experiment), camera.width, camera.height,
                       NameInExperiment(experiment, images.views.back().files[c]), width, height),
           "a calibration of the mode in which it was filmed");
  }
}

void CheckSeen(const BoardImages& images) {
  const BoardView& surface = images.views.back();
  if (surface.NumFound() == static_cast<int>(images.cameras.size())) return;
  std::string files;
  for (const std::filesystem::path& file : surface.files)
    files += (files.empty() ? "" : ", ") + file.string();
  throw CalibrationError(fmt::format("{}: surface view: {}", files, images.Reason(surface)),
                         {.surface_view = true});
}

/// The unit that has about as many metres.
std::string UnitOf(double metres) {
  static constexpr std::pair<double, const char*> kUnits[] = {
      {1.0, "m"}, {1e-2, "cm"}, {1e-3, "mm"}, {0.0254, "in"}};
  for (const auto& [length, unit] : kUnits) {
    if (std::abs(metres / length - 1.0) < 0.1) return unit;
  }
  return "";
}

/// Whether the cameras stand to each other as one board has it, roughly: units, exchanged cameras
/// and other directions of poses are far off.
void CheckPlace(const capture::Experiment& experiment, const BoardPlace& place,
                const std::vector<CalibratedCamera>& cameras, double unit) {
  constexpr double kDegrees = 180.0 / std::numbers::pi, kWorstAngle = 10.0, kWorstRatio = 1.25;
  if (!place.found) {
    throw CalibrationError("surface view: no pose of the board explains its picture",
                           {.surface_view = true});
  }
  if (place.angle * kDegrees > kWorstAngle) {
    throw CalibrationError(
        fmt::format("{}: the cameras are turned against each other by {:.0f} deg more than the "
                    "board on the surface shows: are left and right exchanged (calibration.left, "
                    "calibration.right: names in the file), or was a camera moved?",
                    FileName(experiment), place.angle * kDegrees),
        {.surface_view = true});
  }
  if (place.length_ratio < kWorstRatio && place.length_ratio > 1.0 / kWorstRatio) return;
  const double fitting = unit / place.length_ratio;
  const std::string name = UnitOf(fitting);
  FailIn(experiment, "unit",
         fmt::format("cameras {:.4g} m apart, {:.3g} times as far as the board on the surface has "
                     "them",
                     cameras[1].from_first.t.norm(), place.length_ratio),
         name.empty() ? fmt::format("the metres of one unit of {}; {:.4g} would fit",
                                    FileName(experiment), fitting)
                      : fmt::format("unit: {}", name));
}

/// Size of the triangulated board over the stated one; 1 with one camera.
double BoardSize(const Bundle& bundle) {
  const TargetView& view = bundle.views.front();
  std::vector<Eigen::Vector3d> seen, stated;
  for (std::size_t k = 0; bundle.cameras.size() > 1 && k < bundle.board.size(); ++k) {
    std::vector<Sight> sights;
    for (std::size_t c = 0; c < bundle.cameras.size(); ++c) {
      if (view.images[c].used[k] == 0) continue;
      sights.push_back({.view = {bundle.cameras[c], bundle.camera_from_first[c]},
                        .pixel = view.images[c].pixels[k]});
    }
    if (sights.size() < 2) continue;
    const std::optional<TriangulatedPoint> point = Triangulate(sights);
    if (!point) continue;
    seen.push_back(point->p_W);
    stated.push_back(bundle.board[k]);
  }
  if (seen.size() < 3) return 1.0;
  const auto columns = static_cast<Eigen::Index>(seen.size());
  const Eigen::Matrix3Xd from = Eigen::Map<const Eigen::Matrix3Xd>(stated[0].data(), 3, columns);
  const Eigen::Matrix3Xd to = Eigen::Map<const Eigen::Matrix3Xd>(seen[0].data(), 3, columns);
  return std::cbrt(Eigen::umeyama(from, to, true).topLeftCorner<3, 3>().determinant());
}

/// Covariance of the chosen cameras from that of all cameras of a file of ours; empty where the
/// first one is not the first of the file, to which the others are known.
Eigen::MatrixXd ChosenCovariance(const Eigen::MatrixXd& all, int num_all,
                                 const std::vector<std::size_t>& chosen) {
  if (all.size() == 0 || chosen[0] != 0) return {};
  const ParameterPlaces from{num_all}, to{static_cast<int>(chosen.size())};
  std::vector<int> places(to.World());
  for (int c = 0; c < to.num_cameras; ++c) {
    const int other = static_cast<int>(chosen[c]);
    for (int k = 0; k < kNumIntrinsics; ++k)
      places[to.Intrinsics(c) + k] = from.Intrinsics(other) + k;
    for (int k = 0; c > 0 && k < 6; ++k) places[to.CameraPose(c) + k] = from.CameraPose(other) + k;
  }
  return all(places, places);
}

/// The covariance of cameras and W, W turned by R_WG against the board.
Eigen::MatrixXd WithPose(const Eigen::MatrixXd& cameras, const PoseInformation& information,
                         const Eigen::Matrix3d& R_WG) {
  Eigen::Matrix<double, 6, 6> turn = Eigen::Matrix<double, 6, 6>::Zero();
  turn.topLeftCorner<3, 3>() = turn.bottomRightCorner<3, 3>() = R_WG;
  const Eigen::Index size = cameras.rows();
  const Eigen::MatrixXd by_cameras = -turn * information.ByRig().leftCols(size);
  Eigen::MatrixXd all(size + 6, size + 6);
  all.topLeftCorner(size, size) = cameras;
  all.bottomLeftCorner(6, size) = by_cameras * cameras;
  all.topRightCorner(size, 6) = all.bottomLeftCorner(6, size).transpose();
  all.bottomRightCorner<6, 6>() = by_cameras * cameras * by_cameras.transpose() +
                                  turn * information.Covariance() * turn.transpose();
  return all;
}

void CheckFit(const capture::Experiment& experiment, double rms_px, double sigma_px) {
  // A misfit that errors of the size stated do not explain by far.
  const double bound = std::max(3.0, 5.0 * sigma_px);
  if (rms_px <= bound) return;
  throw CalibrationError(
      fmt::format(
          "{}: the corners of the board on the surface are {:.2f} px (rms) from where these "
          "cameras have them, at most {:.1f} px are explained by calibration.sigma_px: was "
          "a camera moved or refocused since, or is it a calibration of another mode?",
          FileName(experiment), rms_px, bound),
      {.surface_view = true});
}

}  // namespace

RigCalibration TakeOverRig(const capture::Experiment& experiment, int num_threads,
                           const std::function<void(double)>& progress,
                           std::vector<MeasuredResidual>* corners) {
  const capture::CalibrationFile& file = experiment.calibration.file;
  BoardImages images = ReadBoardImages(experiment, num_threads, progress);
  AddBoardVideos(experiment, num_threads, progress, &images);
  CheckSeen(images);
  RigCalibration result;
  result.planar = experiment.planar;
  result.views = StartReports(experiment, images);

  const bool one_size =
      std::ranges::count(images.sizes, images.sizes[0]) == std::ssize(images.sizes);
  const ForeignRig rig = ReadForeignRig(
      file.files,
      {.unit = file.unit, .size = one_size ? std::optional(images.sizes[0]) : std::nullopt});
  const std::vector<std::size_t> chosen = ChooseCameras(experiment, rig);
  const Pose frame_from_first = rig.cameras[chosen[0]].camera_from_frame.Inverse();
  for (std::size_t c = 0; c < chosen.size(); ++c) {
    const ForeignCamera& camera = rig.cameras[chosen[c]];
    result.cameras.push_back({.name = experiment.calibration.cameras[c].name,
                              .camera = camera.camera,
                              .from_first = camera.camera_from_frame * frame_from_first});
    Camera& taken = result.cameras.back().camera;
    if (taken.width > 0) continue;
    taken.width = images.sizes[c][0];
    taken.height = images.sizes[c][1];
  }
  result.cameras[0].from_first = {};
  CheckPictures(experiment, images, result.cameras);

  constexpr double kUsualSigmaPx = 0.1;
  result.corner_sigma_px = kUsualSigmaPx;
  Bundle bundle = BundleOfView(experiment.board, result, images.views.back());
  const PointOrders orders = PossibleOrders(experiment.board, images.views.back().OrderKnown());
  CheckPlace(experiment, PlaceBoard(orders, &bundle), result.cameras, rig.unit);
  AdjustBoardPose(&bundle);
  const SquaredDistances squares = UsedDistances(bundle);
  const double sigma_px = file.sigma_px.value_or(kUnstatedSigmaPx);
  CheckFit(experiment, squares.Rms(), sigma_px);
  result.num_corners = squares.count;
  result.rms_px = squares.Rms();
  constexpr double kLeastSigmaPx = 1e-6;  // of corners that nothing disturbs
  result.corner_sigma_px =
      std::max(kLeastSigmaPx, std::sqrt(squares.sum / std::max(1, 2 * squares.count - 6)));
  bundle.pixel_sigma_px = result.corner_sigma_px;

  result.source = fmt::format("{} ({})", FileName(experiment), rig.format);
  result.notes = rig.notes;
  Eigen::MatrixXd cameras;
  if (!file.sigma_px) {
    cameras = ChosenCovariance(rig.covariance, static_cast<int>(rig.cameras.size()), chosen);
  }
  if (cameras.size() == 0) {
    cameras = StatedCovariance(bundle, sigma_px);
    if (!file.sigma_px) {
      result.notes.push_back(fmt::format(
          "{} says nothing of its errors: a standard deviation of {} px of projected points is "
          "taken; state yours as calibration.sigma_px",
          FileName(experiment), kUnstatedSigmaPx));
    }
  }
  constexpr double kNotableSize = 0.005;
  const double size = BoardSize(bundle);
  if (std::abs(size - 1.0) > kNotableSize) {
    result.notes.push_back(
        fmt::format("the board on the surface has {:.4f} times its stated size in {}: check "
                    "board.square, and the square with which the cameras were calibrated",
                    size, FileName(experiment)));
  }

  const Eigen::Matrix3d R_WG = WorldFromBoard(experiment.planar);
  const Pose& board_from_first = bundle.views.front().board_from_first;
  result.world_from_first = {R_WG * board_from_first.R, R_WG * board_from_first.t};
  result.covariance = WithPose(cameras, InformationOfPose(bundle), R_WG);
  ReportViews(bundle, {0}, images.cameras, experiment.board.columns, &result.views);
  PlaceBoards(bundle, {0}, result.world_from_first, &result.views);
  for (const capture::TrialSurface& surface : experiment.OwnSurfaces()) {
    if (!surface.slope) result.surfaces.push_back(MeasureSurface(experiment, surface, result));
  }
  result.quality = MeasureQuality(bundle);
  result.quality.predicted = PredictError(result, VolumeOf(bundle, result));
  Judge(&result);
  if (corners) *corners = UsedCorners(bundle);
  return result;
}

}  // namespace percuss::calibration
