// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spots/marker_detection.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <stdexcept>

#include "tracking/spots/spot_scan.h"

namespace percuss::tracking {
namespace {

/// Rows that the noise is estimated from, with every other pixel of them: with 1280 pixels each,
/// its sampling error is below 1 %.
constexpr int kNoiseRows = 36;

/// What would be a spot if less contrast were asked for, the strongest.
void AddFaintSpots(const cv::Mat& luma, const ScanPicture& picture, const ToneTables& tone,
                   double grey_noise, ScanOptions scan, const SpotLimits& limits,
                   std::vector<RejectedSpot>* rejected) {
  constexpr std::size_t kMost = 20;
  const double needed = scan.min_contrast_grey;
  scan.min_contrast_grey = 0.5 * needed;
  std::size_t count = 0;
  for (const SpotCandidate& candidate : ScanForSpots(picture.luma, picture.halved, scan)) {
    if (candidate.contrast_grey >= needed) continue;
    if (count >= kMost) break;
    std::vector<CoarseSpot> spots;
    FindCoarseSpots(luma, tone, grey_noise, candidate, limits, &spots);
    count += spots.size();
    for (const CoarseSpot& spot : spots) {
      rejected->push_back({spot.blob.centre, SpotFault::kFaint,
                           static_cast<double>(candidate.contrast_grey), needed});
    }
  }
}

/// EstimateGreyNoise for one kind of grey values.
template <typename Grey>
double GreyNoiseOf(const cv::Mat& luma) {
  // The mask is the product of two second differences (1 -2 1): its response to white noise of unit
  // variance has a standard deviation of 6. The median of the absolute response ignores the few
  // pixels on corners. Responses are integers, and all but those on corners small: nothing needs
  // sorting.
  constexpr double kRounding = 0.2887;
  constexpr int kLargest = sizeof(Grey) == 1 ? 2047 : (1 << 16) - 1;
  std::vector<int> histogram(kLargest + 1);
  int count = 0;
  const int step = std::max(3, luma.rows / kNoiseRows);
  for (int y = 1; y + 1 < luma.rows; y += step) {
    const Grey *above = luma.ptr<Grey>(y - 1), *row = luma.ptr<Grey>(y),
               *below = luma.ptr<Grey>(y + 1);
    const auto second_difference = [&](int x) { return above[x] - 2 * row[x] + below[x]; };
    for (int x = 1; x + 1 < luma.cols; x += 2) {
      const int response =
          second_difference(x - 1) - 2 * second_difference(x) + second_difference(x + 1);
      ++histogram[std::min(std::abs(response), kLargest)];
      ++count;
    }
  }
  const double half = 0.5 * count;
  double below = 0.0;
  for (std::size_t value = 0; value < histogram.size(); ++value) {
    if (below + histogram[value] >= half) {
      const double inside = (half - below) / std::max(histogram[value], 1);
      const double median = value == 0 ? 0.5 * inside : static_cast<double>(value) - 0.5 + inside;
      return std::max(median / 0.6745 / 6.0, kRounding);
    }
    below += histogram[value];
  }
  return kRounding;
}

}  // namespace

void DetectionOptions::Validate() const {
  const auto require_positive = [](const char* field, double value) {
    if (!(value > 0.0) || !std::isfinite(value)) {
      throw std::invalid_argument(
          fmt::format("DetectionOptions::{}: found {}, allowed > 0", field, value));
    }
  };
  require_positive("expected_diameter_px", expected_diameter_px);
  require_positive("area_range[0]", area_range[0]);
  require_positive("max_elongation", max_elongation);
  require_positive("min_contrast_sigmas", min_contrast_sigmas);
  require_positive("min_contrast_grey", min_contrast_grey);
  if (!(area_range[1] > area_range[0])) {
    throw std::invalid_argument(fmt::format(
        "DetectionOptions::area_range: found upper end {}, allowed above the lower end {}",
        area_range[1], area_range[0]));
  }
}

double EstimateGreyNoise(const cv::Mat& luma) {
  return luma.depth() == CV_8U ? GreyNoiseOf<uchar>(luma) : GreyNoiseOf<std::uint16_t>(luma);
}

CoarseSpots DetectCoarseSpots(const cv::Mat& luma, const cv::Mat& halved, const ToneTables& tone,
                              const DetectionOptions& options,
                              std::vector<RejectedSpot>* rejected) {
  options.Validate();
  const double disc_area =
      0.25 * std::numbers::pi * options.expected_diameter_px * options.expected_diameter_px;
  const double min_area = std::max(4.0, options.area_range[0] * disc_area);
  const double max_area = options.area_range[1] * disc_area;
  const ScanPicture picture = PictureToScan(luma, halved);
  const double grey_noise = EstimateGreyNoise(luma);
  const double min_contrast_grey =
      std::max(options.min_contrast_grey, options.min_contrast_sigmas * grey_noise / picture.step);
  const ScanOptions scan{.diameter_px = options.expected_diameter_px,
                         .min_contrast_grey = min_contrast_grey,
                         .polarity = options.polarity,
                         .max_candidates = 2 * options.max_spots};
  CoarseSpots found;
  found.limits = {.area = {min_area, max_area},
                  .max_elongation = options.max_elongation,
                  .max_centroid_sigma_px = options.max_centroid_sigma_px,
                  .bands = options.bands};
  const std::vector<SpotCandidate> candidates = ScanForSpots(picture.luma, picture.halved, scan);
  for (const SpotCandidate& candidate : candidates) {
    FindCoarseSpots(luma, tone, grey_noise, candidate, found.limits, &found.spots, rejected);
    if (found.spots.size() >= options.max_spots) break;
  }
  if (rejected) AddFaintSpots(luma, picture, tone, grey_noise, scan, found.limits, rejected);
  return found;
}

}  // namespace percuss::tracking
