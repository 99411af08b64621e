// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <opencv2/core/mat.hpp>
#include <vector>

#include "tracking/spots/marker_detection.h"
#include "tracking/spots/spot_measurement.h"

// Both looks at a spot in turn: a track takes the second one only where it needs it.
namespace percuss::tracking {

/// Of a candidate.
inline std::vector<Blob> MeasureSpots(const cv::Mat& luma, const ToneTables& tone,
                                      double grey_noise, const SpotCandidate& candidate,
                                      const SpotLimits& limits) {
  std::vector<CoarseSpot> spots;
  FindCoarseSpots(luma, tone, grey_noise, candidate, limits, &spots);
  std::vector<Blob> blobs;
  for (const CoarseSpot& spot : spots) {
    if (const auto blob = RefineSpot(spot, tone, limits, luma.size())) blobs.push_back(*blob);
  }
  return blobs;
}

/// Of a whole picture, strongest first.
/// @param halved tracking::HalvedPicture of it; @param light_of_grey capture::LightOfGrey of its
/// tone.
inline std::vector<Blob> DetectBlobs(const cv::Mat& luma, const cv::Mat& halved,
                                     const std::array<float, 256>& light_of_grey,
                                     const DetectionOptions& options) {
  const ToneTables tone(light_of_grey);
  const CoarseSpots found = DetectCoarseSpots(luma, halved, tone, options);
  std::vector<Blob> blobs;
  for (const CoarseSpot& spot : found.spots) {
    if (const auto blob = RefineSpot(spot, tone, found.limits, luma.size())) blobs.push_back(*blob);
  }
  return blobs;
}

}  // namespace percuss::tracking
