// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/video/tone.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <stdexcept>

namespace percuss::capture {

namespace {

// Light of each grey value, where `black` and `white` are the ends of the scale.
std::array<float, 256> LightBetween(double black, double white, const Tone& tone) {
  if (tone.kind == Tone::Kind::kGamma && !(tone.gamma > 0.0 && std::isfinite(tone.gamma))) {
    throw std::invalid_argument(
        fmt::format("Tone.gamma: found {}, allowed positive and finite", tone.gamma));
  }
  std::array<float, 256> light;
  for (std::size_t grey = 0; grey < light.size(); ++grey) {
    const double value =
        std::clamp((static_cast<double>(grey) - black) / (white - black), 0.0, 1.0);
    double result = value;
    if (tone.kind == Tone::Kind::kGamma) {
      result = std::pow(value, tone.gamma);
    } else if (tone.kind == Tone::Kind::kSrgb) {
      result = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    }
    light[grey] = static_cast<float>(result);
  }
  return light;
}

}  // namespace

std::array<float, 256> LightOfGrey(const Tone& tone) { return LightBetween(0.0, 255.0, tone); }

std::array<float, 256> LightOfStudioGrey(const Tone& tone) {
  return LightBetween(kStudioBlack, kStudioWhite, tone);
}

cv::Mat Linearise(const cv::Mat& grey, const std::array<float, 256>& light_of_grey) {
  if (grey.type() != CV_8UC1) {
    throw std::invalid_argument(
        fmt::format("Linearise: found an image of OpenCV type {}, allowed {} (8 bit, one channel)",
                    grey.type(), CV_8UC1));
  }
  const cv::Mat table(1, 256, CV_32FC1, const_cast<float*>(light_of_grey.data()));
  cv::Mat light;
  cv::LUT(grey, table, light);
  return light;
}

}  // namespace percuss::capture
