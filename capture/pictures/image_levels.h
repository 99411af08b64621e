// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <opencv2/core/mat.hpp>
#include <optional>

#include "capture/pictures/grey_levels.h"

namespace percuss::capture {

/// The levels of pictures of images: 8 bits, or of deeper ones the stated number.
/// @throws InputError naming the file where a value is above that, or where there are neither 8 nor
///   16 bits.
GreyLevels LevelsOfImage(const cv::Mat& luma, std::optional<int> bit_depth,
                         const std::filesystem::path& file);

}  // namespace percuss::capture
