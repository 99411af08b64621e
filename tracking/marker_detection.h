// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <opencv2/core/mat.hpp>
#include <vector>

namespace percuss::tracking {

/// A bright spot in one image that could be a marker.
struct Blob {
  Eigen::Vector2d centre =
      Eigen::Vector2d::Zero();  ///< [px], centroid of the light above its surround
  Eigen::Matrix2d covariance =
      Eigen::Matrix2d::Identity();  ///< of `centre`, from the grey noise [px^2]
  double area = 0.0;      ///< pixels brighter than half way between surround and peak [px^2]
  double elongation = 1;  ///< long over short axis of the half-way outline
  double contrast = 0.0;  ///< peak minus surround, in light (0 to 1)
};

struct DetectionOptions {
  /// Diameter a marker would have at the distance of the surface, seen face on [px]. Spots whose
  /// half-way area is outside `area_range` times that disc are not markers.
  double expected_diameter_px = 8.0;
  std::array<double, 2> area_range = {0.06, 5.0};
  double max_elongation = 8.0;
  /// A spot must rise above its surround by this many standard deviations of the grey noise, and by
  /// `min_contrast_grey` grey values.
  double min_contrast_sigmas = 6.0;
  double min_contrast_grey = 10.0;
  /// A spot whose centroid the noise blurs by more than this is noise itself [px].
  double max_centroid_sigma_px = 0.25;

  /// @throws std::invalid_argument naming the field, its value and its bound.
  void Validate() const;
};

/// Standard deviation of the grey noise of an image, from the median absolute response to a mask
/// that is blind to planes and straight edges (J. Immerkaer, Fast Noise Variance Estimation, CVIU
/// 64, 1996), so that scene content counts little. Every third row is looked at.
double EstimateGreyNoise(const cv::Mat& luma);

/// Finds bright spots on a darker surround.
///
/// Candidates come from the white top-hat of the grey image (what an opening wider than a marker
/// removes). Around each, the surround level is the median of a thin ring, the spot is what rises
/// half way from there to the peak, and the centroid weighs every pixel of the spot and of a margin
/// that holds its blurred edge by its light above the surround: light, not grey, since only light
/// adds up over a pixel and over the exposure. No pixel is cut by a threshold inside the blurred
/// edge, so the centroid does not lock to the pixel grid.
///
/// @param luma 8-bit grey image; @param light_of_grey capture::LightOfGrey of its tone.
std::vector<Blob> DetectBlobs(const cv::Mat& luma, const std::array<float, 256>& light_of_grey,
                              const DetectionOptions& options);

}  // namespace percuss::tracking
