// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <opencv2/core/mat.hpp>
#include <vector>

#include "capture/experiment/experiment.h"
#include "capture/pictures/grey_levels.h"

namespace percuss::capture {

/// Light (0 to 1, proportional to radiance) of each of the 256 grey values. sRGB: IEC 61966-2-1.
/// @throws std::invalid_argument if a gamma is not positive and finite.
std::array<float, 256> LightOfGrey(const Tone& tone);

/// LightOfGrey for values stored in studio range; those outside are black and white.
/// @throws std::invalid_argument if a gamma is not positive and finite.
std::array<float, 256> LightOfStudioGrey(const Tone& tone);

/// Light of each stored value from 0 to levels.white. Of 8 bits those below black are black, as
/// above. Deeper pictures have noise there, which would lose one half of itself: the curve goes on
/// as a straight line (a gamma, which has no slope at black, stays level).
/// @throws std::invalid_argument if a gamma is not positive and finite.
std::vector<float> LightOfLevels(const Tone& tone, const GreyLevels& levels);

/// The picture in 8 bits on the full scale, 0 to 255, rounded; itself where it is that already.
/// @param luma CV_8UC1 or CV_16UC1
cv::Mat OnFullScale(const cv::Mat& luma, const GreyLevels& levels);

/// An 8-bit grey image as CV_32F light through LightOfGrey.
/// @throws std::invalid_argument if the image is not CV_8UC1.
cv::Mat Linearise(const cv::Mat& grey, const std::array<float, 256>& light_of_grey);

}  // namespace percuss::capture
