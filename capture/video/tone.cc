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

// Light of a grey value, 0 black to 1 white.
double LightOfShare(double value, const Tone& tone) {
  switch (tone.kind) {
    case Tone::Kind::kGamma:
      return std::pow(std::max(value, 0.0), tone.gamma);
    case Tone::Kind::kSrgb:
      return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    default:
      return value;
  }
}

void RequireTone(const Tone& tone) {
  if (tone.kind == Tone::Kind::kGamma && !(tone.gamma > 0.0 && std::isfinite(tone.gamma))) {
    throw std::invalid_argument(
        fmt::format("Tone.gamma: found {}, allowed positive and finite", tone.gamma));
  }
}

// Light of each grey value, where `black` and `white` are the ends of the scale.
std::array<float, 256> LightBetween(const GreyLevels& levels, const Tone& tone) {
  RequireTone(tone);
  const double black = levels.black, white = levels.white;
  std::array<float, 256> light;
  for (std::size_t grey = 0; grey < light.size(); ++grey) {
    const double value =
        std::clamp((static_cast<double>(grey) - black) / (white - black), 0.0, 1.0);
    light[grey] = static_cast<float>(LightOfShare(value, tone));
  }
  return light;
}

}  // namespace

std::array<float, 256> LightOfGrey(const Tone& tone) { return LightBetween({}, tone); }

std::array<float, 256> LightOfStudioGrey(const Tone& tone) {
  return LightBetween(kStudioRange, tone);
}

std::vector<float> LightOfLevels(const Tone& tone, const GreyLevels& levels) {
  if (levels.white <= 255) {
    const std::array<float, 256> light = LightBetween(levels, tone);
    return {light.begin(), light.end()};
  }
  RequireTone(tone);
  std::vector<float> light;
  light.reserve(static_cast<std::size_t>(levels.white) + 1);
  for (int grey = 0; grey <= levels.white; ++grey) {
    const double share = static_cast<double>(grey - levels.black) / (levels.white - levels.black);
    light.push_back(static_cast<float>(LightOfShare(share, tone)));
  }
  return light;
}

cv::Mat OnFullScale(const cv::Mat& luma, const GreyLevels& levels) {
  if (luma.type() == CV_8UC1 && levels == GreyLevels{}) return luma;
  const double step = levels.Step();
  cv::Mat full;
  luma.convertTo(full, CV_8U, step, -step * levels.black);
  return full;
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
