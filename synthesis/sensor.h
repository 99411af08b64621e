// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/core/mat.hpp>

#include "synthesis/pixel_sampling.h"
#include "synthesis/scene_spec.h"

// From light to the 8-bit picture that a camera stores.
namespace percuss::synthesis {

/// The lens: a Gaussian of standard deviation blur_px, then an even disc of diameter defocus_px.
cv::Mat Blurred(const cv::Mat& light, double blur_px, double defocus_px);

/// A layer over a picture, through the lens; only the surroundings of the layer are blurred anew.
/// @param sharp the picture, @param blurred the picture through the lens.
cv::Mat Composed(const Layer& layer, const cv::Mat& sharp, const cv::Mat& blurred, double blur_px,
                 double defocus_px);

/// Photon and read noise, tone curve, rounding to 8 bit. The same seed gives the same picture.
cv::Mat Photograph(const cv::Mat& light, const std::optional<NoiseSpec>& noise,
                   capture::Tone::Kind tone, std::uint64_t seed);

/// A seed for one picture out of that of the experiment.
std::uint64_t PictureSeed(std::uint32_t seed, std::uint64_t group, std::uint64_t camera,
                          std::uint64_t picture);

}  // namespace percuss::synthesis
