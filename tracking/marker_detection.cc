// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/marker_detection.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

namespace percuss::tracking {
namespace {

/// The half-way outline of one spot inside a window around it.
struct Spot {
  cv::Rect window;
  cv::Mat core;           ///< CV_8U mask of the window: brighter than half way, connected
  double surround = 0.0;  ///< light
  double peak = 0.0;      ///< light
  double surround_grey = 0.0;
};

double Median(std::vector<float>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

cv::Rect Grown(const cv::Rect& box, int margin, const cv::Size& image) {
  return cv::Rect(box.x - margin, box.y - margin, box.width + 2 * margin, box.height + 2 * margin) &
         cv::Rect(cv::Point(0, 0), image);
}

bool TouchesBorder(const cv::Rect& box, const cv::Size& image) {
  return box.x <= 0 || box.y <= 0 || box.br().x >= image.width || box.br().y >= image.height;
}

cv::Mat Dilated(const cv::Mat& mask, int radius) {
  cv::Mat out;
  cv::dilate(mask, out,
             cv::getStructuringElement(cv::MORPH_ELLIPSE, {2 * radius + 1, 2 * radius + 1}));
  return out;
}

/// Light of the pixels of a window.
cv::Mat_<float> LightOf(const cv::Mat& luma, const cv::Rect& window,
                        const std::array<float, 256>& light_of_grey) {
  cv::Mat_<float> light(window.size());
  for (int y = 0; y < window.height; ++y) {
    const uchar* grey = luma.ptr<uchar>(window.y + y) + window.x;
    float* out = light.ptr<float>(y);
    for (int x = 0; x < window.width; ++x) out[x] = light_of_grey[grey[x]];
  }
  return light;
}

double MedianUnder(const cv::Mat_<float>& light, const cv::Mat& mask) {
  std::vector<float> values;
  for (int y = 0; y < light.rows; ++y) {
    for (int x = 0; x < light.cols; ++x) {
      if (mask.at<uchar>(y, x)) values.push_back(light(y, x));
    }
  }
  return values.empty() ? std::nan("") : Median(values);
}

/// Central second moments of a mask and its area, in pixels.
struct MaskMoments {
  double area = 0.0;
  double elongation = 1.0;
};

MaskMoments MomentsOf(const cv::Mat& mask) {
  const cv::Moments m = cv::moments(mask, true);
  // 1/12 is the spread of light inside one pixel.
  const double xx = m.mu20 / m.m00 + 1.0 / 12, yy = m.mu02 / m.m00 + 1.0 / 12, xy = m.mu11 / m.m00;
  const double mean = 0.5 * (xx + yy), root = std::hypot(0.5 * (xx - yy), xy);
  return {m.m00, std::sqrt((mean + root) / std::max(mean - root, 1e-3))};
}

/// Centroid of the light above the surround over `mask`, and its covariance from grey noise:
///     c = sum (L - b) x / S,  S = sum (L - b),  cov = sum sigma_L^2 (x - c)(x - c)^T / S^2
/// where sigma_L = sigma_grey dL/dgrey.
void MeasureCentroid(const cv::Mat& luma, const cv::Mat_<float>& light, const cv::Rect& window,
                     const cv::Mat& mask, double surround, double grey_noise,
                     const std::array<float, 256>& light_of_grey, Blob* blob) {
  double sum = 0.0;
  Eigen::Vector2d first = Eigen::Vector2d::Zero();
  for (int y = 0; y < light.rows; ++y) {
    for (int x = 0; x < light.cols; ++x) {
      if (!mask.at<uchar>(y, x)) continue;
      const double weight = light(y, x) - surround;
      sum += weight;
      first += weight * Eigen::Vector2d(x, y);
    }
  }
  const Eigen::Vector2d centre = first / sum;
  Eigen::Matrix2d spread = Eigen::Matrix2d::Zero();
  for (int y = 0; y < light.rows; ++y) {
    for (int x = 0; x < light.cols; ++x) {
      if (!mask.at<uchar>(y, x)) continue;
      const int grey = luma.at<uchar>(window.y + y, window.x + x);
      const double slope = 0.5 * (light_of_grey[static_cast<std::size_t>(std::min(grey + 1, 255))] -
                                  light_of_grey[static_cast<std::size_t>(std::max(grey - 1, 0))]);
      const double noise = grey_noise * slope;
      const Eigen::Vector2d offset = Eigen::Vector2d(x, y) - centre;
      spread += noise * noise * offset * offset.transpose();
    }
  }
  blob->centre = centre + Eigen::Vector2d(window.x, window.y);
  blob->covariance = spread / (sum * sum);
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
  // The mask is the product of two second differences (1 -2 1): its response to white noise of unit
  // variance has a standard deviation of 6. The median of the absolute response ignores the few
  // pixels on corners.
  std::array<int, 2048> histogram{};  // responses are small integers, so nothing needs sorting
  int count = 0;
  for (int y = 1; y + 1 < luma.rows; y += 3) {
    const uchar *above = luma.ptr<uchar>(y - 1), *row = luma.ptr<uchar>(y),
                *below = luma.ptr<uchar>(y + 1);
    const auto second_difference = [&](int x) { return above[x] - 2 * row[x] + below[x]; };
    for (int x = 1; x + 1 < luma.cols; ++x) {
      const int response =
          second_difference(x - 1) - 2 * second_difference(x) + second_difference(x + 1);
      ++histogram[static_cast<std::size_t>(std::min(std::abs(response), 2047))];
      ++count;
    }
  }
  const double half = 0.5 * count;
  double below = 0.0;
  for (std::size_t value = 0; value < histogram.size(); ++value) {
    if (below + histogram[value] >= half) {
      const double inside = (half - below) / std::max(histogram[value], 1);
      const double median = value == 0 ? 0.5 * inside : static_cast<double>(value) - 0.5 + inside;
      return std::max(median / 0.6745 / 6.0,
                      0.2887);  // not below the rounding to whole grey values
    }
    below += histogram[value];
  }
  return 0.2887;
}

std::vector<Blob> DetectBlobs(const cv::Mat& luma, const std::array<float, 256>& light_of_grey,
                              const DetectionOptions& options) {
  options.Validate();
  const double disc_area =
      0.25 * std::numbers::pi * options.expected_diameter_px * options.expected_diameter_px;
  const double min_area = std::max(4.0, options.area_range[0] * disc_area);
  const double max_area = options.area_range[1] * disc_area;
  const double grey_noise = EstimateGreyNoise(luma);
  const double min_contrast_grey =
      std::max(options.min_contrast_grey, options.min_contrast_sigmas * grey_noise);

  const int opening = 2 * static_cast<int>(std::lround(1.1 * options.expected_diameter_px)) + 1;
  // Smoothing first: the noise of single pixels must not make spots of its own.
  cv::Mat smooth, top_hat, candidates, labels, stats, centroids;
  cv::GaussianBlur(luma, smooth, {5, 5}, 1.0);
  cv::morphologyEx(smooth, top_hat, cv::MORPH_TOPHAT,
                   cv::getStructuringElement(cv::MORPH_RECT, {opening, opening}));
  cv::threshold(top_hat, candidates, min_contrast_grey, 255, cv::THRESH_BINARY);
  const int count = cv::connectedComponentsWithStats(candidates, labels, stats, centroids, 8);

  std::vector<Blob> blobs;
  for (int label = 1; label < count; ++label) {
    const cv::Rect box(
        stats.at<int>(label, cv::CC_STAT_LEFT), stats.at<int>(label, cv::CC_STAT_TOP),
        stats.at<int>(label, cv::CC_STAT_WIDTH), stats.at<int>(label, cv::CC_STAT_HEIGHT));
    if (stats.at<int>(label, cv::CC_STAT_AREA) < 4) continue;
    if (box.width > 3 * opening || box.height > 3 * opening) continue;
    constexpr int kMargin = 6;
    const cv::Rect window = Grown(box, kMargin, luma.size());
    const cv::Mat_<float> light = LightOf(luma, window, light_of_grey);

    // Surround: a ring of two pixels, two pixels outside the candidate.
    const cv::Mat candidate = labels(window) == label;
    const cv::Mat ring = Dilated(candidate, 4) & ~Dilated(candidate, 2);
    const double surround = MedianUnder(light, ring);
    double peak = 0.0;
    cv::minMaxLoc(light, nullptr, &peak, nullptr, nullptr, candidate);
    if (!(peak > surround)) continue;

    // Two markers that run together in the candidate mask come apart at half height.
    const cv::Mat bright = (light > static_cast<float>(0.5 * (surround + peak))) & candidate;
    cv::Mat parts, part_stats, part_centroids;
    const int num_parts =
        cv::connectedComponentsWithStats(bright, parts, part_stats, part_centroids, 8);
    for (int part = 1; part < num_parts; ++part) {
      const cv::Mat core = parts == part;
      const MaskMoments shape = MomentsOf(core);
      if (shape.area < min_area || shape.area > max_area) continue;
      if (shape.elongation > options.max_elongation) continue;
      const cv::Rect core_box(part_stats.at<int>(part, cv::CC_STAT_LEFT) + window.x,
                              part_stats.at<int>(part, cv::CC_STAT_TOP) + window.y,
                              part_stats.at<int>(part, cv::CC_STAT_WIDTH),
                              part_stats.at<int>(part, cv::CC_STAT_HEIGHT));
      if (TouchesBorder(core_box, luma.size())) continue;
      Blob blob;
      blob.area = shape.area;
      blob.elongation = shape.elongation;
      blob.contrast = peak - surround;
      cv::Mat mask = Dilated(core, 3);
      if (num_parts > 2) mask &= ~Dilated(bright & ~core, 1);
      MeasureCentroid(luma, light, window, mask, surround, grey_noise, light_of_grey, &blob);
      if (!(blob.covariance.trace() <
            2.0 * options.max_centroid_sigma_px * options.max_centroid_sigma_px))
        continue;
      if (!cv::Rect2d(window).contains({blob.centre.x(), blob.centre.y()})) continue;
      blobs.push_back(blob);
    }
  }
  return blobs;
}

}  // namespace percuss::tracking
