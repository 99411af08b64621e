// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// CSV of markers: our own table (time_s, then three columns per marker in metres), the rows that
// `percuss track` writes (one per frame and marker seen), and the section "Trajectories" of a Vicon
// export (frame rate, names, axes, units, then rows of frame, sub frame and coordinates, up to an
// empty line).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/math/statistics.h"
#include "capture/markers/marker_formats.h"
#include "capture/markers/marker_text.h"

namespace percuss::capture {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTime = "time_s";

// Of the median interval, made exact by the whole span: dropped frames do not matter.
double FrameRate(const std::vector<double>& times) {
  if (times.size() < 2) return NAN;
  std::vector<double> intervals;
  for (std::size_t i = 1; i < times.size(); ++i) intervals.push_back(times[i] - times[i - 1]);
  const double span = times.back() - times.front();
  const double rate = std::round(span / Median(intervals)) / span;
  // 5.79 s hold no number that makes it exactly 100 Hz.
  constexpr double kPerHertz = 1e6;
  const double rounded = std::round(rate * kPerHertz) / kPerHertz;
  return std::abs(rate - rounded) < 1e-12 * rate ? rounded : rate;
}

MarkerTrajectories ReadOwn(TextTable& table, const fs::path& file) {
  MarkerTrajectories trajectories;
  const auto& names = table.Cells();
  if (names.size() < 4 || (names.size() - 1) % 3 != 0) {
    table.Throw("columns", fmt::format("{}", names.size()),
                "time_s and three for each of one or more markers");
  }
  for (std::size_t column = 1; column < names.size(); column += 3) {
    const std::string marker(
        names[column].substr(0, std::max<std::size_t>(names[column].size(), 2) - 2));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string expected = marker + "_" + "xyz"[axis];
      if (marker.empty() || names[column + axis] != expected) {
        table.Throw("columns", fmt::format("\"{}\"", names[column + axis]),
                    marker.empty() ? "MARKER_x, MARKER_y, MARKER_z" : expected);
      }
    }
    trajectories.markers.push_back(marker);
  }
  RequireDistinctMarkers(file, trajectories.markers);

  const std::size_t num_markers = trajectories.markers.size();
  while (table.NextLine()) {
    if (table.IsBlank()) continue;
    table.RequireCells(1 + 3 * num_markers);
    const double time = table.Number(0, kTime);
    if (!trajectories.times.empty() && time <= trajectories.times.back()) {
      table.Throw(kTime, fmt::format("{} after {}", time, trajectories.times.back()),
                  "increasing times");
    }
    trajectories.times.push_back(time);
    auto& frame = trajectories.positions.emplace_back();
    for (std::size_t m = 0; m < num_markers; ++m) {
      frame.push_back(table.Position(1 + 3 * m, trajectories.markers[m]));
    }
  }
  if (trajectories.times.empty()) table.Throw("", "the end of the file", "1 or more rows");
  trajectories.frame_rate = FrameRate(trajectories.times);
  return trajectories;
}

constexpr std::string_view kFrame = "frame";
constexpr int kLastFrame = 10'000'000;  // a day at 100 Hz

struct TrackedFrame {
  double time = 0.0;
  std::map<std::string, Eigen::Vector3d> positions;
};

// The rows of tracks/TRIAL/markers.csv, by frame. A marker that one camera alone saw has no
// position.
std::map<int, TrackedFrame> ReadTrackRows(TextTable& table) {
  const std::vector<std::string_view> names = table.Cells();
  const auto column = [&](std::string_view name) -> std::size_t {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) table.Throw("columns", "others", fmt::format("one called {}", name));
    return found - names.begin();
  };
  const std::size_t time = column("time"), marker = column("marker"), x = column("x");
  if (column("y") != x + 1 || column("z") != x + 2) {
    table.Throw("columns", "x, y, z apart", "x, y, z side by side");
  }
  std::map<int, TrackedFrame> frames;
  while (table.NextLine()) {
    if (table.IsBlank()) continue;
    table.RequireCells(names.size());
    const std::string name(table.Cell(marker));
    if (name.empty()) table.Throw("marker", "an empty name", "a name");
    const double whole = table.Number(0, kFrame);
    if (whole != std::floor(whole) || whole < 0.0 || whole > kLastFrame) {
      table.Throw(kFrame, fmt::format("{}", whole),
                  fmt::format("whole numbers from 0 to {}", kLastFrame));
    }
    const int number = static_cast<int>(whole);
    const double seconds = table.Number(time, "time");
    TrackedFrame& frame = frames.try_emplace(number, TrackedFrame{seconds, {}}).first->second;
    if (frame.time != seconds) {
      table.Throw("time", fmt::format("{}", seconds),
                  fmt::format("{} as in another row of frame {}", frame.time, number));
    }
    if (!frame.positions.try_emplace(name, table.Position(x, name)).second) {
      table.Throw("marker", fmt::format("\"{}\" twice in frame {}", name, number), "once");
    }
  }
  if (frames.empty()) table.Throw("", "the end of the file", "1 or more rows");
  return frames;
}

// Every frame from the first to the last one, so that other readers find the gaps as gaps.
MarkerTrajectories ReadTracks(TextTable& table) {
  const std::map<int, TrackedFrame> frames = ReadTrackRows(table);
  std::set<std::string> names;
  for (const auto& [number, frame] : frames) {
    for (const auto& [name, position] : frame.positions) names.insert(name);
  }
  MarkerTrajectories trajectories;
  trajectories.markers.assign(names.begin(), names.end());
  const Eigen::Vector3d missing = Eigen::Vector3d::Constant(NAN);
  const std::vector<Eigen::Vector3d> nothing(names.size(), missing);
  for (auto at = frames.begin(); at != frames.end(); ++at) {
    if (!trajectories.times.empty()) {
      const auto& [last_number, last] = *std::prev(at);
      if (!(at->second.time > last.time)) {
        table.Throw("time", fmt::format("{} after {}", at->second.time, last.time),
                    "times that increase with the frames");
      }
      const double interval = (at->second.time - last.time) / (at->first - last_number);
      for (int number = last_number + 1; number < at->first; ++number) {
        trajectories.times.push_back(last.time + (number - last_number) * interval);
        trajectories.positions.push_back(nothing);
      }
    }
    trajectories.times.push_back(at->second.time);
    auto& positions = trajectories.positions.emplace_back();
    for (const std::string& name : trajectories.markers) {
      const auto found = at->second.positions.find(name);
      positions.push_back(found == at->second.positions.end() ? missing : found->second);
    }
  }
  trajectories.frame_rate = FrameRate(trajectories.times);
  return trajectories;
}

struct Column {
  std::size_t first = 0;  // of the three
  double metres = 0.0;    // per unit
};

// The lines of names, axes and units.
std::vector<Column> ReadViconColumns(TextTable& table, std::vector<std::string>& markers) {
  std::vector<Column> columns;
  table.RequireLine("marker names");
  for (std::size_t column = 2; column < table.Cells().size(); ++column) {
    if (table.Cell(column).empty()) continue;
    markers.emplace_back(table.Cell(column));
    columns.push_back({.first = column});
  }
  if (columns.empty()) table.Throw("markers", "none", "1 or more names from the third column on");

  table.RequireLine("axes (Frame, Sub Frame, X, Y, Z, ...)");
  std::size_t num_cells = table.Cells().size();
  while (num_cells > 2 && table.Cell(num_cells - 1).empty()) --num_cells;
  for (std::size_t m = 0; m < columns.size(); ++m) {
    const std::size_t c = columns[m].first;
    const bool alone = c == 2 + 3 * m;
    if (!alone || table.Cell(c) != "X" || table.Cell(c + 1) != "Y" || table.Cell(c + 2) != "Z") {
      table.Throw(markers[m],
                  fmt::format("a name above column {} with \"{}\"", c + 1, table.Cell(c)),
                  fmt::format("a name above X, Y and Z in column {}", 3 + 3 * m));
    }
  }
  if (num_cells != 2 + 3 * columns.size()) {
    table.Throw("axes", fmt::format("{} columns", num_cells),
                fmt::format("{} for {} names", 2 + 3 * columns.size(), columns.size()));
  }

  table.RequireLine("units");
  for (std::size_t m = 0; m < columns.size(); ++m) {
    const std::size_t c = columns[m].first;
    const auto metres = MetresPerUnit(table.Cell(c));
    if (!metres || table.Cell(c + 1) != table.Cell(c) || table.Cell(c + 2) != table.Cell(c)) {
      table.Throw(markers[m],
                  fmt::format("the units \"{}\", \"{}\", \"{}\"", table.Cell(c), table.Cell(c + 1),
                              table.Cell(c + 2)),
                  "mm, cm or m, the same for all three");
    }
    columns[m].metres = *metres;
  }
  return columns;
}

// The table stands at the line "Trajectories".
MarkerTrajectories ReadVicon(TextTable& table, const fs::path& file) {
  MarkerTrajectories trajectories;
  table.RequireLine("the frame rate");
  trajectories.frame_rate = table.PositiveNumber(0, "frame rate");
  const std::vector<Column> columns = ReadViconColumns(table, trajectories.markers);
  RequireDistinctMarkers(file, trajectories.markers);

  double last_frame = 0.0;
  while (table.NextLine() && !table.IsBlank()) {
    table.RequireCells(2 + 3 * columns.size());
    const double frame = table.Count(0, "Frame");
    if (frame <= last_frame) {
      table.Throw("Frame", fmt::format("{} after {}", frame, last_frame),
                  "increasing frame numbers");
    }
    last_frame = frame;
    trajectories.times.push_back((frame - 1.0) / trajectories.frame_rate);
    auto& positions = trajectories.positions.emplace_back();
    for (std::size_t m = 0; m < columns.size(); ++m) {
      positions.push_back(columns[m].metres *
                          table.Position(columns[m].first, trajectories.markers[m]));
    }
  }
  if (trajectories.times.empty()) table.Throw("", "the end of the table", "1 or more rows");
  return trajectories;
}

}  // namespace

MarkerTrajectories ReadMarkerCsv(const fs::path& file, std::string_view content,
                                 const ReadMarkersOptions& options) {
  TextTable table(file, content, ',', options);
  table.RequireLine("a line");
  if (table.Cell(0) == kTime) return ReadOwn(table, file);
  if (table.Cell(0) == kFrame) return ReadTracks(table);
  do {
    if (table.Cell(0) == "Trajectories") return ReadVicon(table, file);
  } while (table.NextLine());
  throw InputError(
      fmt::format("{}: found neither \"time_s\" or \"frame\" at the beginning nor a line "
                  "\"Trajectories\", allowed a table of markers, markers.csv of percuss track or a "
                  "Vicon export",
                  file.string()));
}

std::string MarkerCsvText(const MarkerTrajectories& trajectories) {
  RequireTextNames(trajectories.markers);
  std::string text(kTime);
  for (const std::string& marker : trajectories.markers) {
    text += fmt::format(",{0}_x,{0}_y,{0}_z", marker);
  }
  text += '\n';
  for (std::size_t i = 0; i < trajectories.times.size(); ++i) {
    text += fmt::format("{}", trajectories.times[i]);
    for (const Eigen::Vector3d& p : trajectories.positions[i]) {
      text += IsMissing(p) ? ",,," : fmt::format(",{},{},{}", p.x(), p.y(), p.z());
    }
    text += '\n';
  }
  return text;
}

}  // namespace percuss::capture
