// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Tables with a row for each point of each frame: TrackMate, and our own.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "capture/tracks/track_table.h"

namespace percuss::capture {

std::vector<TrackPoint> ReadTrackMate(const TrackTable& table, const TrackSource&) {
  const CsvRow& header = table.rows.front();
  const int x = table.Column(header, "POSITION_X"), y = table.Column(header, "POSITION_Y"),
            frame = table.Column(header, "FRAME"), track = TrackTable::Find(header, "TRACK_ID");
  // Three more rows of the header: names, short names, units.
  std::size_t first = 1;
  for (; first < std::min<std::size_t>(table.rows.size(), 4); ++first) {
    const CsvRow& row = table.rows[first];
    table.RequireLength(row, header.cells.size());
    const std::string& cell = row.cells[frame];
    if (!cell.empty() && cell.find_first_not_of("0123456789.") == std::string::npos) break;
    const std::string& unit = row.cells[x];
    constexpr std::array<std::string_view, 4> kPixels = {"(pixel)", "(pixels)", "pixel", "px"};
    if (unit.starts_with('(') && std::ranges::find(kPixels, unit) == kPixels.end()) {
      table.Throw(row, fmt::format("POSITION_X in {}", unit),
                  "(pixel): set the width and height of a pixel to 1 pixel before tracking");
    }
  }
  std::vector<TrackPoint> points;
  for (std::size_t i = first; i < table.rows.size(); ++i) {
    const CsvRow& row = table.rows[i];
    table.RequireLength(row, header.cells.size());
    std::string name = track < 0 ? "" : row.cells[track];
    if (name == "None") name.clear();
    points.push_back({.where = table.Where(row),
                      .name = std::move(name),
                      .frame = table.Required(row, frame, "FRAME"),
                      .x = table.Number(row, x, "POSITION_X"),
                      .y = table.Number(row, y, "POSITION_Y")});
  }
  return points;
}

std::vector<TrackPoint> ReadLongTracks(const TrackTable& table, const TrackSource& source) {
  const CsvRow& header = table.rows.front();
  const int x = table.Column(header, "x"), y = table.Column(header, "y"),
            frame = TrackTable::Find(header, "frame"), marker = TrackTable::Find(header, "marker"),
            camera = TrackTable::Find(header, "camera"),
            likelihood = TrackTable::Find(header, "likelihood"),
            sigma = TrackTable::Find(header, "sigma");
  const char* const time_name = TrackTable::Find(header, "time") >= 0 ? "time" : "t";
  const int time = TrackTable::Find(header, time_name);
  if (frame < 0) table.Column(header, time_name);
  // Cameras have numbers, or the names of their sides.
  const std::string side = source.camera == "1" ? "left" : source.camera == "2" ? "right" : "";
  std::vector<TrackPoint> points;
  for (std::size_t i = 1; i < table.rows.size(); ++i) {
    const CsvRow& row = table.rows[i];
    table.RequireLength(row, header.cells.size());
    if (camera >= 0 && row.cells[camera] != source.camera && row.cells[camera] != side) continue;
    TrackPoint point{.where = table.Where(row),
                     .name = marker < 0 ? "" : row.cells[marker],
                     .x = table.Number(row, x, "x"),
                     .y = table.Number(row, y, "y"),
                     .likelihood = table.Number(row, likelihood, "likelihood"),
                     .sigma = table.Number(row, sigma, "sigma")};
    if (frame >= 0) point.frame = table.Required(row, frame, "frame");
    if (time >= 0) point.time = table.Required(row, time, time_name);
    if (point.sigma <= 0.0)
      table.Throw(row, fmt::format("sigma {}", point.sigma), "a number above 0 [px]");
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace percuss::capture
