// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/pictures/open_picture_file.h"

#include <algorithm>
#include <cctype>
#include <string>

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

}  // namespace percuss::capture
