// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/capture/pictures/made_recording.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <opencv2/core.hpp>

namespace percuss::testing {
namespace {

std::string Number(std::uint64_t number, int size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  PutNumber(&bytes, 0, number, size);
  return bytes;
}

// Pixels one after the other, the first one in the high bits where several share a byte.
std::string Packed(const cv::Mat& picture, int bits) {
  std::string bytes;
  std::uint32_t open = 0;
  int num_open = 0;
  for (int y = 0; y < picture.rows; ++y) {
    for (int x = 0; x < picture.cols; ++x) {
      const std::uint32_t grey = picture.at<std::uint16_t>(y, x);
      if (bits == 8 || bits == 16) {
        bytes += Number(grey, bits / 8);
        continue;
      }
      open = open << bits | grey;
      num_open += bits;
      while (num_open >= 8) {
        num_open -= 8;
        bytes += static_cast<char>(open >> num_open & 0xFF);
      }
    }
  }
  return bytes;
}

}  // namespace

void PutNumber(std::string* bytes, std::size_t at, std::uint64_t number, int size) {
  for (int k = 0; k < size; ++k)
    (*bytes)[at + static_cast<std::size_t>(k)] = static_cast<char>(number >> (8 * k) & 0xFF);
}

std::string CineBytes(const MadeRecording& recording) {
  constexpr std::size_t kFileHeader = 44, kBitmapHeader = 40, kSetup = 10384;
  const std::size_t count = recording.pictures.size();
  const bool packed = recording.stored_bits == 10 || recording.stored_bits == 12;
  const std::size_t times = recording.times.empty() ? 0 : 8 + 8 * count;
  // Another block comes first: readers pass over what they do not know.
  const std::size_t other = 16, at_other = kFileHeader + kBitmapHeader + kSetup;
  const std::size_t at_places = at_other + other + times;

  std::string bytes(at_places + 8 * count, '\0');
  const auto put = [&](std::size_t at, std::uint64_t number, int size) {
    PutNumber(&bytes, at, number, size);
  };
  bytes.replace(0, 2, "CI");
  put(2, kFileHeader, 2);
  put(6, 1, 2);                                              // version
  put(12, count, 4);                                         // recorded
  put(16, static_cast<std::uint64_t>(std::int64_t{-5}), 4);  // first image
  put(20, count, 4);
  put(24, kFileHeader, 4);
  put(28, kFileHeader + kBitmapHeader, 4);
  put(32, at_places, 4);

  const cv::Size size = recording.pictures.front().size();
  put(kFileHeader, kBitmapHeader, 4);
  put(kFileHeader + 4, static_cast<std::uint64_t>(size.width), 4);
  put(kFileHeader + 8, static_cast<std::uint64_t>(size.height), 4);
  put(kFileHeader + 12, 1, 2);
  put(kFileHeader + 14, recording.stored_bits == 8 ? 8 : 16, 2);
  put(kFileHeader + 16, !packed ? 0 : recording.stored_bits == 10 ? 256 : 1024, 4);

  const std::size_t setup = kFileHeader + kBitmapHeader;
  bytes.replace(setup + 140, 2, "ST");
  put(setup + 142, kSetup, 2);
  put(setup + 768, static_cast<std::uint64_t>(recording.rate), 4);
  put(setup + 896, static_cast<std::uint64_t>(recording.depth), 4);
  put(setup + 1568, static_cast<std::uint64_t>(std::llround(1e9 * recording.exposure)), 4);
  put(setup + 5732, static_cast<std::uint64_t>(recording.black), 4);
  put(setup + 5736, static_cast<std::uint64_t>(recording.white), 4);

  put(at_other, other, 4);
  put(at_other + 4, 1003, 2);
  if (times > 0) {
    put(at_other + other, times, 4);
    put(at_other + other + 4, 1002, 2);
    for (std::size_t k = 0; k < count; ++k) {
      const double seconds = std::floor(recording.times[k]);
      const double fraction = recording.times[k] - seconds;
      const auto whole = static_cast<std::uint64_t>(std::llround(std::ldexp(fraction, 32)));
      // The two lowest bits tell of the synchronisation.
      put(at_other + other + 8 + 8 * k, (whole & ~std::uint64_t{3}) | (k % 4), 4);
      put(at_other + other + 12 + 8 * k, static_cast<std::uint64_t>(seconds), 4);
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    PutNumber(&bytes, at_places + 8 * k, bytes.size(), 8);
    cv::Mat stored = recording.pictures[k].clone();
    if (!packed) cv::flip(stored, stored, 0);  // bitmaps begin below
    const std::string pixels = Packed(stored, recording.stored_bits);
    const std::size_t annotation = k % 2 == 0 ? 8 : 12;
    bytes += Number(annotation, 4) + std::string(annotation - 8, 'a') + Number(pixels.size(), 4);
    bytes += pixels;
  }
  return bytes;
}

std::string MrawBytes(const MadeRecording& recording) {
  std::string bytes;
  for (const cv::Mat& picture : recording.pictures) bytes += Packed(picture, recording.stored_bits);
  return bytes;
}

std::string CihxText(const MadeRecording& recording) {
  const cv::Size size = recording.pictures.front().size();
  std::string text = "!!! This file can not be edited. !!!" + std::string(100, '\0');
  text += fmt::format(
      "CIHX\r\n<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<cih>\r\n"
      "    <imageFileInfo>\r\n        <fileFormat>Mraw</fileFormat>\r\n"
      "        <resolution><width>1</width><height>1</height></resolution>\r\n"
      "    </imageFileInfo>\r\n    <imageDataInfo>\r\n        <resolution>\r\n"
      "            <width>{}</width>\r\n            <height>{}</height>\r\n"
      "        </resolution>\r\n"
      "        <colorInfo>\r\n            <type>Raw</type>\r\n            <bit>{}</bit>\r\n"
      "        </colorInfo>\r\n        <effectiveBit>\r\n            <depth>{}</depth>\r\n"
      "            <side>Lower</side>\r\n        </effectiveBit>\r\n    </imageDataInfo>\r\n"
      "    <frameInfo>\r\n        <recordedFrame>2000</recordedFrame>\r\n"
      "        <totalFrame>{}</totalFrame>\r\n        <skipFrame>1</skipFrame>\r\n"
      "    </frameInfo>\r\n    <recordInfo>\r\n        <recordRate>{:.0f}</recordRate>\r\n"
      "        <shutterSpeed>{:.0f}</shutterSpeed>\r\n"
      "        <shutterSpeedNsec>{:.0f}</shutterSpeedNsec>\r\n    </recordInfo>\r\n"
      "    <deviceInfo><comment/></deviceInfo>\r\n</cih>\r\n",
      size.width, size.height, recording.stored_bits, recording.depth, recording.pictures.size(),
      recording.rate, 1.0 / recording.exposure, 1e9 * recording.exposure);
  return text + std::string(100, '\0');
}

std::string CihText(const MadeRecording& recording) {
  const cv::Size size = recording.pictures.front().size();
  return fmt::format(
      "#Camera Information Header\nDate : 2016/4/21\nTime : 00:11\n"
      "Record Rate(fps) : {:.0f}\nShutter Speed(s) : 1/{:.0f}\nOriginal Total Frame : 2000\n"
      "Total Frame : {}\nSave Step : 1\nImage Width : {}\nImage Height : {}\n"
      "Color Type : Mono\nColor Bit : {}\nFile Format : MRaw\nEffectiveBit Depth : {}\n"
      "EffectiveBit Side : Lower\nComment Text : first: test\n",
      recording.rate, 1.0 / recording.exposure, recording.pictures.size(), size.width, size.height,
      recording.stored_bits, recording.depth);
}

}  // namespace percuss::testing
