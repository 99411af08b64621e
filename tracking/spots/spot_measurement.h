// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <vector>

#include "tracking/spots/spot_fit.h"

namespace percuss::tracking {

/// Whether a marker is brighter or darker than what surrounds it.
enum class Polarity { kBright, kDark };

/// A spot in one image that could be a marker.
struct Blob {
  Eigen::Vector2d centre = Eigen::Vector2d::Zero();          ///< [px], of the image of the disc
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Identity();  ///< of `centre` [px^2]
  /// Pixels beyond half way from the surround to the peak [px^2]; NaN where nobody measured it.
  double area = 0.0;
  double elongation = 1;  ///< long over short axis of the half-way outline
  double contrast = 0.0;  ///< difference to the surround, in light (0 to 1)
  double misfit = 1.0;    ///< mean squared residual of a blurred ellipse, in units of the noise
                          ///< variance: far above 1 for what is not an even disc
  Polarity polarity = Polarity::kBright;
  int marker = -1;  ///< place in the layout where a code tells it: a corner of a tag, without area
};

/// What a scan of an image hands to the measurement: a place where something stands out.
struct SpotCandidate {
  cv::Rect box;  ///< smallest box of the pixels that stand out, within the image
  Polarity polarity = Polarity::kBright;
  cv::Mat mask;           ///< CV_8U of the size of `box`: those pixels; empty: all of them
  int contrast_grey = 0;  ///< by how much the strongest pixel does
};

/// Why something that stands out of a picture is no spot.
enum class SpotFault { kTooSmall, kTooLarge, kNotRound, kAtBorder, kUnsure, kFaint };

/// Something that is no spot, for those who ask for it.
struct RejectedSpot {
  Eigen::Vector2d centre = Eigen::Vector2d::Zero();  ///< [px]
  SpotFault fault = SpotFault::kTooSmall;
  /// What it has, and the limit: area [px^2], elongation, sigma of its place [px] or contrast
  /// [grey]; 0 at the border.
  double value = 0.0, limit = 0.0;
};

/// What a spot must be like to be a marker.
struct SpotLimits {
  std::array<double, 2> area{};         ///< [px^2]
  double max_elongation = 8.0;          ///< long over short axis
  double max_centroid_sigma_px = 0.25;  ///< a spot blurred more by the noise is noise itself
  bool bands = false;                   ///< spots are tape wound round a rod, not discs
};

/// The picture around a spot, as far as RefineSpot needs it.
struct SpotPatch {
  cv::Rect area;                    ///< in the image
  std::vector<std::uint16_t> grey;  ///< stored values of `area`, by rows
  /// Of `area`, 0 or 1: within reach of the spot, and not near another one.
  std::vector<std::uint8_t> of_spot;
  double grey_noise = 1.0;                                ///< standard deviation, stored values
  double surround = 0.0, peak = 0.0;                      ///< light
  Eigen::Vector2d core_centre = Eigen::Vector2d::Zero();  ///< of the pixels beyond half way [px]
  Eigen::Matrix2d core_moments = Eigen::Matrix2d::Identity();  ///< central second ones [px^2]
  bool at_border = false;  ///< of the image; a centroid would be off there
};

/// A spot at first look: its centre is the centroid of the light above the surround; light, not
/// grey, since only light adds up over a pixel and over the exposure. The covariance allows for
/// what a centroid gets wrong, 0.1 px. The misfit is not known yet.
struct CoarseSpot {
  Blob blob;
  SpotPatch patch;
};

/// Finds the spots of a candidate and appends them: none, one or, where markers run together,
/// several. The surround level is the median of a ring around the box; a spot is what lies beyond
/// half way from there to the peak, connected.
/// @param luma CV_8UC1 or CV_16UC1; @param grey_noise standard deviation of its noise.
/// @param rejected if given, gets what the limits leave out
void FindCoarseSpots(const cv::Mat& luma, const ToneTables& tone, double grey_noise,
                     const SpotCandidate& candidate, const SpotLimits& limits,
                     std::vector<CoarseSpot>* spots, std::vector<RejectedSpot>* rejected = nullptr);

/// Fits a blurred ellipse to the grey values of a spot (FitSpot). Where that fails, the centroid
/// stays. Of a band, which is no ellipse, it is the centroid of what is beyond the surround towards
/// the peak: the rod beside the band, on the other side of the surround, does not count. Nothing if
/// the noise leaves the centre less certain than `limits` say, or if the border of the image cuts
/// the disc.
/// @param image_size of the picture that the spot was found in
/// @param rejected if given, gets the spot where the answer is nothing
std::optional<Blob> RefineSpot(const CoarseSpot& spot, const ToneTables& tone,
                               const SpotLimits& limits, const cv::Size& image_size,
                               std::vector<RejectedSpot>* rejected = nullptr);

}  // namespace percuss::tracking
