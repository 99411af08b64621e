// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/core/mat.hpp>

#include "synthesis/camera/pixel_sampling.h"
#include "synthesis/scene/scene_spec.h"

// From light to the picture that a camera stores.
namespace percuss::synthesis {

/// The lens: a Gaussian of standard deviation blur_px, then an even disc of diameter defocus_px,
/// both in pixels of the picture.
cv::Mat Blurred(const cv::Mat& light, double blur_px, double defocus_px);

/// How many parts a pixel must be divided into, along each side, for Blurred to do what a lens
/// does. A lens blurs before the pixels sample; a sum over pixels blurs what they sampled, and with
/// blurs narrower than they are wide it moves edges back and forth by 0.02 px as they cross them.
int Fineness(double blur_px);

/// Mean over fineness x fineness parts: what the pixels see.
cv::Mat Pixels(const cv::Mat& parts, int fineness);

/// A layer over a picture, through the lens; only the surroundings of the layer are blurred anew.
/// @param sharp the picture and the layer's, each pixel in fineness x fineness parts
/// @param picture Pixels of Blurred(sharp)
/// @param blur_px, defocus_px in pixels, not in parts of them
cv::Mat Composed(const Layer& layer, const cv::Mat& sharp, const cv::Mat& picture, int fineness,
                 double blur_px, double defocus_px);

/// Photon and read noise, tone curve, rounding to so many bits. The same seed gives the same
/// picture, but for the rounding.
/// @param bits 8 to 16 @return CV_8UC1 of 8 bits, else CV_16UC1
cv::Mat Photograph(const cv::Mat& light, const std::optional<NoiseSpec>& noise,
                   capture::Tone::Kind tone, std::uint64_t seed, int bits = 8);

/// A seed for one picture out of that of the experiment.
std::uint64_t PictureSeed(std::uint32_t seed, std::uint64_t group, std::uint64_t camera,
                          std::uint64_t picture);

}  // namespace percuss::synthesis
