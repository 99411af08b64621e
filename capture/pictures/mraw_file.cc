// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/pictures/mraw_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files/files.h"
#include "base/text/xml_field.h"
#include "capture/pictures/binary_file.h"
#include "capture/pictures/packed_pixels.h"

namespace percuss::capture {
namespace fs = std::filesystem;

namespace {

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
}

std::map<std::string, std::string> LinesOf(std::string_view text) {
  std::map<std::string, std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    lines.emplace(Trimmed(line.substr(0, colon)), Trimmed(line.substr(colon + 1)));
  }
  return lines;
}

void ReadCihx(const fs::path& file, XmlFile* xml) {
  constexpr std::string_view kBegin = "<cih>", kEnd = "</cih>";
  std::string text = ReadFile(file);
  const std::size_t begin = text.find(kBegin);
  if (begin == std::string::npos) {
    throw InputError(fmt::format("{}: found no {}, allowed XML from {} to {}", file.string(),
                                 kBegin, kBegin, kEnd));
  }
  const std::size_t end = text.find(kEnd, begin);
  if (end != std::string::npos) text.resize(end + kEnd.size());
  // Messages count the lines of the whole file.
  std::replace_if(
      text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin),
      [](char c) { return c != '\n'; }, ' ');
  ParseXml(file, text, "cih", xml);
}

// A field under its name in a .cihx and in a .cih.
struct CihKey {
  const char* in_xml;
  const char* in_text;
};
constexpr CihKey kImageWidth{"imageDataInfo/resolution/width", "Image Width"};
constexpr CihKey kImageHeight{"imageDataInfo/resolution/height", "Image Height"};
constexpr CihKey kTotalFrame{"frameInfo/totalFrame", "Total Frame"};
constexpr CihKey kSaveStep{"frameInfo/skipFrame", "Save Step"};
constexpr CihKey kRecordRate{"recordInfo/recordRate", "Record Rate(fps)"};
constexpr CihKey kColorBit{"imageDataInfo/colorInfo/bit", "Color Bit"};
constexpr CihKey kEffectiveDepth{"imageDataInfo/effectiveBit/depth", "EffectiveBit Depth"};
constexpr CihKey kEffectiveSide{"imageDataInfo/effectiveBit/side", "EffectiveBit Side"};
constexpr CihKey kShutterNanoseconds{"recordInfo/shutterSpeedNsec", "Shutter Type2(nsec)"};
constexpr CihKey kShutterSpeed{"recordInfo/shutterSpeed", "Shutter Speed(s)"};

class CihHeader {
 public:
  explicit CihHeader(const fs::path& file) : file_(file) {
    if (file.extension() == ".cihx") {
      ReadCihx(file, &xml_);
    } else {
      lines_ = LinesOf(ReadFile(file));
    }
  }

  // The text of a field; empty if it is not there.
  std::string Text(const CihKey& key) const {
    if (xml_.root)
      return std::string(Trimmed(xml_.root.first_element_by_path(key.in_xml).child_value()));
    const auto line = lines_.find(key.in_text);
    return line == lines_.end() ? "" : line->second;
  }

  [[noreturn]] void Throw(const CihKey& key, std::string_view allowed) const {
    const std::string text = Text(key);
    throw InputError(fmt::format("{}: {}: found {}, allowed {}", file_.string(),
                                 xml_.root ? key.in_xml : key.in_text,
                                 text.empty() ? "nothing" : text, allowed));
  }

  int Whole(const CihKey& key, int low, int high) const {
    const std::string text = Text(key);
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (!whole || value < low || value > high)
      Throw(key, fmt::format("a whole number from {} to {}", low, high));
    return value;
  }

  // A number or a fraction such as 1/8000; nothing for what is neither, or not above 0.
  std::optional<double> Number(const CihKey& key) const {
    const std::string text = Text(key);
    const char* const end = text.data() + text.size();
    double value = 0.0, divisor = 1.0;
    std::from_chars_result read = std::from_chars(text.data(), end, value);
    if (read.ec == std::errc() && read.ptr != end && *read.ptr == '/')
      read = std::from_chars(read.ptr + 1, end, divisor);
    if (read.ec != std::errc() || read.ptr != end || !(value > 0.0 && divisor > 0.0)) return {};
    return std::isfinite(value / divisor) ? std::optional(value / divisor) : std::nullopt;
  }

 private:
  fs::path file_;
  XmlFile xml_;                               // of a .cihx
  std::map<std::string, std::string> lines_;  // of a .cih
};

std::optional<double> ExposureOf(const CihHeader& header) {
  if (const auto nanoseconds = header.Number(kShutterNanoseconds)) return 1e-9 * *nanoseconds;
  const auto shutter = header.Number(kShutterSpeed);
  if (!shutter) return {};
  return *shutter > 1.0 ? 1.0 / *shutter : *shutter;  // a .cihx has 8000 for 1/8000 s
}

class MrawFile : public PictureFile {
 public:
  MrawFile(const fs::path& pictures, const fs::path& header_file) : file_(pictures) {
    const CihHeader header(header_file);
    constexpr int kLargest = 1 << 15, kMostFrames = 100'000'000, kMostSkipped = 1'000'000;
    about_.size.width = header.Whole(kImageWidth, 1, kLargest);
    about_.size.height = header.Whole(kImageHeight, 1, kLargest);
    about_.num_frames = header.Whole(kTotalFrame, 1, kMostFrames);
    bits_ = header.Whole(kColorBit, 1, 64);
    if (bits_ != 8 && bits_ != 12 && bits_ != 16)
      header.Throw(kColorBit, "8, 12 or 16: no colours");
    const int depth = header.Whole(kEffectiveDepth, 8, bits_);
    if (const std::string side = header.Text(kEffectiveSide); side == "Higher") {
      shift_ = bits_ - depth;
    } else if (side != "Lower") {
      header.Throw(kEffectiveSide, "Lower or Higher");
    }
    about_.levels = LevelsOfBits(depth);
    const auto rate = header.Number(kRecordRate);
    if (!rate) header.Throw(kRecordRate, "a number above 0 [Hz]");
    const int step = header.Text(kSaveStep).empty() ? 1 : header.Whole(kSaveStep, 1, kMostSkipped);
    about_.frame_rate = *rate / step;
    about_.exposure = ExposureOf(header);

    const std::int64_t pixels = std::int64_t{about_.size.width} * about_.size.height;
    if (bits_ == 12 && pixels % 2 != 0)
      header.Throw(kImageWidth, "an even number of pixels where two share three bytes");
    frame_bytes_ = static_cast<std::uint64_t>(pixels) * static_cast<std::uint64_t>(bits_) / 8;
    const std::uint64_t needed = frame_bytes_ * static_cast<std::uint64_t>(about_.num_frames);
    if (file_.Size() < needed) {
      throw InputError(fmt::format(
          "{}: found {} bytes, allowed {}: {} frames of {} x {} pixels of {} bits, as {} says "
          "(truncated file?)",
          pictures.string(), file_.Size(), needed, about_.num_frames, about_.size.width,
          about_.size.height, bits_, header_file.filename().string()));
    }
  }

  cv::Mat Read(int frame) override {
    bytes_.resize(frame_bytes_);
    file_.Read(frame_bytes_ * static_cast<std::uint64_t>(frame), bytes_);
    cv::Mat picture(about_.size, bits_ == 8 ? CV_8UC1 : CV_16UC1);
    if (bits_ == 12) {
      UnpackTwelve(bytes_, {picture.ptr<std::uint16_t>(), picture.total()});
    } else {
      std::memcpy(picture.data, bytes_.data(), bytes_.size());
    }
    if (shift_ > 0)
      picture.forEach<std::uint16_t>(
          [this](auto& grey, const int*) { grey = static_cast<std::uint16_t>(grey >> shift_); });
    return picture;
  }

 private:
  BinaryFile file_;
  int bits_ = 16;
  int shift_ = 0;  // from the higher end
  std::uint64_t frame_bytes_ = 0;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace

std::vector<fs::path> FilesOfRecording(const fs::path& file) {
  constexpr std::array<const char*, 3> kEndings = {".mraw", ".cihx", ".cih"};
  if (std::ranges::find(kEndings, file.extension()) == kEndings.end()) return {file};
  std::vector<fs::path> files;
  for (const char* ending : kEndings) {
    std::error_code error;
    fs::path part = fs::path(file).replace_extension(ending);
    if (fs::is_regular_file(part, error)) files.push_back(std::move(part));
  }
  return files;
}

std::unique_ptr<PictureFile> OpenMraw(const fs::path& file) {
  const auto beside = [&](const char* ending) { return fs::path(file).replace_extension(ending); };
  std::error_code error;
  fs::path header = file;
  if (file.extension() != ".cih" && file.extension() != ".cihx") {
    header = fs::exists(beside(".cihx"), error) ? beside(".cihx") : beside(".cih");
    if (!fs::exists(header, error)) {
      throw InputError(fmt::format(
          "{}: found no {} beside it, allowed with one, or with {}: it says how large the pictures "
          "are",
          file.string(), beside(".cihx").filename().string(), header.filename().string()));
    }
  }
  const fs::path pictures = header == file ? beside(".mraw") : file;
  if (!fs::exists(pictures, error)) {
    throw InputError(fmt::format("{}: found no {} beside it, allowed with one: the pictures",
                                 file.string(), pictures.filename().string()));
  }
  return std::make_unique<MrawFile>(pictures, header);
}

}  // namespace percuss::capture
