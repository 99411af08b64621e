// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/pictures/picture_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <opencv2/core.hpp>
#include <string>

#include "base/error.h"
#include "capture/pictures/cine_file.h"
#include "capture/pictures/mraw_file.h"
#include "capture/pictures/tiff_file.h"

namespace percuss::capture {
namespace fs = std::filesystem;

namespace {

std::string EndingOf(const fs::path& file) {
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

}  // namespace

std::unique_ptr<PictureFile> OpenPictureFile(const fs::path& file, std::optional<int> bit_depth) {
  const std::string ending = EndingOf(file);
  if (ending == ".cine") return OpenCine(file);
  if (ending == ".mraw" || ending == ".cih" || ending == ".cihx") return OpenMraw(file);
  if (ending == ".tif" || ending == ".tiff") return OpenTiff(file, bit_depth);
  return nullptr;
}

std::vector<double> StampedTimes(const fs::path& file) {
  return EndingOf(file) == ".cine" ? ReadCineHeader(file).about.times : std::vector<double>();
}

GreyLevels LevelsOfImage(const cv::Mat& luma, std::optional<int> bit_depth, const fs::path& file) {
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
