// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/quality/verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "calibration/bundle/outliers.h"

namespace percuss::calibration {
namespace {

constexpr std::size_t kRasterColumns = 6, kRasterRows = 4;

constexpr double kWorstRmsPx = 0.5;
constexpr double kWorstHeldOutRatio = 1.3;
constexpr double kLeastCoverage = 0.5;
constexpr double kLeastTiltDeg = 25.0;
constexpr int kLeastViews = 6;
constexpr double kWorstRelativeSigma = 0.003;
constexpr double kWorstRejectedShare = 0.05;
constexpr double kWorstPatternPx = 0.1;
constexpr double kWorstHalvesRatio = 3.0;   // of the difference that corner noise explains
constexpr double kWorstHalvesPx = 0.1;      // below it a difference does not matter
constexpr double kWorstPointSigma = 0.001;  // of the size of the working volume

double Largest(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) {
    if (value > largest) largest = value;
  }
  return largest;
}

// Errors that are not random: they do not shrink with more pictures and are in no sigma.
void JudgeSystematic(const CalibrationQuality& quality, std::vector<std::string>* reasons) {
  const PatternSummary& pattern = quality.pattern;
  const double lens_px = std::max(Largest(pattern.image_rms_px), Largest(pattern.radius_rms_px));
  if (lens_px > kWorstPatternPx) {
    reasons->push_back(fmt::format(
        "residuals of {:.2f} px follow the place in the image, allowed are {} px: the lens is not "
        "described; try lens: rational (or fisheye), and photograph with focus and zoom locked",
        lens_px, kWorstPatternPx));
  }
  const HalfSplit& halves = quality.half_split;
  if (halves.rms_px > kWorstHalvesPx &&
      halves.rms_px > kWorstHalvesRatio * halves.predicted_rms_px) {
    reasons->push_back(fmt::format(
        "calibrations from the even and the odd views differ by {:.2f} px, {:.1f} times what "
        "corner noise explains: did a camera move or refocus, or does the lens need more terms?",
        halves.rms_px, halves.rms_px / halves.predicted_rms_px));
  }
  const PredictedError& predicted = quality.predicted;
  const double size = (predicted.volume_highest - predicted.volume_lowest).norm();
  if (predicted.point_sigma_median > kWorstPointSigma * size) {
    reasons->push_back(fmt::format(
        "a marker in the working volume is typically placed to {:.2g} mm only (allowed {:.2g} mm, "
        "0.1 % of its size): photograph more views{}",
        1e3 * predicted.point_sigma_median, 1e3 * kWorstPointSigma * size,
        quality.next_view.text.empty() ? "" : "; best next: " + quality.next_view.text));
  }
}

// Share of the cells of a raster of one camera's image in which some view has a used corner.
double Coverage(const Bundle& bundle, std::size_t camera) {
  std::array<bool, kRasterColumns * kRasterRows> seen{};
  for (const TargetView& view : bundle.views) {
    const TargetImage& image = view.images[camera];
    for (std::size_t k = 0; k < image.pixels.size(); ++k) {
      if (image.used[k] == 0) continue;
      const Eigen::Vector2d& pixel = image.pixels[k];
      const auto cell = [](double value, int size, std::size_t cells) {
        const double share = std::clamp((value + 0.5) / size, 0.0, 1.0);
        return std::min(static_cast<std::size_t>(share * static_cast<double>(cells)), cells - 1);
      };
      const std::size_t column = cell(pixel.x(), bundle.cameras[camera].width, kRasterColumns);
      const std::size_t row = cell(pixel.y(), bundle.cameras[camera].height, kRasterRows);
      seen[row * kRasterColumns + column] = true;
    }
  }
  return static_cast<double>(std::count(seen.begin(), seen.end(), true)) / seen.size();
}

}  // namespace

CalibrationQuality MeasureQuality(const Bundle& bundle) {
  CalibrationQuality quality;
  quality.num_views = static_cast<int>(bundle.views.size());
  for (std::size_t c = 0; c < bundle.cameras.size(); ++c) {
    quality.coverage.push_back(Coverage(bundle, c));
    for (const TargetView& view : bundle.views) {
      quality.num_rejected_corners += CountMeasured(view.images[c]) - CountUsed(view.images[c]);
    }
  }
  quality.tilt_range_deg = TiltRange(bundle);
  return quality;
}

double TiltRange(const Bundle& bundle) {
  double smallest_cosine = 1.0;
  for (const TargetView& a : bundle.views) {
    for (const TargetView& b : bundle.views) {
      // Normals in axes of the first camera are the third rows of board_from_first.
      const double cosine = a.board_from_first.R.row(2).dot(b.board_from_first.R.row(2));
      smallest_cosine = std::min(smallest_cosine, cosine);
    }
  }
  return std::acos(std::clamp(smallest_cosine, -1.0, 1.0)) * 180.0 / std::numbers::pi;
}

namespace {

// What one picture, of the board on the surface, can say of cameras that another program
// calibrated.
void JudgeTakenOver(const RigCalibration& calibration, std::vector<std::string>* reasons) {
  if (!(calibration.rms_px <= kWorstRmsPx)) {
    reasons->push_back(fmt::format(
        "the corners of the board on the surface are {:.2f} px (rms) from where these cameras have "
        "them, allowed are {} px: was a camera moved since, or is the square size another?",
        calibration.rms_px, kWorstRmsPx));
  }
  const ParameterPlaces places = calibration.Places();
  for (int c = 0; c < places.num_cameras; ++c) {
    const CalibratedCamera& camera = calibration.cameras[c];
    const double sigma =
        std::sqrt(calibration.covariance(places.Intrinsics(c), places.Intrinsics(c)));
    const double focal = camera.camera.intrinsics[0];
    if (sigma <= kWorstRelativeSigma * focal) continue;
    reasons->push_back(
        fmt::format("{} focal length fx is known to {:.2g} % only, {} % are needed: calibrate "
                    "better, or state a smaller calibration.sigma_px if you know better",
                    camera.name, 100.0 * sigma / focal, 100.0 * kWorstRelativeSigma));
  }
}

}  // namespace

void Judge(RigCalibration* calibration) {
  const CalibrationQuality& quality = calibration->quality;
  std::vector<std::string>& reasons = calibration->verdict_reasons;
  reasons.clear();
  if (!calibration->source.empty()) {
    JudgeTakenOver(*calibration, &reasons);
    calibration->verdict = reasons.empty() ? "ok" : "poor";
    return;
  }
  // Written so that NaN counts against.
  if (!(calibration->rms_px <= kWorstRmsPx)) {
    reasons.push_back(fmt::format(
        "reprojection rms {:.2f} px is above {} px: is the board flat, still and sharp in both "
        "images of each pair, and its square size right?",
        calibration->rms_px, kWorstRmsPx));
  }
  if (std::isfinite(quality.held_out.rms_px) &&
      !(quality.held_out.rms_px <= kWorstHeldOutRatio * calibration->rms_px)) {
    reasons.push_back(fmt::format(
        "views left out of the estimate are predicted to {:.2f} px only, {:.1f} times the rms of "
        "the fit: photograph more views",
        quality.held_out.rms_px, quality.held_out.rms_px / calibration->rms_px));
  }
  if (quality.num_views < kLeastViews) {
    reasons.push_back(fmt::format("{} views, at least {} are needed to judge: photograph more",
                                  quality.num_views, kLeastViews));
  }
  if (!(quality.tilt_range_deg >= kLeastTiltDeg)) {
    reasons.push_back(fmt::format(
        "the boards differ by at most {:.0f} deg in direction, at least {:.0f} deg are needed: "
        "photograph boards tilted by 20 to 45 deg about their long and their short side",
        quality.tilt_range_deg, kLeastTiltDeg));
  }
  const auto judge_coverage = [&](const std::string& side, double coverage) {
    if (coverage >= kLeastCoverage) return;
    reasons.push_back(fmt::format(
        "corners lie in {:.0f} % of the {} image, at least {:.0f} % are needed: photograph boards "
        "near its edges and corners",
        100.0 * coverage, side, 100.0 * kLeastCoverage));
  };
  for (std::size_t c = 0; c < calibration->cameras.size(); ++c) {
    judge_coverage(calibration->cameras[c].name, quality.coverage[c]);
  }
  const auto judge_sigma = [&](const std::string& what, double value, double sigma) {
    if (sigma <= kWorstRelativeSigma * std::abs(value)) return;
    reasons.push_back(fmt::format(
        "{} is known to {:.2g} % only, {} % are needed: photograph more and more tilted boards",
        what, 100.0 * sigma / std::abs(value), 100.0 * kWorstRelativeSigma));
  };
  const ParameterPlaces places = calibration->Places();
  for (int c = 0; c < places.num_cameras; ++c) {
    const CalibratedCamera& camera = calibration->cameras[c];
    for (int axis = 0; axis < 2; ++axis) {
      const int place = places.Intrinsics(c) + axis;
      judge_sigma(fmt::format("{} focal length {}", camera.name, axis == 0 ? "fx" : "fy"),
                  camera.camera.intrinsics[axis], std::sqrt(calibration->covariance(place, place)));
    }
  }
  for (std::size_t c = 1; c < calibration->cameras.size(); ++c) {
    const CalibratedCamera& camera = calibration->cameras[c];
    judge_sigma(fmt::format("the distance between the {} and the {} camera",
                            calibration->cameras[0].name, camera.name),
                camera.from_first.t.norm(), BaselineSigma(*calibration, c));
  }
  const int measured = calibration->num_corners + quality.num_rejected_corners;
  if (quality.num_rejected_corners > kWorstRejectedShare * measured) {
    reasons.push_back(fmt::format("{} of {} corners had to be rejected, allowed are {:.0f} %",
                                  quality.num_rejected_corners, measured,
                                  100.0 * kWorstRejectedShare));
  }
  JudgeSystematic(quality, &reasons);
  calibration->verdict = reasons.empty() ? "ok" : "poor";
}

}  // namespace percuss::calibration
