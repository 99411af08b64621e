// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <vector>

#include "synthesis/scene/scene_spec.h"

namespace percuss::synthesis {

/// What Photograph (synthesis/scene/sensor.h) does, some five times as fast, for clips of hundreds
/// of pictures: the tone curve is a table of whole grey values over 32768 steps of light, and
/// normal deviates are sums of two stretches of a table of 2^19, which begin anew in each row.
class FastSensor {
 public:
  FastSensor(const std::optional<NoiseSpec>& noise, capture::Tone::Kind tone);

  /// Standard deviation of the noise of each pixel, in light; empty without noise. CV_32FC1.
  cv::Mat Sigma(const cv::Mat& light) const;

  /// @param sigma Sigma(light)
  /// @param grey CV_8UC1 of the size of `light`, which may be a part of a picture
  void Expose(const cv::Mat& light, const cv::Mat& sigma, std::uint64_t seed, cv::Mat* grey) const;

 private:
  std::optional<NoiseSpec> noise_;
  std::vector<unsigned char> grey_of_;
};

}  // namespace percuss::synthesis
