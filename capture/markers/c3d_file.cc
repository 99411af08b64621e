// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Reader of C3D, by the public C3D user guide (c3d.org): a header block, the parameter section, and
// frames of points (x, y, z and a word with residual and camera mask) followed by analog samples.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "capture/markers/c3d_parameters.h"
#include "capture/markers/marker_formats.h"

namespace percuss::capture {
namespace {

namespace fs = std::filesystem;
using Eigen::Vector3d;

// Where the header has what parameters also hold, bytes counted from 0.
constexpr std::size_t kHeaderPoints = 2;
constexpr std::size_t kHeaderAnalogSamples = 4;  // per frame, of all channels
constexpr std::size_t kHeaderFirstFrame = 6;
constexpr std::size_t kHeaderLastFrame = 8;
constexpr std::size_t kHeaderScale = 12;
constexpr std::size_t kHeaderDataStart = 16;
constexpr std::size_t kHeaderRate = 20;

struct Layout {
  std::size_t num_points = 0;
  double num_frames = 0.0;  // as stated
  double first_frame = 1.0;
  double rate = 0.0;     // [Hz]
  bool floats = false;   // else 16-bit integers, to be scaled
  double metres = 0.0;   // per unit of a stored coordinate
  std::size_t data = 0;  // byte of the first frame
  std::size_t frame_size = 0;
};

// 32 bits as two unsigned words, the low one first. (The guide prints a factor of 65535.)
std::optional<double> Field(const C3dParameters& parameters, std::string_view name) {
  const auto low = parameters.Number("TRIAL", name, 0);
  const auto high = parameters.Number("TRIAL", name, 1);
  if (!low) return std::nullopt;
  return *low + 65536.0 * high.value_or(0.0);
}

// POINT:FRAMES has 16 bits in most files; three other places hold more.
double NumFrames(const C3dContent& content, const C3dParameters& parameters) {
  constexpr double kMost16 = 65535.0;
  const double header = 1.0 + content.Uint16(kHeaderLastFrame) - content.Uint16(kHeaderFirstFrame);
  const double frames = parameters.Number("POINT", "FRAMES").value_or(header);
  const auto long_frames = parameters.Number("POINT", "LONG_FRAMES");
  if (long_frames && *long_frames > 0.0) return *long_frames;
  const auto first = Field(parameters, "ACTUAL_START_FIELD");
  const auto last = Field(parameters, "ACTUAL_END_FIELD");
  if (!first || !last || *last < *first) return frames;
  const double by_trial = *last - *first + 1.0;
  // A trial that was cropped later may keep its old fields: they count where FRAMES is full or is
  // their lower 16 bits.
  const bool wraps = std::fmod(by_trial, kMost16 + 1.0) == frames;
  return frames >= kMost16 || wraps ? std::max(by_trial, frames) : frames;
}

// All analog samples of a frame. Two statements that differ leave the size of a frame open.
std::size_t AnalogSamples(const C3dContent& content, const C3dParameters& parameters, double rate) {
  const std::size_t header = content.Uint16(kHeaderAnalogSamples);
  const auto channels = parameters.Number("ANALOG", "USED");
  if (!channels) return header;
  const auto analog_rate = parameters.Number("ANALOG", "RATE");
  if (*channels > 0.0 && !analog_rate) return header;
  const double samples =
      *channels > 0.0 ? *channels * std::max(1.0, std::round(*analog_rate / rate)) : 0.0;
  if (samples != static_cast<double>(header)) {
    content.Throw("analog samples per frame", fmt::format("{} in the header", header),
                  fmt::format("{} (ANALOG:USED times ANALOG:RATE / POINT:RATE)", samples));
  }
  return header;
}

Layout ReadLayout(const C3dContent& content, const C3dParameters& parameters) {
  const auto number = [&](std::string_view name, double header) {
    return parameters.Number("POINT", name).value_or(header);
  };
  Layout layout;
  const double points = number("USED", content.Uint16(kHeaderPoints));
  if (!(points >= 1.0) || points > 65535.0) {
    content.Throw("POINT:USED", fmt::format("{}", points), "1 to 65535 points");
  }
  layout.num_points = static_cast<std::size_t>(points);

  layout.rate = number("RATE", content.Float(kHeaderRate));
  if (!(layout.rate > 0.0) || !std::isfinite(layout.rate)) {
    content.Throw("POINT:RATE", fmt::format("{}", layout.rate), "a number > 0");
  }
  layout.num_frames = std::floor(NumFrames(content, parameters));
  if (!(layout.num_frames >= 1.0)) {
    content.Throw("POINT:FRAMES", fmt::format("{}", layout.num_frames), "1 or more");
  }
  layout.first_frame = std::max(
      1.0, Field(parameters, "ACTUAL_START_FIELD").value_or(content.Uint16(kHeaderFirstFrame)));

  const double scale = number("SCALE", content.Float(kHeaderScale));
  if (scale == 0.0 || !std::isfinite(scale)) {
    content.Throw("POINT:SCALE", fmt::format("{}", scale), "a number, not 0");
  }
  layout.floats = scale < 0.0;
  const std::vector<std::string> units = parameters.Strings("POINT", "UNITS");
  const auto metres = MetresPerUnit(units.empty() ? "" : units.front());
  if (!metres) {
    content.Throw("POINT:UNITS", "\"" + (units.empty() ? "" : units.front()) + "\"", "mm, cm or m");
  }
  layout.metres = layout.floats ? *metres : *metres * scale;

  const std::size_t word = layout.floats ? 4 : 2;
  const std::size_t samples = AnalogSamples(content, parameters, layout.rate);
  layout.frame_size = word * (4 * layout.num_points + samples);
  const double block = number("DATA_START", content.Uint16(kHeaderDataStart));
  if (!(block >= 2.0) || block > 65535.0) {
    content.Throw("POINT:DATA_START", fmt::format("block {}", block), "2 or more");
  }
  layout.data = (static_cast<std::size_t>(block) - 1) * kC3dBlock;
  return layout;
}

// The number of frames to read, none of which reaches over the end of the file.
std::size_t FramesInFile(const C3dContent& content, const Layout& layout, bool partial) {
  const std::size_t bytes = content.Size() - std::min(layout.data, content.Size());
  const std::size_t available = bytes / layout.frame_size;
  if (layout.num_frames <= static_cast<double>(available)) {
    return static_cast<std::size_t>(layout.num_frames);
  }
  if (!partial || available == 0) {
    content.Throw("POINT:FRAMES", fmt::format("{} bytes from byte {} on", bytes, layout.data + 1),
                  fmt::format("{} frames of {} bytes (is the file cut off?)", layout.num_frames,
                              layout.frame_size));
  }
  return available;
}

// LABELS holds at most 255 names; the next ones are in LABELS2 and so on.
std::vector<std::string> PointNames(const C3dParameters& parameters, std::size_t num_points) {
  std::vector<std::string> names = parameters.Strings("POINT", "LABELS");
  for (int k = 2; names.size() < num_points; ++k) {
    const auto more = parameters.Strings("POINT", fmt::format("LABELS{}", k));
    if (more.empty()) break;
    names.insert(names.end(), more.begin(), more.end());
  }
  names.resize(num_points);
  for (std::size_t i = 0; i < num_points; ++i) {
    if (names[i].empty()) names[i] = fmt::format("unlabelled_{}", i + 1);
  }
  return names;
}

// Points that hold something else than positions are listed by name.
std::set<std::string> NamesOfOtherQuantities(const C3dParameters& parameters) {
  std::set<std::string> names;
  for (const char* list : {"ANGLES", "FORCES", "MOMENTS", "POWERS", "REACTIONS", "SCALARS"}) {
    for (std::string& name : parameters.Strings("POINT", list)) names.insert(std::move(name));
  }
  return names;
}

// A negative fourth word, and zeros in all coordinates, mean that the point was not seen.
Vector3d ReadPoint(const C3dContent& content, const Layout& layout, std::size_t at) {
  Vector3d point;
  double residual_and_mask = 0.0;
  for (std::size_t k = 0; k < 4; ++k) {
    const double value =
        layout.floats ? content.Float(at + 4 * k) : static_cast<double>(content.Int16(at + 2 * k));
    (k < 3 ? point[k] : residual_and_mask) = value;
  }
  if (residual_and_mask < 0.0 || point.isZero(0.0) || point.hasNaN()) {
    return Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
  }
  if (!point.allFinite()) {
    content.Throw(fmt::format("byte {}", at + 1), "an infinite coordinate", "a finite one");
  }
  return layout.metres * point;
}

}  // namespace

MarkerTrajectories ReadC3d(const fs::path& file, std::string_view bytes,
                           const ReadMarkersOptions& options) {
  const C3dContent content(file, bytes);
  const C3dParameters parameters(content);
  const Layout layout = ReadLayout(content, parameters);
  const std::size_t num_frames = FramesInFile(content, layout, options.partial);

  const std::vector<std::string> names = PointNames(parameters, layout.num_points);
  const std::set<std::string> others = NamesOfOtherQuantities(parameters);
  MarkerTrajectories trajectories;
  trajectories.frame_rate = layout.rate;
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (others.contains(names[i])) continue;
    points.push_back(i);
    trajectories.markers.push_back(names[i]);
  }
  if (points.empty()) {
    content.Throw("POINT:LABELS", "angles, forces, moments and powers only", "1 or more markers");
  }
  RequireDistinctMarkers(file, trajectories.markers);

  const std::size_t point_size = layout.floats ? 16 : 8;
  for (std::size_t f = 0; f < num_frames; ++f) {
    trajectories.times.push_back((layout.first_frame - 1.0 + static_cast<double>(f)) / layout.rate);
    auto& frame = trajectories.positions.emplace_back();
    for (const std::size_t i : points) {
      frame.push_back(
          ReadPoint(content, layout, layout.data + f * layout.frame_size + i * point_size));
    }
  }
  return trajectories;
}

}  // namespace percuss::capture
