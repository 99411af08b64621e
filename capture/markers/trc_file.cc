// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// TRC (Track Row Column), a table of text by Motion Analysis: three lines of header (names and
// values of its fields in the second and third), marker names, axes, an empty line, and one row per
// frame.

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"
#include "capture/markers/marker_formats.h"
#include "capture/markers/marker_text.h"

namespace percuss::capture {
namespace {

namespace fs = std::filesystem;

struct Header {
  double frame_rate = 0.0;
  double num_frames = 0.0;
  double num_markers = 0.0;
  double metres = 0.0;  // per unit
};

Header ReadHeader(TextTable& table) {
  table.RequireLine("PathFileType");
  table.RequireLine("names of the header's fields (DataRate ...)");
  std::map<std::string, std::size_t, std::less<>> columns;
  for (std::size_t i = 0; i < table.Cells().size(); ++i) columns.emplace(table.Cells()[i], i);
  const auto column = [&](std::string_view field) {
    const auto found = columns.find(field);
    if (found == columns.end()) table.Throw(field, "no such field in the header", "the field");
    return found->second;
  };
  const std::size_t rate = column("DataRate");
  const std::size_t frames = column("NumFrames");
  const std::size_t markers = column("NumMarkers");
  const std::size_t units = column("Units");

  table.RequireLine("values of the header's fields");
  Header header;
  header.frame_rate = table.PositiveNumber(rate, "DataRate");
  header.num_frames = table.Count(frames, "NumFrames");
  header.num_markers = table.Count(markers, "NumMarkers");
  const auto metres = MetresPerUnit(table.Cell(units));
  if (!metres) table.Throw("Units", "\"" + std::string(table.Cell(units)) + "\"", "mm, cm or m");
  header.metres = *metres;
  return header;
}

// Names stand above the first of the three columns of each marker, from the third column on.
std::vector<std::string> ReadNames(TextTable& table, const Header& header) {
  table.RequireLine("marker names (Frame#, Time, ...)");
  std::vector<std::string> names;
  for (std::size_t column = 2; column < table.Cells().size(); ++column) {
    const std::string_view name = table.Cell(column);
    if (name.empty()) continue;
    if (column != 2 + 3 * names.size()) {
      table.Throw("markers", fmt::format("\"{}\" in column {}", name, column + 1),
                  fmt::format("the next name in column {}", 3 + 3 * names.size()));
    }
    names.emplace_back(name);
  }
  if (static_cast<double>(names.size()) != header.num_markers) {
    table.Throw("markers", fmt::format("{} names", names.size()),
                fmt::format("{} (NumMarkers)", header.num_markers));
  }
  return names;
}

// Frame numbers and times of the rows so far.
struct Clock {
  double first_frame = NAN, first_time = NAN;
  double last_frame = NAN, last_time = NAN;
};

double ReadTime(const TextTable& table, const Header& header, Clock& clock) {
  const double frame = table.Number(0, "Frame#");
  const double time = table.Number(1, "Time");
  if (frame != std::floor(frame)) table.Throw("Frame#", fmt::format("{}", frame), "a whole number");
  if (frame <= clock.last_frame) {
    table.Throw("Frame#", fmt::format("{} after {}", frame, clock.last_frame),
                "increasing frame numbers");
  }
  if (time <= clock.last_time) {
    table.Throw("Time", fmt::format("{} after {}", time, clock.last_time), "increasing times");
  }
  if (std::isnan(clock.first_frame)) {
    clock.first_frame = frame;
    clock.first_time = time;
  }
  // A wrong rate or unit of time would scale every velocity. Half a frame for rounded times.
  const double frames_by_time = (time - clock.first_time) * header.frame_rate;
  const double frames_by_number = frame - clock.first_frame;
  if (std::abs(frames_by_time - frames_by_number) > 0.5 + 0.01 * frames_by_number) {
    table.Throw(
        "Time", fmt::format("{} s after the first frame", time - clock.first_time),
        fmt::format("{:.6g} s, by Frame# and DataRate", frames_by_number / header.frame_rate));
  }
  clock.last_frame = frame;
  clock.last_time = time;
  return time;
}

}  // namespace

MarkerTrajectories ReadTrc(const fs::path& file, std::string_view content,
                           const ReadMarkersOptions& options) {
  constexpr std::string_view kStart = "PathFileType";
  if (!content.starts_with(kStart)) {
    throw InputError(
        fmt::format("{}: (line 1): found no \"{}\" at the beginning, allowed a TRC file",
                    file.string(), kStart));
  }
  const bool commas = content.substr(kStart.size()).starts_with(',');
  TextTable table(file, content, commas ? ',' : '\t', options);
  const Header header = ReadHeader(table);
  MarkerTrajectories trajectories;
  trajectories.frame_rate = header.frame_rate;
  trajectories.markers = ReadNames(table, header);
  RequireDistinctMarkers(file, trajectories.markers);
  table.RequireLine("axes (X1, Y1, Z1, ...)");
  if (table.Cell(2).empty() || !table.Cell(0).empty()) {
    table.Throw("axes", "\"" + std::string(table.Cell(0)) + "\" first", "a line X1, Y1, Z1, ...");
  }

  const std::size_t num_markers = trajectories.markers.size();
  Clock clock;
  while (table.NextLine()) {
    if (table.IsBlank()) continue;
    if (static_cast<double>(trajectories.times.size()) >= header.num_frames) {
      table.Throw("NumFrames", "more rows", fmt::format("{}", header.num_frames));
    }
    table.RequireCells(2 + 3 * num_markers);
    trajectories.times.push_back(ReadTime(table, header, clock));
    auto& frame = trajectories.positions.emplace_back();
    for (std::size_t m = 0; m < num_markers; ++m) {
      frame.push_back(header.metres * table.Position(2 + 3 * m, trajectories.markers[m]));
    }
  }
  const bool too_few = static_cast<double>(trajectories.times.size()) < header.num_frames;
  if (trajectories.times.empty() || (too_few && !options.partial)) {
    table.Throw("NumFrames",
                fmt::format("the end of the file after {} frames", trajectories.times.size()),
                fmt::format("{} (is the file cut off?)", header.num_frames));
  }
  return trajectories;
}

std::string TrcText(const MarkerTrajectories& trajectories, std::string_view file_name) {
  RequireTextNames(trajectories.markers);
  if (!(trajectories.frame_rate > 0.0) || !std::isfinite(trajectories.frame_rate)) {
    throw std::invalid_argument(
        fmt::format("marker trajectories: frame_rate: found {}, allowed > 0 for a TRC file",
                    trajectories.frame_rate));
  }
  const std::size_t num_frames = trajectories.times.size();
  std::string text = fmt::format("PathFileType\t4\t(X/Y/Z)\t{}\n", file_name);
  text +=
      "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\t"
      "OrigNumFrames\n";
  text += fmt::format("{0}\t{0}\t{1}\t{2}\tmm\t{0}\t1\t{1}\n", trajectories.frame_rate, num_frames,
                      trajectories.markers.size());
  std::string axes = "\t";
  text += "Frame#\tTime";
  for (std::size_t m = 0; m < trajectories.markers.size(); ++m) {
    text += fmt::format("\t{}{}", trajectories.markers[m], "\t\t");
    axes += fmt::format("\tX{0}\tY{0}\tZ{0}", m + 1);
  }
  text += "\n" + axes + "\n\n";
  for (std::size_t i = 0; i < num_frames; ++i) {
    text += fmt::format("{}\t{}", i + 1, trajectories.times[i]);
    for (const Eigen::Vector3d& p : trajectories.positions[i]) {
      if (IsMissing(p)) {
        text += "\t\t\t";
      } else {
        text += fmt::format("\t{:.6f}\t{:.6f}\t{:.6f}", 1e3 * p.x(), 1e3 * p.y(), 1e3 * p.z());
      }
    }
    text += '\n';
  }
  return text;
}

}  // namespace percuss::capture
