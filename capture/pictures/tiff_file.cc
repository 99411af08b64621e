// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/pictures/tiff_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <vector>

#include "base/error.h"
#include "capture/pictures/binary_file.h"
#include "capture/pictures/image_levels.h"

namespace percuss::capture {
namespace fs = std::filesystem;

namespace {

// Follows the directories of a TIFF (Adobe, TIFF 6.0, section 2; BigTIFF, 2007) from page to page,
// each at the place that the one before names: libtiff takes a place beyond the end of the file, or
// one that was passed already, for the end of the pages.
int CountPages(const fs::path& path) {
  BinaryFile file(path);
  const auto order = file.Number<std::uint16_t>(0);
  const bool swapped = order == 0x4D4D;  // "MM"
  const auto number = [&](std::uint64_t at, int size) {
    std::uint8_t bytes[8] = {};
    file.Read(at, {bytes, static_cast<std::size_t>(size)});
    std::uint64_t value = 0;
    for (int k = 0; k < size; ++k) value = value << 8 | bytes[swapped ? k : size - 1 - k];
    return value;
  };
  const auto kind = number(2, 2);
  if ((order != 0x4949 && !swapped) || (kind != 42 && kind != 43))
    throw InputError(fmt::format("{}: found no TIFF file, allowed one", path.string()));
  const bool big = kind == 43;
  const int size = big ? 8 : 4;  // of a place
  int pages = 0;
  for (auto at = number(big ? 8 : 4, size); at != 0; ++pages) {
    const std::uint64_t entries = number(at, big ? 8 : 2);
    if (entries > file.Size() / 12) {
      throw InputError(
          fmt::format("{}: page {}: found {} entries, allowed as many as the file has "
                      "room for",
                      path.string(), pages + 1, entries));
    }
    at = number(at + (big ? 8 : 2) + (big ? 20 : 12) * entries, size);
    if (pages > static_cast<int>(file.Size() / 16)) {  // more than there is room for
      throw InputError(fmt::format("{}: page {}: found pages in a circle, allowed an end",
                                   path.string(), pages + 1));
    }
  }
  return pages;
}

class TiffFile : public PictureFile {
 public:
  TiffFile(const fs::path& path, std::optional<int> bit_depth)
      : path_(path), bit_depth_(bit_depth) {
    // OpenCV would print on stderr; what matters is in our messages.
    static std::once_flag quiet;
    std::call_once(quiet,
                   [] { cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT); });
    about_.num_frames = CountPages(path);
    if (about_.num_frames < 1)
      throw InputError(fmt::format("{}: found no page, allowed at least one", path.string()));
    const cv::Mat first = Read(0);
    about_.size = first.size();
    about_.levels = LevelsOfImage(first, bit_depth, path);
  }

  cv::Mat Read(int frame) override {
    const auto within = [&] {
      return frame >= first_ && frame < first_ + static_cast<int>(pages_.size());
    };
    if (!within()) Load(frame);
    if (!within()) {
      throw InputError(fmt::format("{}: page {} of {} cannot be read (damaged file?)",
                                   path_.string(), frame + 1, about_.num_frames));
    }
    const cv::Mat page = pages_[static_cast<std::size_t>(frame - first_)];
    LevelsOfImage(page, bit_depth_, path_);
    return page.clone();
  }

 private:
  // OpenCV counts through the directory to the first page asked for: several at once.
  void Load(int frame) {
    constexpr int kAtOnce = 16;
    pages_.clear();
    first_ = frame;
    try {
      cv::imreadmulti(path_.string(), pages_, frame, std::min(kAtOnce, about_.num_frames - frame),
                      kFlags);
    } catch (const cv::Exception&) {
      pages_.clear();
    }
  }

  static constexpr int kFlags =
      cv::IMREAD_GRAYSCALE | cv::IMREAD_ANYDEPTH | cv::IMREAD_IGNORE_ORIENTATION;
  fs::path path_;
  std::optional<int> bit_depth_;
  int first_ = 0;
  std::vector<cv::Mat> pages_;
};

}  // namespace

std::unique_ptr<PictureFile> OpenTiff(const fs::path& file, std::optional<int> bit_depth) {
  return std::make_unique<TiffFile>(file, bit_depth);
}

}  // namespace percuss::capture
