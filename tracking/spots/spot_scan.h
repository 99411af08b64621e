// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <opencv2/core/mat.hpp>
#include <vector>

#include "tracking/spots/spot_measurement.h"

namespace percuss::tracking {

struct ScanOptions {
  double diameter_px = 8.0;  ///< of a marker seen face on; spots up to 2.2 times that stand out
  double min_contrast_grey = 10.0;  ///< above (or below) the surround, after smoothing
  Polarity polarity = Polarity::kBright;
  std::size_t max_candidates = 400;  ///< those of most contrast are kept
};

/// A picture at half its size: each pixel is the mean of two by two; a last odd row or column is
/// doubled. @param luma CV_8UC1 or CV_16UC1.
cv::Mat HalvedPicture(const cv::Mat& luma);

/// What is scanned of a picture.
struct ScanPicture {
  cv::Mat luma, halved;  ///< CV_8UC1
  double step = 1.0;     ///< stored grey values in one of these
};

/// A picture of 8 bits as it is; of a deeper one what lies between its darkest and its brightest
/// place, on about 250 grey values, but none finer than the stored ones: a picture that was exposed
/// too little shows its markers as one that was exposed well.
/// @param halved HalvedPicture(luma)
ScanPicture PictureToScan(const cv::Mat& luma, const cv::Mat& halved);

/// Where something of a marker's size stands out of a picture, strongest first.
///
/// Two steps, since nearly all of a picture is not a marker. At half size, the top-hat (what an
/// opening wider than a marker removes; for dark markers the same of the negative) is compared with
/// half the contrast asked for: the smallest spot, four pixels that share out among four means,
/// keeps a quarter of its contrast there, and half of it in the second step. At full size, and only
/// where the first step says so, the picture smoothed by (1 2 1)/4 both ways, so that the noise of
/// single pixels makes no spots of its own, is compared with the opening plus the whole contrast.
/// Connected pixels make a candidate; what is less than four pixels is none, and what is wider than
/// three openings is taken apart by asking for more contrast.
///
/// @param luma 8-bit grey image; @param halved HalvedPicture of it.
std::vector<SpotCandidate> ScanForSpots(const cv::Mat& luma, const cv::Mat& halved,
                                        const ScanOptions& options);

}  // namespace percuss::tracking
