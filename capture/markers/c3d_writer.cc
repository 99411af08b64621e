// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Writer of C3D: Intel floats in millimetres, no analog channels. Layout by the C3D user guide.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "capture/markers/c3d_parameters.h"
#include "capture/markers/marker_formats.h"

namespace percuss::capture {
namespace {

constexpr std::uint32_t kMost16 = 65535;
constexpr float kMillimetres = 1000.0F;  // per metre

[[noreturn]] void ThrowUnable(std::string_view field, std::string_view found,
                              std::string_view allowed) {
  throw std::invalid_argument(fmt::format(
      "marker trajectories: {}: found {}, allowed {} in a C3D file", field, found, allowed));
}

std::string Word(std::uint32_t value) {
  return {static_cast<char>(value & 0xff), static_cast<char>(value >> 8 & 0xff)};
}

std::string LongWord(std::uint32_t value) { return Word(value & 0xffff) + Word(value >> 16); }

std::string Real(float value) { return LongWord(std::bit_cast<std::uint32_t>(value)); }

void PadToBlock(std::string& bytes) {
  bytes.resize((bytes.size() + kC3dBlock - 1) / kC3dBlock * kC3dBlock, '\0');
}

void AppendGroup(std::string& bytes, int id, std::string_view name) {
  bytes += static_cast<char>(name.size());
  bytes += static_cast<char>(-id);
  bytes += name;
  bytes += Word(3);  // to the next record: these two bytes and the empty description
  bytes += '\0';
}

void AppendParameter(std::string& bytes, int group, std::string_view name, int type,
                     const std::vector<std::size_t>& dimensions, std::string_view data) {
  bytes += static_cast<char>(name.size());
  bytes += static_cast<char>(group);
  bytes += name;
  bytes += Word(static_cast<std::uint32_t>(2 + 2 + dimensions.size() + data.size() + 1));
  bytes += static_cast<char>(type);
  bytes += static_cast<char>(dimensions.size());
  for (const std::size_t dimension : dimensions) bytes += static_cast<char>(dimension);
  bytes += data;
  bytes += '\0';  // no description
}

struct Numbers {
  std::uint32_t num_points = 0;
  std::uint32_t num_frames = 0;
  std::uint32_t first_frame = 1;
  float rate = 0.0F;
  float scale = 0.0F;  // negative: floats are stored
};

// Frame numbers in place of times.
std::uint32_t FirstFrame(const MarkerTrajectories& trajectories) {
  constexpr double kTolerance = 0.01;  // of the interval
  const double rate = trajectories.frame_rate;
  const double first = std::round(trajectories.times.front() * rate);
  if (first < 0.0 || first + static_cast<double>(trajectories.times.size()) > 4e9) {
    ThrowUnable("times", fmt::format("{} s first", trajectories.times.front()), "0 or more");
  }
  for (std::size_t i = 0; i < trajectories.times.size(); ++i) {
    const double grid = (first + static_cast<double>(i)) / rate;
    if (std::abs(trajectories.times[i] - grid) * rate > kTolerance) {
      ThrowUnable("times", fmt::format("{} s in frame {}", trajectories.times[i], i + 1),
                  fmt::format("multiples of 1 / {} s without gaps", rate));
    }
  }
  return static_cast<std::uint32_t>(first) + 1;
}

Numbers NumbersOf(const MarkerTrajectories& trajectories) {
  Numbers numbers;
  if (trajectories.markers.size() > kMost16) {
    ThrowUnable("markers", fmt::format("{}", trajectories.markers.size()), "65535 or fewer");
  }
  numbers.num_points = static_cast<std::uint32_t>(trajectories.markers.size());
  numbers.rate = static_cast<float>(trajectories.frame_rate);
  if (!(numbers.rate > 0.0F) || !std::isfinite(numbers.rate)) {
    ThrowUnable("frame_rate", fmt::format("{}", trajectories.frame_rate), "> 0");
  }
  numbers.first_frame = FirstFrame(trajectories);
  numbers.num_frames = static_cast<std::uint32_t>(trajectories.times.size());

  double largest = 1e-3;
  for (const auto& frame : trajectories.positions) {
    for (const Eigen::Vector3d& p : frame) {
      if (!IsMissing(p)) largest = std::max(largest, p.cwiseAbs().maxCoeff());
    }
  }
  constexpr double kLargestInteger = 32000.0;  // for those who turn the file into integers
  numbers.scale = static_cast<float>(-largest * kMillimetres / kLargestInteger);
  if (!std::isfinite(kLargestInteger * numbers.scale)) {
    ThrowUnable("positions", fmt::format("{} m", largest), "less than 1e35 m");
  }
  return numbers;
}

// Names of equal length in LABELS, LABELS2, ... of at most 255 names and a size that fits 16 bits.
void AppendLabels(std::string& bytes, int group, const std::vector<std::string>& markers) {
  constexpr std::size_t kMostBytes = 30000;
  std::size_t size = 1;
  for (const std::string& marker : markers) size = std::max(size, marker.size());
  if (size > 255) ThrowUnable("markers", fmt::format("a name of {} bytes", size), "255 or fewer");
  const std::size_t most = std::min<std::size_t>(255, kMostBytes / size);
  for (std::size_t first = 0, part = 1; first < markers.size(); first += most, ++part) {
    const std::size_t count = std::min(most, markers.size() - first);
    std::string data;
    for (std::size_t i = first; i < first + count; ++i) {
      data += markers[i];
      data.append(size - markers[i].size(), ' ');
    }
    const std::string suffix = part == 1 ? "" : fmt::format("{}", part);
    AppendParameter(bytes, group, "LABELS" + suffix, -1, {size, count}, data);
    AppendParameter(bytes, group, "DESCRIPTIONS" + suffix, -1, {1, count}, std::string(count, ' '));
  }
}

std::string ParameterSection(const MarkerTrajectories& trajectories, const Numbers& numbers,
                             std::size_t data_block) {
  constexpr int kPoint = 1, kAnalog = 2, kForcePlatform = 3, kTrial = 4;
  const std::uint32_t last_frame = numbers.first_frame + numbers.num_frames - 1;
  std::string bytes("\1\x50\0\x54", 4);  // the third counts the blocks
  AppendGroup(bytes, kPoint, "POINT");
  AppendParameter(bytes, kPoint, "USED", 2, {}, Word(numbers.num_points));
  AppendParameter(bytes, kPoint, "FRAMES", 2, {}, Word(std::min(numbers.num_frames, kMost16)));
  if (numbers.num_frames >= kMost16) {
    AppendParameter(bytes, kPoint, "LONG_FRAMES", 4, {},
                    Real(static_cast<float>(numbers.num_frames)));
  }
  AppendParameter(bytes, kPoint, "DATA_START", 2, {}, Word(static_cast<std::uint32_t>(data_block)));
  AppendParameter(bytes, kPoint, "SCALE", 4, {}, Real(numbers.scale));
  AppendParameter(bytes, kPoint, "RATE", 4, {}, Real(numbers.rate));
  AppendParameter(bytes, kPoint, "UNITS", -1, {2}, "mm");
  AppendLabels(bytes, kPoint, trajectories.markers);
  AppendGroup(bytes, kAnalog, "ANALOG");
  AppendParameter(bytes, kAnalog, "USED", 2, {}, Word(0));
  AppendParameter(bytes, kAnalog, "RATE", 4, {}, Real(numbers.rate));
  AppendParameter(bytes, kAnalog, "GEN_SCALE", 4, {}, Real(1.0F));
  AppendGroup(bytes, kForcePlatform, "FORCE_PLATFORM");
  AppendParameter(bytes, kForcePlatform, "USED", 2, {}, Word(0));
  AppendGroup(bytes, kTrial, "TRIAL");
  AppendParameter(bytes, kTrial, "ACTUAL_START_FIELD", 2, {2}, LongWord(numbers.first_frame));
  AppendParameter(bytes, kTrial, "ACTUAL_END_FIELD", 2, {2}, LongWord(last_frame));
  bytes += '\0';  // no further record
  PadToBlock(bytes);
  const std::size_t num_blocks = bytes.size() / kC3dBlock;
  if (num_blocks > 255) {
    ThrowUnable("markers", fmt::format("{} bytes of names", bytes.size()), "130000 or fewer");
  }
  bytes[2] = static_cast<char>(num_blocks);
  return bytes;
}

std::string HeaderBlock(const Numbers& numbers, std::size_t data_block) {
  std::string bytes("\2\x50", 2);
  bytes += Word(numbers.num_points);
  bytes += Word(0);  // analog samples per frame
  bytes += Word(std::min(numbers.first_frame, kMost16));
  bytes += Word(std::min(numbers.first_frame + numbers.num_frames - 1, kMost16));
  bytes += Word(0);  // frames of the longest interpolated gap
  bytes += Real(numbers.scale);
  bytes += Word(static_cast<std::uint32_t>(data_block));
  bytes += Word(0);  // analog samples per channel and frame
  bytes += Real(numbers.rate);
  PadToBlock(bytes);
  return bytes;
}

void AppendPoint(std::string& bytes, const Eigen::Vector3d& position) {
  if (IsMissing(position)) {
    for (const float value : {0.0F, 0.0F, 0.0F, -1.0F}) bytes += Real(value);
    return;
  }
  Eigen::Vector3f stored = (static_cast<double>(kMillimetres) * position).cast<float>();
  // Readers, ours too, take three zeros for a point that was not seen.
  if (stored.isZero(0.0F)) stored.z() = std::numeric_limits<float>::min();
  for (const float value : stored) bytes += Real(value);
  bytes += Real(0.0F);  // residual unknown
}

}  // namespace

std::string C3dBytes(const MarkerTrajectories& trajectories) {
  const Numbers numbers = NumbersOf(trajectories);
  // The size of the section does not depend on the number it holds.
  const std::size_t size = ParameterSection(trajectories, numbers, 0).size();
  const std::size_t data_block = 2 + size / kC3dBlock;
  std::string bytes = HeaderBlock(numbers, data_block);
  bytes += ParameterSection(trajectories, numbers, data_block);
  for (const auto& frame : trajectories.positions) {
    for (const Eigen::Vector3d& position : frame) AppendPoint(bytes, position);
  }
  PadToBlock(bytes);
  return bytes;
}

}  // namespace percuss::capture
