// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <functional>
#include <opencv2/core/mat.hpp>
#include <vector>

#include "tracking/spots/spot_measurement.h"

namespace percuss::tracking {

/// What is seen of coded tags in a picture.
struct CodedSpots {
  std::vector<Blob> blobs;                               ///< their corners, with Blob::marker
  std::vector<std::array<Eigen::Vector2d, 4>> outlines;  ///< of the black squares, in order [px]
};

struct DetectionOptions {
  /// Diameter a marker would have at the distance of the surface, seen face on [px]. Spots whose
  /// half-way area is outside `area_range` times that disc are not markers.
  double expected_diameter_px = 8.0;
  std::array<double, 2> area_range = {0.06, 5.0};
  double max_elongation = 8.0;
  /// A spot must rise above its surround by this many standard deviations of the grey noise, and by
  /// `min_contrast_grey` grey values (of PictureToScan).
  double min_contrast_sigmas = 6.0;
  double min_contrast_grey = 10.0;
  /// A spot whose centroid the noise blurs by more than this is noise itself [px].
  double max_centroid_sigma_px = 0.25;
  Polarity polarity = Polarity::kBright;  ///< of the markers against the body
  bool bands = false;                     ///< tape wound round a rod: no ellipse
  std::size_t max_spots = 200;            ///< the search ends with these, strongest first
  bool keep_rejected = false;             ///< fills VideoSpots::rejected
  bool dots = true;                       ///< false: there are tags alone
  /// Reads the tags of a picture (8-bit grey) where the body has any.
  std::function<CodedSpots(const cv::Mat& luma, const ToneTables& tone)> find_tags = {};

  /// @throws std::invalid_argument naming the field, its value and its bound.
  void Validate() const;
};

/// Standard deviation of the grey noise of an image, from the median absolute response to a mask
/// that is blind to planes and straight edges (J. Immerkaer, Fast Noise Variance Estimation, CVIU
/// 64, 1996), so that scene content counts little. Some forty rows, spread over the image, are
/// looked at. In stored grey values; not below that of their rounding.
double EstimateGreyNoise(const cv::Mat& luma);

/// Spots that could be markers, at first look, and what RefineSpot needs.
struct CoarseSpots {
  std::vector<CoarseSpot> spots;  ///< strongest first
  SpotLimits limits;
};

/// Finds spots that could be markers: ScanForSpots says where, FindCoarseSpots looks at each.
/// @param luma CV_8UC1 or CV_16UC1; @param halved HalvedPicture of it.
/// @param rejected if given, gets what is no spot; with half the contrast that is asked for, what
///   is too faint
CoarseSpots DetectCoarseSpots(const cv::Mat& luma, const cv::Mat& halved, const ToneTables& tone,
                              const DetectionOptions& options,
                              std::vector<RejectedSpot>* rejected = nullptr);

}  // namespace percuss::tracking
