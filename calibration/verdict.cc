// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

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

}  // namespace

double Coverage(const StereoBundle& bundle, int camera) {
  const auto side = static_cast<std::size_t>(camera);
  std::array<bool, kRasterColumns * kRasterRows> seen{};
  for (const StereoView& view : bundle.views) {
    const CornerImage& image = view.images[side];
    for (std::size_t k = 0; k < image.pixels.size(); ++k) {
      if (image.used[k] == 0) continue;
      const Eigen::Vector2d& pixel = image.pixels[k];
      const auto cell = [](double value, int size, std::size_t cells) {
        const double share = std::clamp((value + 0.5) / size, 0.0, 1.0);
        return std::min(static_cast<std::size_t>(share * static_cast<double>(cells)), cells - 1);
      };
      const std::size_t column = cell(pixel.x(), bundle.cameras[side].width, kRasterColumns);
      const std::size_t row = cell(pixel.y(), bundle.cameras[side].height, kRasterRows);
      seen[row * kRasterColumns + column] = true;
    }
  }
  return static_cast<double>(std::count(seen.begin(), seen.end(), true)) / seen.size();
}

double TiltRange(const StereoBundle& bundle) {
  double smallest_cosine = 1.0;
  for (const StereoView& a : bundle.views) {
    for (const StereoView& b : bundle.views) {
      // Normals in left camera axes are the third rows of board_from_left.
      const double cosine = a.board_from_left.R.row(2).dot(b.board_from_left.R.row(2));
      smallest_cosine = std::min(smallest_cosine, cosine);
    }
  }
  return std::acos(std::clamp(smallest_cosine, -1.0, 1.0)) * 180.0 / std::numbers::pi;
}

double BaselineSigma(const StereoCalibration& calibration) {
  const Eigen::Vector3d direction = calibration.right_from_left.t.normalized();
  return std::sqrt(direction.dot(calibration.covariance.block<3, 3>(21, 21) * direction));
}

void Judge(StereoCalibration* calibration) {
  const CalibrationQuality& quality = calibration->quality;
  std::vector<std::string>& reasons = calibration->verdict_reasons;
  reasons.clear();
  // Written so that NaN counts against.
  if (!(calibration->rms_px <= kWorstRmsPx)) {
    reasons.push_back(fmt::format(
        "reprojection rms {:.2f} px is above {} px: is the board flat, still and sharp in both "
        "images of each pair, and its square size right?",
        calibration->rms_px, kWorstRmsPx));
  }
  if (std::isfinite(calibration->rms_px_heldout) &&
      !(calibration->rms_px_heldout <= kWorstHeldOutRatio * calibration->rms_px)) {
    reasons.push_back(fmt::format(
        "views left out of the estimate are predicted to {:.2f} px only, {:.1f} times the rms of "
        "the fit: photograph more views",
        calibration->rms_px_heldout, calibration->rms_px_heldout / calibration->rms_px));
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
  const auto judge_coverage = [&](const char* side, double coverage) {
    if (coverage >= kLeastCoverage) return;
    reasons.push_back(fmt::format(
        "corners lie in {:.0f} % of the {} image, at least {:.0f} % are needed: photograph boards "
        "near its edges and corners",
        100.0 * coverage, side, 100.0 * kLeastCoverage));
  };
  judge_coverage("left", quality.coverage_left);
  judge_coverage("right", quality.coverage_right);
  const auto judge_sigma = [&](const std::string& what, double value, double sigma) {
    if (sigma <= kWorstRelativeSigma * std::abs(value)) return;
    reasons.push_back(fmt::format(
        "{} is known to {:.2g} % only, {} % are needed: photograph more and more tilted boards",
        what, 100.0 * sigma / std::abs(value), 100.0 * kWorstRelativeSigma));
  };
  const auto sigma = [&](int place) { return std::sqrt(calibration->covariance(place, place)); };
  judge_sigma("left focal length fx", calibration->left.intrinsics[0], sigma(0));
  judge_sigma("left focal length fy", calibration->left.intrinsics[1], sigma(1));
  judge_sigma("right focal length fx", calibration->right.intrinsics[0], sigma(9));
  judge_sigma("right focal length fy", calibration->right.intrinsics[1], sigma(10));
  judge_sigma("the distance between the cameras", calibration->right_from_left.t.norm(),
              BaselineSigma(*calibration));
  const int measured = calibration->num_corners + quality.num_rejected_corners;
  if (quality.num_rejected_corners > kWorstRejectedShare * measured) {
    reasons.push_back(fmt::format("{} of {} corners had to be rejected, allowed are {:.0f} %",
                                  quality.num_rejected_corners, measured,
                                  100.0 * kWorstRejectedShare));
  }
  calibration->verdict = reasons.empty() ? "ok" : "poor";
}

}  // namespace percuss::calibration
