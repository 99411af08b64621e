// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/calibrate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "base/error.h"
#include "calibration/board_video/board_videos.h"
#include "calibration/bundle/bundle_adjustment.h"
#include "calibration/bundle/initial_estimate.h"
#include "calibration/bundle/outliers.h"
#include "calibration/bundle/pixel_weights.h"
#include "calibration/measured_views.h"
#include "calibration/quality/cross_validation.h"
#include "calibration/quality/half_split.h"
#include "calibration/quality/next_view.h"
#include "calibration/quality/residual_pattern.h"
#include "calibration/quality/residual_set.h"
#include "calibration/quality/uncertainty.h"
#include "calibration/quality/verdict.h"
#include "calibration/quality/view_reports.h"
#include "calibration/targets/board_images.h"
#include "calibration/targets/calibration_error.h"
#include "calibration/targets/target.h"
#include "calibration/thesis/thesis_comparison.h"
#include "calibration/trial_surfaces.h"

namespace percuss::calibration {
namespace {

constexpr int kMinViews = 3;
constexpr double kHuberPx = 1.0;  // while wrong corners are still in
constexpr int kMaxRejectionRounds = 10;
constexpr double kParallelDeg = 5.0;

// A bundle whose view k is view[k] of the listed ones.
struct Estimate {
  Bundle bundle;
  std::vector<std::size_t> view;
  PointOrders orders;
};

void CheckOptions(const CalibrationOptions& options) {
  if (options.num_threads < 1) {
    throw std::invalid_argument(fmt::format(
        "CalibrationOptions.num_threads: found {}, allowed at least 1", options.num_threads));
  }
  if (options.num_folds < 0 || options.num_folds == 1) {
    throw std::invalid_argument(fmt::format(
        "CalibrationOptions.num_folds: found {}, allowed 0 or at least 2", options.num_folds));
  }
}

void CheckRequest(const capture::Experiment& experiment) {
  const auto& cameras = experiment.calibration.cameras;
  const std::string file = experiment.file.string();
  if (cameras.empty()) {
    throw InputError(fmt::format("{}: calibration: found no camera, at least 1 is needed", file));
  }
  for (const capture::CalibrationCamera& camera : cameras) {
    if (camera.images.size() == cameras[0].images.size()) continue;
    throw InputError(
        fmt::format("{}: calibration: found {} {} and {} {} images, allowed are as many", file,
                    cameras[0].images.size(), cameras[0].name, camera.images.size(), camera.name));
  }
  if (cameras[0].images.size() < kMinViews && !experiment.calibration.FromVideos()) {
    throw DataError(fmt::format("{}: calibration: found {} views, at least {} are needed", file,
                                cameras[0].images.size(), kMinViews));
  }
}

// Cameras that must see the board for a view to count.
int NeededCameras(const capture::Experiment& experiment) {
  return std::min<int>(2, static_cast<int>(experiment.calibration.cameras.size()));
}

std::vector<KnownDistance> Distances(const capture::CalibrationImages& images) {
  std::vector<KnownDistance> distances;
  const Eigen::Vector2d unseen =
      Eigen::Vector2d::Constant(std::numeric_limits<double>::quiet_NaN());
  for (const capture::PixelDistance& known : images.known_distances) {
    distances.push_back({.pixels = {}, .distance = known.distance, .sigma = known.sigma});
    for (const auto& ends : known.ends) {
      distances.back().pixels.push_back(ends.value_or(std::array{unseen, unseen}));
    }
  }
  return distances;
}

Estimate MakeEstimate(const capture::Experiment& experiment, const BoardImages& images) {
  Estimate estimate;
  Bundle& bundle = estimate.bundle;
  bundle.board = TargetPoints(experiment.board);
  bundle.disc_radius = 0.5 * experiment.board.diameter;
  const auto& cameras = experiment.calibration.cameras;
  for (std::size_t c = 0; c < cameras.size(); ++c) {
    bundle.cameras.push_back({.width = images.sizes[c][0],
                              .height = images.sizes[c][1],
                              .lens = cameras[c].lens,
                              .intrinsics = {}});
    bundle.camera_from_first.emplace_back();
  }
  bundle.distances = Distances(experiment.calibration);
  if (!bundle.distances.empty()) {
    bundle.model.scale_sigma = std::numeric_limits<double>::infinity();
  }
  bool order_known = true;
  for (std::size_t v = 0; v < images.views.size(); ++v) {
    const BoardView& view = images.views[v];
    const bool surface = v + 1 == images.views.size();
    if (view.NumFound() < (surface ? 1 : NeededCameras(experiment))) continue;
    TargetView& target = bundle.views.emplace_back();
    for (const BoardCorners& corners : view.corners) target.images.push_back(Measured(corners));
    order_known = order_known && view.OrderKnown();
    estimate.view.push_back(v);
  }
  estimate.orders = PossibleOrders(experiment.board, order_known);
  return estimate;
}

// The corners as they would be if one camera had not mirrored its pictures. In a mirror the colours
// of a board's two ends stay what they are along the direction with the even number of corners:
// this is the direction that FindBoard then counts backwards.
Bundle WithoutMirror(const Bundle& bundle, const capture::Board& board, std::size_t camera) {
  Bundle result = bundle;
  for (TargetView& view : result.views) {
    const TargetImage seen = view.images[camera];
    if (seen.pixels.empty()) continue;
    TargetImage& image = view.images[camera];
    for (int j = 0; j < board.rows; ++j) {
      for (int i = 0; i < board.columns; ++i) {
        const int from_i = board.columns % 2 == 0 ? board.columns - 1 - i : i;
        const int from_j = board.rows % 2 == 0 ? board.rows - 1 - j : j;
        const auto to = static_cast<std::size_t>(j * board.columns + i);
        const auto from = static_cast<std::size_t>(from_j * board.columns + from_i);
        image.pixels[to] = seen.pixels[from];
        image.pixels[to].x() = result.cameras[camera].width - 1 - image.pixels[to].x();
        image.used[to] = seen.used[from];
      }
    }
  }
  return result;
}

// Whether the start values of most views agree on how the cameras stand to each other.
void CheckAgreement(const Estimate& estimate, const capture::Experiment& experiment,
                    int num_threads) {
  constexpr double kWorstStartPx = 10.0;  // views that belong together start within a few pixels
  const Bundle& bundle = estimate.bundle;
  const int num_views = static_cast<int>(bundle.views.size());
  const int needed = std::max(num_views / 2 + 1, kMinViews + 1);
  const int fitting = CountFitting(bundle, kWorstStartPx);
  if (fitting >= needed) return;
  const auto& cameras = experiment.calibration.cameras;
  const bool chessboard = experiment.board.type == capture::Board::Type::kChessboard;
  for (std::size_t c = 0; chessboard && cameras.size() > 1 && c < cameras.size(); ++c) {
    Bundle unmirrored = WithoutMirror(bundle, experiment.board, c);
    EstimateStart(&unmirrored, estimate.orders, num_threads);
    if (CountFitting(unmirrored, kWorstStartPx) < needed) continue;
    throw DataError(
        fmt::format("calibration: the {} images are mirrored (turned back they fit the other ones "
                    "in most views); needed are images as the camera sees them",
                    cameras[c].name));
  }
  if (cameras.size() == 1) {
    throw DataError(fmt::format(
        "calibration: one lens explains only {} of {} views (with the surface view), at least {} "
        "must fit; was the zoom or the focus changed, or is the board bent?",
        fitting, num_views, needed));
  }
  throw DataError(fmt::format(
      "calibration: only {} of {} views (with the surface view) agree on how the cameras stand to "
      "each other, at least {} must; are the images of all cameras listed in the same order, and "
      "did no camera move?",
      fitting, num_views, needed));
}

// Takes out views that do not fit, one by one; their reports say so.
void RejectViews(const std::vector<std::string>& cameras, Estimate* estimate,
                 std::vector<ViewReport>* reports) {
  Bundle& bundle = estimate->bundle;
  for (;;) {
    // Whether this converges does not matter while a wrong view is in.
    CorrectDiscImages(&bundle);
    AdjustPosesAndTilts(&bundle, {.huber_px = kHuberPx});
    const ImageSpread spread = MeasureSpread(bundle);
    const std::optional<std::size_t> outlier = OutlierView(spread);
    if (!outlier) return;
    const std::size_t view = estimate->view[*outlier];
    ViewReport& report = (*reports)[view];
    report.reason = DescribeOutlier(spread, *outlier, cameras);
    if (view + 1 == reports->size()) {
      throw CalibrationError(fmt::format("{}: the surface view {}", FilesOf(report), report.reason),
                             {.surface_view = true});
    }
    bundle.views.erase(bundle.views.begin() + static_cast<std::ptrdiff_t>(*outlier));
    estimate->view.erase(estimate->view.begin() + static_cast<std::ptrdiff_t>(*outlier));
    if (std::ssize(bundle.views) < kMinViews + 1) {
      throw DataError(
          fmt::format("calibration: only {} views fit together, at least {} are needed; {} {}",
                      bundle.views.size() - 1, kMinViews, FilesOf(report), report.reason));
    }
  }
}

// Least squares over the corners that fit, until the choice of corners is settled.
void AdjustAndRejectCorners(Bundle* bundle) {
  AdjustmentSummary summary;
  for (int round = 0; round < kMaxRejectionRounds; ++round) {
    CorrectDiscImages(bundle);
    if (!ReviseUsedPoints(MeasureSpread(*bundle), bundle) && round > 0) break;
    summary = AdjustBundle(bundle);
  }
  if (summary.converged) return;
  throw DataError(fmt::format("calibration: the joint adjustment of {} views did not converge ({})",
                              bundle->views.size(), summary.message));
}

// Boards that all look the same way leave the focal lengths open (Zhang 2000, section 2.4), and the
// numbers would look fine.
void CheckDetermined(const Bundle& bundle) {
  const double tilt_range_deg = TiltRange(bundle);
  if (tilt_range_deg >= kParallelDeg) return;
  throw DataError(fmt::format(
      "calibration: the boards of all {} views are parallel within {:.1f} deg, which leaves the "
      "focal lengths undetermined; needed are views with the board tilted by 20 to 45 deg about "
      "its long side and about its short side",
      bundle.views.size(), tilt_range_deg));
}

// Settles the estimate together with the spread of the pixels in each picture.
void AdjustWithWeights(Bundle* bundle) {
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    WeighPixels(bundle);
    CorrectDiscImages(bundle);
    AdjustBundle(bundle);
  }
}

// The surface view must be there, and enough others.
void CheckFound(const capture::Experiment& experiment, const BoardImages& images,
                const Estimate& estimate, const std::vector<ViewReport>& reports) {
  const BoardView& surface = images.views.back();
  const bool all_needed = images.cameras.size() <= 2;
  if (surface.NumFound() < (all_needed ? static_cast<int>(images.cameras.size()) : 1)) {
    std::string files;
    for (const std::filesystem::path& file : surface.files) {
      if (!file.empty()) files += (files.empty() ? "" : ", ") + file.string();
    }
    throw CalibrationError(fmt::format("{}: surface view: {}", files, images.Reason(surface)),
                           {.surface_view = true});
  }
  const int num_views = static_cast<int>(estimate.view.size()) - 1;
  if (num_views >= kMinViews) return;
  std::string missing;
  for (std::size_t v = 0; missing.empty() && v < images.views.size(); ++v) {
    if (images.views[v].NumFound() >= NeededCameras(experiment)) continue;
    missing = fmt::format("{}: {}", FilesOf(reports[v]), reports[v].reason);
  }
  throw DataError(
      fmt::format("calibration: the board is found in {} of {} views, at least {} are needed; {}",
                  num_views, images.views.size() - 1, kMinViews, missing));
}

void Start(const capture::Experiment& experiment, int num_threads, Estimate* estimate) {
  if (!EstimateStart(&estimate->bundle, estimate->orders, num_threads)) {
    throw DataError(
        "calibration: the cameras have too few views in common; each must see the board together "
        "with another one");
  }
  for (const KnownDistance& known : estimate->bundle.distances) {
    if (known.p_first[0].allFinite() && known.p_first[1].allFinite()) continue;
    throw DataError(
        fmt::format("calibration.known_distances: the rays to the ends of the distance {} m do "
                    "not meet before the cameras; do the pixels belong to the same two points?",
                    known.distance));
  }
  CheckDetermined(estimate->bundle);
  CheckAgreement(*estimate, experiment, num_threads);
}

// In the planar experiment the board stands in the plane of motion, which is the x-z plane of W.
Eigen::Matrix3d WorldFromBoard(bool planar) {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  if (planar) R << 1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0;
  return R;
}

// Covariance of all shared parameters, the pose of W in place of that of the surface board.
Eigen::MatrixXd SharedCovariance(const Bundle& bundle, const Eigen::Matrix3d& R_WG) {
  const Eigen::MatrixXd covariance = BundleCovariance(bundle);
  if (covariance.size() == 0) {
    throw DataError(fmt::format(
        "calibration: {} views do not determine cameras and surface frame; needed are more views "
        "with differently tilted boards",
        bundle.views.size()));
  }
  const ParameterPlaces places{static_cast<int>(bundle.cameras.size())};
  Eigen::MatrixXd by_bundle = Eigen::MatrixXd::Identity(places.Size(), places.Size());
  by_bundle.block<3, 3>(places.World(), places.World()) = R_WG;
  by_bundle.block<3, 3>(places.World() + 3, places.World() + 3) = R_WG;
  return by_bundle * covariance * by_bundle.transpose();
}

void FillEstimate(const Bundle& bundle, const std::vector<std::string>& names,
                  const Eigen::Matrix3d& R_WG, const Eigen::MatrixXd& covariance,
                  RigCalibration* result) {
  for (std::size_t c = 0; c < names.size(); ++c) {
    result->cameras.push_back(
        {.name = names[c], .camera = bundle.cameras[c], .from_first = bundle.camera_from_first[c]});
  }
  const Pose& board_from_first = bundle.views.back().board_from_first;
  result->world_from_first = {R_WG * board_from_first.R, R_WG * board_from_first.t};
  const int size = NumRigParameters(result->Places().num_cameras);
  result->covariance = covariance.topLeftCorner(size, size);
  const Eigen::Vector3d shape = covariance.diagonal().tail<3>().cwiseSqrt();
  result->board = {.shape = bundle.shape, .scale_sigma = shape[0], .warp_sigma = shape.tail<2>()};
  const SquaredDistances squares = UsedDistances(bundle);
  result->num_corners = squares.count;
  result->rms_px = squares.Rms();
  result->corner_sigma_px = bundle.pixel_sigma_px;
}

PatternSummary SummarisePattern(const Bundle& bundle, const std::vector<std::string>& names) {
  const ResidualPattern pattern = FindResidualPattern(ResidualSetOf(bundle));
  PatternSummary summary;
  for (std::size_t c = 0; c < names.size(); ++c) {
    summary.image_rms_px.push_back(pattern.image[c].test.rms_px);
    summary.radius_rms_px.push_back(pattern.radius[c].test.rms_px);
  }
  summary.print_rms = pattern.target.print_rms;
  summary.bend_rms = pattern.target.bend_rms;
  summary.neighbour_correlation = pattern.neighbours.correlation;
  for (std::string finding : pattern.findings) {
    for (std::size_t c = 0; c < names.size(); ++c) {
      const std::string number = fmt::format("camera {}:", c + 1);
      if (finding.starts_with(number)) {
        finding.replace(0, number.size(), fmt::format("{} camera:", names[c]));
        break;
      }
    }
    summary.findings.push_back(std::move(finding));
  }
  return summary;
}

}  // namespace

RigCalibration CalibrateRig(const capture::Experiment& experiment,
                            const CalibrationOptions& options,
                            std::vector<MeasuredResidual>* corners) {
  CheckOptions(options);
  CheckRequest(experiment);
  const auto progress = [&](const std::string& step, double fraction) {
    if (options.progress) options.progress(step, fraction);
  };

  const auto finding = [&](double fraction) { progress("finding the board", fraction); };
  BoardImages images = ReadBoardImages(experiment, options.num_threads, finding);
  AddBoardVideos(experiment, options.num_threads, finding, &images);
  RigCalibration result;
  result.planar = experiment.planar;
  result.views = StartReports(experiment, images);
  Estimate estimate = MakeEstimate(experiment, images);
  CheckFound(experiment, images, estimate, result.views);

  progress("adjusting", 0.0);
  Bundle& bundle = estimate.bundle;
  Start(experiment, options.num_threads, &estimate);
  RejectViews(images.cameras, &estimate, &result.views);
  AdjustAndRejectCorners(&bundle);
  CheckDetermined(bundle);
  AdjustWithWeights(&bundle);
  ReportViews(bundle, estimate.view, images.cameras, experiment.board.columns, &result.views);
  if (!images.views.back().OrderKnown()) {
    result.views.back().reason += fmt::format(
        "{}the target looks the same from both ends: x of W was taken to point to the "
        "right in the picture",
        result.views.back().reason.empty() ? "" : "; ");
  }

  const Eigen::Matrix3d R_WG = WorldFromBoard(experiment.planar);
  const Eigen::MatrixXd covariance = SharedCovariance(bundle, R_WG);
  FillEstimate(bundle, images.cameras, R_WG, covariance, &result);
  PlaceBoards(bundle, estimate.view, result.world_from_first, &result.views);

  for (const capture::TrialSurface& surface : experiment.OwnSurfaces()) {
    progress("surfaces of trials", 0.0);
    if (!surface.slope) result.surfaces.push_back(MeasureSurface(experiment, surface, result));
  }

  progress("cross-validating", 0.0);
  result.quality = MeasureQuality(bundle);
  result.quality.held_out =
      CrossValidate(bundle, options.num_folds, 3.0 * result.corner_sigma_px, options.num_threads);
  const WorkingVolume volume = VolumeOf(bundle, result);
  result.quality.predicted = PredictError(result, volume);
  if (options.num_folds > 0) {
    result.quality.half_split = CompareHalves(bundle, volume);
    result.quality.pattern = SummarisePattern(bundle, images.cameras);
    result.thesis = CompareWithThesis(bundle, result);
    result.quality.next_view = FindNextView(bundle, covariance, result, volume);
  }
  Judge(&result);
  if (corners) {
    *corners = UsedCorners(bundle);
    for (MeasuredResidual& corner : *corners)
      corner.image = static_cast<int>(estimate.view[corner.image]);
  }
  progress("done", 1.0);
  return result;
}

}  // namespace percuss::calibration
