// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/pictures/image_levels.h"

#include <fmt/format.h>

#include <opencv2/core.hpp>

#include "base/error.h"

namespace percuss::capture {

GreyLevels LevelsOfImage(const cv::Mat& luma, std::optional<int> bit_depth,
                         const std::filesystem::path& file) {
  if (luma.type() == CV_8UC1) return {};
  if (luma.type() != CV_16UC1) {
    throw InputError(
        fmt::format("{}: found grey values of another kind, allowed 8 or 16 bits", file.string()));
  }
  const GreyLevels levels = LevelsOfBits(bit_depth.value_or(16));
  double brightest = 0.0;
  cv::minMaxLoc(luma, nullptr, &brightest);
  if (brightest > levels.white) {
    throw InputError(fmt::format(
        "{}: found a grey value of {:.0f}, allowed at most {} with bit_depth: {} in the experiment "
        "file (leave it out where the values fill all 16 bits)",
        file.string(), brightest, levels.white, *bit_depth));
  }
  return levels;
}

}  // namespace percuss::capture
