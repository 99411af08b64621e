// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/calibrate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "calibration/board_images.h"
#include "calibration/bundle_adjustment.h"
#include "calibration/cross_validation.h"
#include "calibration/initial_estimate.h"
#include "calibration/verdict.h"
#include "capture/error.h"

namespace percuss::calibration {
namespace {

constexpr std::size_t kMinPairs = 3;
constexpr double kHuberPx = 1.0;           // while wrong corners are still in
constexpr double kOutlierSigmas = 5.0;     // point distance; 4e-6 of good corners lie beyond
constexpr double kOutlierViewRatio = 6.0;  // spread of one image against the median image
constexpr int kMaxRejectionRounds = 10;
constexpr double kParallelDeg = 5.0;

// A bundle whose view k shows pair[k] of the listed pairs.
struct Estimate {
  StereoBundle bundle;
  std::vector<std::size_t> pair;
};

void CheckRequest(const capture::Experiment& experiment) {
  const capture::Board& board = experiment.board;
  const auto& images = experiment.calibration;
  const std::string file = experiment.file.string();
  if (board.type != capture::Board::Type::kChessboard) {
    throw InputError(fmt::format("{}: board.type: allowed for calibration is chessboard", file));
  }
  if (board.columns < 3 || board.rows < 3 || !(board.square > 0.0)) {
    throw InputError(fmt::format(
        "{}: board: found {} x {} inner corners of {} m, allowed are at least 3 x 3 and a positive "
        "square",
        file, board.columns, board.rows, board.square));
  }
  if (images.left.size() != images.right.size()) {
    throw InputError(
        fmt::format("{}: calibration: found {} left and {} right images, allowed are as many", file,
                    images.left.size(), images.right.size()));
  }
  if (images.left.size() < kMinPairs) {
    throw DataError(fmt::format("{}: calibration: found {} pairs of images, at least {} are needed",
                                file, images.left.size(), kMinPairs));
  }
  if ((board.columns + board.rows) % 2 == 0) {
    throw DataError(fmt::format(
        "{}: board: {} x {} inner corners look the same from both ends, so the surface pair cannot "
        "tell where the origin is; needed is a board with one odd and one even number, such as "
        "9 x 6",
        file, board.columns, board.rows));
  }
}

// Corner (i, j) in board axes; on the surface board these are the axes of W.
std::vector<Eigen::Vector3d> CornersInBoardAxes(const capture::Board& board) {
  std::vector<Eigen::Vector3d> corners;
  for (int j = 0; j < board.rows; ++j) {
    for (int i = 0; i < board.columns; ++i) {
      corners.emplace_back(board.square * i, -board.square * j, 0.0);
    }
  }
  return corners;
}

CornerImage Measured(const BoardCorners& corners) {
  CornerImage image{.pixels = corners.pixels, .used = {}};
  for (const Eigen::Vector2d& pixel : image.pixels) {
    image.used.push_back(static_cast<char>(pixel.allFinite()));
  }
  return image;
}

Estimate MakeEstimate(const capture::Experiment& experiment, const BoardImages& images) {
  Estimate estimate;
  estimate.bundle.board = CornersInBoardAxes(experiment.board);
  for (Camera& camera : estimate.bundle.cameras) {
    camera.width = images.width;
    camera.height = images.height;
  }
  for (std::size_t p = 0; p < images.pairs.size(); ++p) {
    const BoardPair& pair = images.pairs[p];
    if (!pair.Found()) continue;
    estimate.bundle.views.push_back(
        {.images = {Measured(pair.corners[0]), Measured(pair.corners[1])}, .board_from_left = {}});
    estimate.pair.push_back(p);
  }
  return estimate;
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Standard deviation of one coordinate from the median of point distances, which for two normal
// coordinates is sigma sqrt(2 ln 2).
double RobustSigma(const std::vector<Eigen::Vector2d>& residuals) {
  std::vector<double> distances;
  for (const Eigen::Vector2d& residual : residuals) {
    if (residual.allFinite()) distances.push_back(residual.norm());
  }
  return distances.empty() ? std::numeric_limits<double>::infinity()
                           : Median(std::move(distances)) / std::sqrt(2.0 * std::log(2.0));
}

struct ImageSpread {
  std::vector<std::array<double, 2>> sigma;  // of each view and camera
  double median = 0.0;
};

ImageSpread MeasureSpread(const StereoBundle& bundle) {
  ImageSpread spread;
  std::vector<double> all;
  for (const StereoView& view : bundle.views) {
    spread.sigma.push_back(
        {RobustSigma(Residuals(bundle, view, 0)), RobustSigma(Residuals(bundle, view, 1))});
    all.insert(all.end(), spread.sigma.back().begin(), spread.sigma.back().end());
  }
  spread.median = Median(std::move(all));
  return spread;
}

// Views whose corners as a whole do not fit: a board that moved between the two shots, a pair that
// belongs to other pictures, a mirrored image. The worst one only, since it also bends the others.
std::optional<std::size_t> OutlierView(const ImageSpread& spread) {
  std::optional<std::size_t> worst;
  double worst_sigma = kOutlierViewRatio * spread.median;
  for (std::size_t v = 0; v < spread.sigma.size(); ++v) {
    const double sigma = std::max(spread.sigma[v][0], spread.sigma[v][1]);
    if (sigma > worst_sigma) {
      worst = v;
      worst_sigma = sigma;
    }
  }
  return worst;
}

// Uses the corners within kOutlierSigmas of their image's spread; true if this changed anything.
bool ReviseCorners(const ImageSpread& spread, StereoBundle* bundle) {
  bool changed = false;
  for (std::size_t v = 0; v < bundle->views.size(); ++v) {
    for (std::size_t side = 0; side < 2; ++side) {
      const std::vector<Eigen::Vector2d> residuals =
          Residuals(*bundle, bundle->views[v], static_cast<int>(side));
      // Images differ in sharpness; none is taken to be better than the median one.
      const double bound = kOutlierSigmas * std::max(spread.sigma[v][side], spread.median);
      std::vector<char>& used = bundle->views[v].images[side].used;
      for (std::size_t k = 0; k < residuals.size(); ++k) {
        const auto use = static_cast<char>(residuals[k].norm() <= bound);  // never for NaN
        changed = changed || use != used[k];
        used[k] = use;
      }
    }
  }
  return changed;
}

int CountUsed(const CornerImage& image) {
  return static_cast<int>(std::count(image.used.begin(), image.used.end(), 1));
}

int CountFitting(const StereoBundle& bundle, double worst_px) {
  const ImageSpread spread = MeasureSpread(bundle);
  return static_cast<int>(
      std::count_if(spread.sigma.begin(), spread.sigma.end(),
                    [&](const auto& sigma) { return std::max(sigma[0], sigma[1]) < worst_px; }));
}

// The corners as they would be if one camera had not mirrored its pictures. In a mirror the colours
// of a board's two ends stay what they are along the direction with the even number of corners:
// this is the direction that FindBoard then counts backwards.
StereoBundle WithoutMirror(const StereoBundle& bundle, const capture::Board& board,
                           std::size_t side) {
  StereoBundle result = bundle;
  for (StereoView& view : result.views) {
    const CornerImage seen = view.images[side];
    CornerImage& image = view.images[side];
    for (int j = 0; j < board.rows; ++j) {
      for (int i = 0; i < board.columns; ++i) {
        const int from_i = board.columns % 2 == 0 ? board.columns - 1 - i : i;
        const int from_j = board.rows % 2 == 0 ? board.rows - 1 - j : j;
        const std::ptrdiff_t to = j * std::ptrdiff_t{board.columns} + i;
        const std::ptrdiff_t from = from_j * std::ptrdiff_t{board.columns} + from_i;
        image.pixels[to] = seen.pixels[from];
        image.pixels[to].x() = result.cameras[side].width - 1 - image.pixels[to].x();
        image.used[to] = seen.used[from];
      }
    }
  }
  return result;
}

// Whether the start values of most pairs agree on how the cameras stand to each other.
void CheckAgreement(const StereoBundle& bundle, const capture::Board& board, int num_threads) {
  constexpr double kWorstStartPx = 10.0;  // pairs that belong together start within a few pixels
  const int num_views = static_cast<int>(bundle.views.size());
  const int needed = std::max(num_views / 2 + 1, static_cast<int>(kMinPairs) + 1);
  const int fitting = CountFitting(bundle, kWorstStartPx);
  if (fitting >= needed) return;
  for (const std::size_t side : {0, 1}) {
    StereoBundle unmirrored = WithoutMirror(bundle, board, side);
    EstimateStart(&unmirrored, num_threads);
    if (CountFitting(unmirrored, kWorstStartPx) < needed) continue;
    throw DataError(
        fmt::format("calibration: the {} images are mirrored (turned back they fit the {} ones in "
                    "most pairs); needed are images as the camera sees them",
                    side == 0 ? "left" : "right", side == 0 ? "right" : "left"));
  }
  throw DataError(fmt::format(
      "calibration: only {} of {} pairs (with the surface pair) agree on how the cameras stand to "
      "each other, at least {} must; are left and right images listed in the same order, and did "
      "no "
      "camera move?",
      fitting, num_views, needed));
}

std::string DescribeOutlier(const ImageSpread& spread, std::size_t view) {
  const double median_of_sigma = std::sqrt(2.0 * std::log(2.0));
  return fmt::format(
      "does not fit the other views: median distance {:.2f} px left, {:.2f} px right, usual is "
      "{:.2f} px (did the board or a camera move between the two shots?)",
      spread.sigma[view][0] * median_of_sigma, spread.sigma[view][1] * median_of_sigma,
      spread.median * median_of_sigma);
}

// Takes out views that do not fit, one by one; their reports say so.
void RejectViews(int num_threads, Estimate* estimate, std::vector<ViewReport>* reports) {
  StereoBundle& bundle = estimate->bundle;
  for (;;) {
    // Whether this converges does not matter while a wrong view is in.
    AdjustBundle(&bundle, {.huber_px = kHuberPx, .num_threads = num_threads});
    const ImageSpread spread = MeasureSpread(bundle);
    const std::optional<std::size_t> outlier = OutlierView(spread);
    if (!outlier) return;
    const std::size_t pair = estimate->pair[*outlier];
    ViewReport& report = (*reports)[pair];
    report.reason = DescribeOutlier(spread, *outlier);
    if (pair + 1 == reports->size()) {
      throw DataError(
          fmt::format("{}, {}: the surface pair {}", report.left, report.right, report.reason));
    }
    bundle.views.erase(bundle.views.begin() + static_cast<std::ptrdiff_t>(*outlier));
    estimate->pair.erase(estimate->pair.begin() + static_cast<std::ptrdiff_t>(*outlier));
    if (bundle.views.size() < kMinPairs + 1) {
      throw DataError(fmt::format(
          "calibration: only {} pairs fit together, at least {} are needed; {}, {} {}",
          bundle.views.size() - 1, kMinPairs, report.left, report.right, report.reason));
    }
  }
}

// Least squares over the corners that fit, until the choice of corners is settled.
void AdjustAndRejectCorners(int num_threads, StereoBundle* bundle) {
  BundleSummary summary;
  for (int round = 0; round < kMaxRejectionRounds; ++round) {
    if (!ReviseCorners(MeasureSpread(*bundle), bundle) && round > 0) break;
    summary = AdjustBundle(bundle, {.num_threads = num_threads});
  }
  if (summary.converged) return;
  throw DataError(fmt::format("calibration: the joint adjustment of {} views did not converge ({})",
                              bundle->views.size(), summary.message));
}

// Boards that all look the same way leave the focal lengths open (Zhang 2000, section 2.4), and the
// numbers would look fine.
void CheckDetermined(const StereoBundle& bundle) {
  const double tilt_range_deg = TiltRange(bundle);
  if (tilt_range_deg >= kParallelDeg) return;
  throw DataError(fmt::format(
      "calibration: the boards of all {} views are parallel within {:.1f} deg, which leaves the "
      "focal lengths undetermined; needed are views with the board tilted by 20 to 45 deg about "
      "its long side and about its short side",
      bundle.views.size(), tilt_range_deg));
}

struct Squares {
  double sum = 0.0;
  int count = 0;
  double Rms() const { return std::sqrt(sum / count); }
};

Squares UsedSquares(const StereoBundle& bundle, const StereoView& view, int camera) {
  Squares squares;
  const std::vector<Eigen::Vector2d> residuals = Residuals(bundle, view, camera);
  const std::vector<char>& used = view.images[static_cast<std::size_t>(camera)].used;
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    if (used[k] == 0) continue;
    squares.sum += residuals[k].squaredNorm();
    ++squares.count;
  }
  return squares;
}

Squares UsedSquares(const StereoBundle& bundle) {
  Squares squares;
  for (const StereoView& view : bundle.views) {
    for (int camera = 0; camera < 2; ++camera) {
      const Squares part = UsedSquares(bundle, view, camera);
      squares.sum += part.sum;
      squares.count += part.count;
    }
  }
  return squares;
}

// Standard deviation of one corner coordinate, from the residuals.
double CornerSigma(const StereoBundle& bundle) {
  const Squares squares = UsedSquares(bundle);
  return std::sqrt(squares.sum / (2.0 * squares.count - NumFreeParameters(bundle)));
}

Eigen::MatrixXd Covariance(const StereoBundle& bundle, double corner_sigma_px) {
  const int surface = static_cast<int>(bundle.views.size()) - 1;  // the surface pair is the last
  Eigen::MatrixXd covariance = BundleCovariance(bundle, surface, corner_sigma_px);
  if (covariance.size() == 0) {
    throw DataError(fmt::format(
        "calibration: {} views do not determine cameras and surface frame; needed are more views "
        "with differently tilted boards",
        bundle.views.size()));
  }
  return covariance;
}

// The sixth-order term k3 acts only where corners lie far from the centre of the image. Where the
// data leave it more open than lenses differ (|k3| is usually below 0.3), it would bend nothing but
// the image outside of the corners: then it is set to 0 in both cameras.
void FixUndeterminedK3(int num_threads, StereoBundle* bundle) {
  constexpr double kWorstSigma = 0.3;
  constexpr int kK3 = 8;
  const Eigen::MatrixXd covariance = Covariance(*bundle, CornerSigma(*bundle));
  const double variance =
      std::max(covariance(kK3, kK3), covariance(kNumIntrinsics + kK3, kNumIntrinsics + kK3));
  if (variance <= kWorstSigma * kWorstSigma) return;
  for (Camera& camera : bundle->cameras) camera.intrinsics[kK3] = 0.0;
  bundle->free_k3 = false;
  AdjustBundle(bundle, {.num_threads = num_threads});
}

// "2 of 54 corners rejected in the left image (corner (3, 1) is off by 1.42 px)"; empty if none.
std::string DescribeRejected(const StereoBundle& bundle, const StereoView& view, int camera,
                             int columns) {
  const CornerImage& image = view.images[static_cast<std::size_t>(camera)];
  const int count = static_cast<int>(image.used.size()) - CountUsed(image);
  if (count == 0) return "";
  const std::vector<Eigen::Vector2d> residuals = Residuals(bundle, view, camera);
  int worst = -1;
  double worst_distance = 0.0;
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    if (image.used[k] == 0 && residuals[k].norm() > worst_distance) {
      worst = static_cast<int>(k);
      worst_distance = residuals[k].norm();
    }
  }
  const std::string detail = worst < 0
                                 ? "too blurred to be measured"
                                 : fmt::format("corner ({}, {}) is off by {:.2f} px",
                                               worst % columns, worst / columns, worst_distance);
  return fmt::format("{} of {} corners rejected in the {} image ({})", count, image.used.size(),
                     camera == 0 ? "left" : "right", detail);
}

void ReportViews(const Estimate& estimate, int columns, std::vector<ViewReport>* reports) {
  const StereoBundle& bundle = estimate.bundle;
  for (std::size_t v = 0; v < bundle.views.size(); ++v) {
    ViewReport& report = (*reports)[estimate.pair[v]];
    report.used = true;
    report.rms_left_px = UsedSquares(bundle, bundle.views[v], 0).Rms();
    report.rms_right_px = UsedSquares(bundle, bundle.views[v], 1).Rms();
    for (int camera = 0; camera < 2; ++camera) {
      const std::string text = DescribeRejected(bundle, bundle.views[v], camera, columns);
      if (!text.empty()) report.reason += (report.reason.empty() ? "" : "; ") + text;
    }
  }
}

}  // namespace

StereoCalibration CalibrateStereo(const capture::Experiment& experiment,
                                  const CalibrationOptions& options) {
  if (options.num_threads < 1) {
    throw std::invalid_argument(fmt::format(
        "CalibrationOptions.num_threads: found {}, allowed at least 1", options.num_threads));
  }
  if (options.num_folds < 0 || options.num_folds == 1) {
    throw std::invalid_argument(fmt::format(
        "CalibrationOptions.num_folds: found {}, allowed 0 or at least 2", options.num_folds));
  }
  CheckRequest(experiment);
  const auto progress = [&](const std::string& step, double fraction) {
    if (options.progress) options.progress(step, fraction);
  };

  const BoardImages images = ReadBoardImages(experiment, options.num_threads, [&](double fraction) {
    progress("finding the board", fraction);
  });
  StereoCalibration result;
  for (const BoardPair& pair : images.pairs) {
    ViewReport report;
    report.left = NameInExperiment(experiment, pair.files[0]);
    report.right = NameInExperiment(experiment, pair.files[1]);
    report.reason = pair.Reason();
    result.views.push_back(std::move(report));
  }
  const BoardPair& surface = images.pairs.back();
  if (!surface.Found()) {
    throw DataError(fmt::format("{}, {}: surface pair: {}", surface.files[0].string(),
                                surface.files[1].string(), surface.Reason()));
  }
  Estimate estimate = MakeEstimate(experiment, images);
  const std::size_t num_pairs = estimate.pair.size() - 1;
  if (num_pairs < kMinPairs) {
    const auto missing = std::find_if(images.pairs.begin(), images.pairs.end(),
                                      [](const BoardPair& pair) { return !pair.Found(); });
    throw DataError(fmt::format(
        "calibration: the board is found in {} of {} pairs, at least {} are needed; {}: {}",
        num_pairs, images.pairs.size() - 1, kMinPairs, missing->files[0].string(),
        missing->Reason()));
  }

  progress("adjusting", 0.0);
  StereoBundle& bundle = estimate.bundle;
  EstimateStart(&bundle, options.num_threads);
  CheckDetermined(bundle);
  CheckAgreement(bundle, experiment.board, options.num_threads);
  RejectViews(options.num_threads, &estimate, &result.views);
  AdjustAndRejectCorners(options.num_threads, &bundle);
  CheckDetermined(bundle);
  FixUndeterminedK3(options.num_threads, &bundle);
  ReportViews(estimate, experiment.board.columns, &result.views);

  result.left = bundle.cameras[0];
  result.right = bundle.cameras[1];
  result.right_from_left = bundle.right_from_left;
  result.world_from_left = bundle.views.back().board_from_left;  // the surface pair is the last
  const Squares squares = UsedSquares(bundle);
  result.num_corners = squares.count;
  result.rms_px = squares.Rms();
  result.corner_sigma_px = CornerSigma(bundle);
  result.covariance = Covariance(bundle, result.corner_sigma_px);

  progress("cross-validating", 0.0);
  const HeldOutError held_out =
      CrossValidate(bundle, options.num_folds, 3.0 * result.corner_sigma_px, options.num_threads);
  result.rms_px_heldout = held_out.rms_px;
  result.quality = {
      .num_views = static_cast<int>(bundle.views.size()),
      .num_rejected_corners =
          static_cast<int>(2 * bundle.views.size() * bundle.board.size()) - result.num_corners,
      .coverage_left = Coverage(bundle, 0),
      .coverage_right = Coverage(bundle, 1),
      .tilt_range_deg = TiltRange(bundle),
      .heldout_median_px = held_out.median_px,
      .heldout_p90_px = held_out.p90_px};
  Judge(&result);
  progress("done", 1.0);
  return result;
}

}  // namespace percuss::calibration
