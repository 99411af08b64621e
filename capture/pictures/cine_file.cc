// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/pictures/cine_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <opencv2/core.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "capture/pictures/binary_file.h"
#include "capture/pictures/packed_pixels.h"

namespace percuss::capture {
namespace fs = std::filesystem;

namespace {

// [byte] of fields in their structures.
enum CineFileHeader {
  kCompression = 4,
  kVersion = 6,
  kImageCount = 20,
  kOffImageHeader = 24,
  kOffSetup = 28,
  kOffImageOffsets = 32
};
enum BitmapInfoHeader { kWidth = 4, kHeight = 8, kBitCount = 14, kBitmapCompression = 16 };
enum Setup {
  kMark = 140,
  kLength = 142,
  kFlipH = 756,
  kFlipV = 760,
  kFrameRate = 768,
  kCfa = 808,
  kRealBpp = 896,
  kShutterNs = 1568,
  kBlackLevel = 5732,
  kWhiteLevel = 5736,
  kPreciseRate = 13472
};

constexpr std::uint32_t kUncompressed = 0, kPackedTen = 256, kPackedTwelve = 1024;
constexpr std::uint16_t kTimeOnlyBlock = 1002;
constexpr double kPerSecond = 4294967296.0;  // 2^32

[[noreturn]] void ThrowField(const fs::path& file, std::string_view field, std::int64_t found,
                             std::string_view allowed) {
  throw InputError(
      fmt::format("{}: {}: found {}, allowed {}", file.string(), field, found, allowed));
}

int WholeNumber(const fs::path& file, std::string_view field, std::int64_t found, std::int64_t low,
                std::int64_t high) {
  if (found < low || found > high)
    ThrowField(file, field, found, fmt::format("{} to {}", low, high));
  return static_cast<int>(found);
}

// The structure SETUP, which grew from version to version: what is beyond its length is not there.
class CineSetup {
 public:
  CineSetup(BinaryFile* file, std::uint32_t at) : file_(file), at_(at) {
    constexpr std::uint16_t kSt = 0x5453;
    if (const auto mark = file->Number<std::uint16_t>(at + kMark); mark != kSt)
      ThrowField(file->Path(), "SETUP.Mark", mark, fmt::format("{} (ST)", kSt));
    length_ = file->Number<std::uint16_t>(at + kLength);
    constexpr int kLeast = kRealBpp + 4;
    if (length_ < kLeast)
      ThrowField(file->Path(), "SETUP.Length", length_, fmt::format("at least {}", kLeast));
  }

  template <typename T>
  T Get(Setup field, T otherwise = {}) const {
    const auto place = static_cast<std::uint64_t>(field);
    return place + sizeof(T) <= length_ ? file_->Number<T>(at_ + place) : otherwise;
  }
  std::uint64_t End() const { return std::uint64_t{at_} + length_; }

 private:
  BinaryFile* file_;
  std::uint32_t at_;
  std::uint32_t length_ = 0;
};

// How many bits a pixel takes: 10 and 12 where they are packed.
int StoredBits(const fs::path& file, int bit_count, std::uint32_t compression) {
  if (compression == kPackedTen) return 10;
  if (compression == kPackedTwelve) return 12;
  if (compression != kUncompressed)
    ThrowField(file, "biCompression", compression, "0, 256 (10 bits packed) or 1024 (12 bits)");
  return bit_count;
}

GreyLevels CineLevels(const fs::path& file, const CineSetup& setup, int bits) {
  if (bits == 8) return {};
  if (bits == 10) return {.black = 64, .white = 4064};  // of UnpackTen
  const int depth = WholeNumber(file, "SETUP.RealBPP", setup.Get<std::uint32_t>(kRealBpp), 8, 16);
  const GreyLevels all = LevelsOfBits(depth);
  const GreyLevels stated{.black = setup.Get<std::int32_t>(kBlackLevel, 0),
                          .white = setup.Get<std::int32_t>(kWhiteLevel, 0)};
  const bool sensible =
      stated.black >= 0 && stated.white > stated.black + 127 && stated.white <= all.white;
  return sensible ? stated : all;
}

double CineRate(const fs::path& file, const CineSetup& setup) {
  const auto rate = setup.Get<std::uint32_t>(kFrameRate);
  if (rate == 0) ThrowField(file, "SETUP.FrameRate", rate, "above 0");
  const auto precise = setup.Get<double>(kPreciseRate, 0.0);
  return std::abs(precise - rate) <= 1.0 ? precise : rate;  // false for what is no number
}

std::vector<double> CineTimes(BinaryFile* file, const CineSetup& setup, std::uint64_t end,
                              int num_frames) {
  std::vector<double> times;
  for (std::uint64_t at = setup.End(); at + 8 <= end;) {
    const auto size = file->Number<std::uint32_t>(at);
    if (size < 8 || size > end - at) {
      ThrowField(file->Path(), "tagged block", size,
                 fmt::format("8 to {} bytes, which are left before the frames", end - at));
    }
    if (file->Number<std::uint16_t>(at + 4) == kTimeOnlyBlock) {
      const std::int64_t needed = 8 + 8 * std::int64_t{num_frames};
      if (size != needed) {
        ThrowField(file->Path(), "times of the frames (tagged block 1002)", size,
                   fmt::format("{} bytes for {} frames", needed, num_frames));
      }
      std::vector<std::uint8_t> bytes(size - 8);
      file->Read(at + 8, bytes);
      std::uint64_t first = 0;
      for (int k = 0; k < num_frames; ++k) {
        std::uint64_t time = 0;  // fractions of a second in the lower half
        std::memcpy(&time, bytes.data() + 8 * std::size_t(k), 8);
        time &= ~std::uint64_t{3};
        if (k == 0) first = time;
        times.push_back(static_cast<double>(static_cast<std::int64_t>(time - first)) / kPerSecond);
      }
      return times;
    }
    at += size;
  }
  return times;
}

std::vector<std::uint64_t> FramePlaces(BinaryFile* file, std::uint32_t at, int num_frames) {
  std::vector<std::uint64_t> places(static_cast<std::size_t>(num_frames));
  file->Read(at, {reinterpret_cast<std::uint8_t*>(places.data()), 8 * places.size()});
  return places;
}

class GreyCine : public PictureFile {
 public:
  GreyCine(const fs::path& path, CineHeader header) : file_(path), header_(std::move(header)) {
    about_ = header_.about;
  }

  cv::Mat Read(int frame) override {
    const auto [width, height] = about_.size;
    const auto pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    const std::uint64_t place = header_.places[static_cast<std::size_t>(frame)];
    const auto annotation = file_.Number<std::uint32_t>(place);
    const std::size_t needed = pixels * static_cast<std::size_t>(header_.bits) / 8;
    if (needed > file_.Size()) {
      ThrowFrame(frame, "biWidth x biHeight", static_cast<std::int64_t>(pixels),
                 fmt::format("what {} bytes of file hold", file_.Size()));
    }
    if (annotation < 8) ThrowFrame(frame, "AnnotationSize", annotation, "at least 8");
    if (const auto size = file_.Number<std::uint32_t>(place + annotation - 4); size != needed) {
      ThrowFrame(frame, "ImageSize", size,
                 fmt::format("{} bytes for {} x {} pixels of {} bits", needed, width, height,
                             header_.bits));
    }
    bytes_.resize(needed);
    file_.Read(place + annotation, bytes_);
    cv::Mat picture(height, width, header_.bits == 8 ? CV_8UC1 : CV_16UC1);
    const std::span<std::uint16_t> grey(header_.bits == 8 ? nullptr : picture.ptr<std::uint16_t>(),
                                        header_.bits == 8 ? 0 : pixels);
    if (header_.bits == 10) {
      UnpackTen(bytes_, grey);
    } else if (header_.bits == 12) {
      UnpackTwelve(bytes_, grey);
    } else {
      std::memcpy(picture.data, bytes_.data(), needed);
    }
    if (header_.bottom_up || header_.mirrored) {
      const int axes = !header_.mirrored ? 0 : header_.bottom_up ? -1 : 1;
      cv::flip(picture, picture, axes);
    }
    return picture;
  }

 private:
  [[noreturn]] void ThrowFrame(int frame, std::string_view field, std::int64_t found,
                               std::string_view allowed) {
    ThrowField(file_.Path(), fmt::format("frame {}: {}", frame, field), found, allowed);
  }

  BinaryFile file_;
  CineHeader header_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace

CineHeader ReadCineHeader(const fs::path& path) {
  BinaryFile file(path);
  constexpr std::uint16_t kCi = 0x4943;
  if (const auto type = file.Number<std::uint16_t>(0); type != kCi)
    ThrowField(path, "Type", type, fmt::format("{} (CI): a Phantom .cine", kCi));
  if (const auto version = file.Number<std::uint16_t>(kVersion); version != 1)
    ThrowField(path, "Version", version, "1");
  const auto at_bitmap = file.Number<std::uint32_t>(kOffImageHeader);
  const auto at_places = file.Number<std::uint32_t>(kOffImageOffsets);
  const CineSetup setup(&file, file.Number<std::uint32_t>(kOffSetup));

  CineHeader header;
  Recording& about = header.about;
  about.num_frames =
      WholeNumber(path, "ImageCount", file.Number<std::uint32_t>(kImageCount), 1,
                  std::max<std::int64_t>(1, static_cast<std::int64_t>(file.Size() / 8)));
  constexpr int kLargest = 1 << 15;
  about.size.width =
      WholeNumber(path, "biWidth", file.Number<std::int32_t>(at_bitmap + kWidth), 1, kLargest);
  about.size.height =
      WholeNumber(path, "biHeight", file.Number<std::int32_t>(at_bitmap + kHeight), 1, kLargest);
  const int bit_count = file.Number<std::uint16_t>(at_bitmap + kBitCount);
  const auto packing = file.Number<std::uint32_t>(at_bitmap + kBitmapCompression);
  header.grey = setup.Get<std::uint32_t>(kCfa) == 0 && bit_count <= 16;
  if (header.grey) {
    if (const int way = file.Number<std::uint16_t>(kCompression); way != 0 && way != 2)
      ThrowField(path, "Compression", way, "0 or 2: pictures as they are");
    header.bits = StoredBits(path, bit_count, packing);
    if (header.bits != 8 && header.bits != 10 && header.bits != 12 && header.bits != 16)
      ThrowField(path, "biBitCount", header.bits, "8 or 16");
    if (const int together = header.bits == 10 ? 4 : 2;
        header.bits % 8 != 0 && about.size.width % together != 0) {
      ThrowField(path, "biWidth", about.size.width,
                 fmt::format("a multiple of {} with packed pixels", together));
    }
    about.levels = CineLevels(path, setup, header.bits);
  }
  header.bottom_up = (packing == kUncompressed) != (setup.Get<std::int32_t>(kFlipV) != 0);
  header.mirrored = setup.Get<std::int32_t>(kFlipH) != 0;
  about.frame_rate = CineRate(path, setup);
  if (const auto shutter = setup.Get<std::uint32_t>(kShutterNs); shutter > 0)
    about.exposure = 1e-9 * shutter;
  about.times = CineTimes(&file, setup, at_places, about.num_frames);
  header.places = FramePlaces(&file, at_places, about.num_frames);
  return header;
}

std::unique_ptr<PictureFile> OpenCine(const fs::path& file) {
  CineHeader header = ReadCineHeader(file);
  if (!header.grey) return nullptr;
  return std::make_unique<GreyCine>(file, std::move(header));
}

}  // namespace percuss::capture
