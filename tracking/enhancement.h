// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tracking/inspection/trial_inspection.h"

namespace percuss::tracking {

/// How far each pixel stands out of its surround towards the markers' side: the picture less its
/// opening (dark markers: its closing less the picture) by a square two markers wide, so that large
/// bright things of the scene are level. @param grey CV_8UC1. @return CV_8UC1
cv::Mat AboveSurround(const cv::Mat& grey, double diameter_px, Polarity polarity);

/// Value that best parts the pixels of AboveSurround into scene and markers: that with the largest
/// variance between the two classes (N. Otsu, IEEE Trans. SMC 9(1), 1979). Markers are few pixels,
/// so the scene counts as one value, its median, as often as all that differs from it by
/// `min_contrast_grey`.
/// @return nothing where no pixel differs by so much
std::optional<int> MarkerThreshold(const cv::Mat& above_surround, double min_contrast_grey = 30.0);

/// 255 above the threshold, 0 elsewhere; all 0 without one.
cv::Mat BinaryPicture(const cv::Mat& above_surround, std::optional<int> threshold);

/// Something to be written beside a place of a picture.
struct PlaceName {
  Eigen::Vector2d pixel = Eigen::Vector2d::Zero();
  std::string name;
};

/// The grey picture in colours, the regions of the binary one outlined, names beside their places.
/// @return CV_8UC3
cv::Mat OutlinedPicture(const cv::Mat& grey, const cv::Mat& binary,
                        std::span<const PlaceName> names);

/// "left/000120": what names of the pictures of a frame begin with, seen from their folder.
std::string PictureName(std::size_t view, int frame);

/// The enhancement chain of a thesis on drop tests (sun2017 4.2.3: colour, grey, binary, outlined
/// markers), to be looked at; the tracker measures light, not these pictures. Of the frames that
/// are to be pictured it writes PictureName with -grey.png, -binary.png and -outline.png, and with
/// .jpg the grey one, small, for a page.
/// @param diameter_px of a marker, ExpectedMarkerDiameter
/// @throws InputError as VideoReader.
void WriteEnhanced(const capture::Trial& trial, const capture::VideoClock& clock,
                   const std::vector<InspectedFrame>& frames, double diameter_px, Polarity polarity,
                   const std::filesystem::path& folder);

}  // namespace percuss::tracking
