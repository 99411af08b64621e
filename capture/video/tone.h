// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <opencv2/core/mat.hpp>

#include "capture/experiment/experiment.h"

namespace percuss::capture {

/// Light (0 to 1, proportional to radiance) of each of the 256 grey values. sRGB: IEC 61966-2-1.
/// @throws std::invalid_argument if a gamma is not positive and finite.
std::array<float, 256> LightOfGrey(const Tone& tone);

/// Grey values of studio range (ITU-R BT.601) in 8 bits.
inline constexpr double kStudioBlack = 16.0, kStudioWhite = 235.0;

/// Grey values of the full scale, 0 to 255, in one of studio range.
inline constexpr double kStudioStep = 255.0 / (kStudioWhite - kStudioBlack);

/// LightOfGrey for values stored in studio range; those outside are black and white.
/// @throws std::invalid_argument if a gamma is not positive and finite.
std::array<float, 256> LightOfStudioGrey(const Tone& tone);

/// An 8-bit grey image as CV_32F light through LightOfGrey.
/// @throws std::invalid_argument if the image is not CV_8UC1.
cv::Mat Linearise(const cv::Mat& grey, const std::array<float, 256>& light_of_grey);

}  // namespace percuss::capture
