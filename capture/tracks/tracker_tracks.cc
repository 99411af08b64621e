// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Tables that Tracker (Open Source Physics) exports: a line with the name of each mass above its
// columns, which may be missing, then the names of the columns, then rows.

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "capture/tracks/track_table.h"

namespace percuss::capture {
namespace {

/// Place of the row with the names of the columns.
std::size_t HeaderRow(const TrackTable& table) {
  for (std::size_t i = 0; i < std::min<std::size_t>(table.rows.size(), 3); ++i) {
    if (TrackTable::Find(table.rows[i], "t") >= 0) return i;
  }
  table.Throw(table.rows.front(), "no column t", "a header with t, and x, y or pixelx, pixely");
}

/// The columns of one mass.
struct MassColumns {
  std::string name;
  int x = -1, y = -1;
};

}  // namespace

bool HasTrackerPixels(const TrackTable& table) {
  return TrackTable::Find(table.rows[HeaderRow(table)], "pixelx") >= 0;
}

std::vector<TrackPoint> ReadTracker(const TrackTable& table, const TrackSource&) {
  const std::size_t head = HeaderRow(table);
  const CsvRow& header = table.rows[head];
  const int time = TrackTable::Find(header, "t"), frame = TrackTable::Find(header, "frame");
  const std::string x_name = HasTrackerPixels(table) ? "pixelx" : "x",
                    y_name = HasTrackerPixels(table) ? "pixely" : "y";
  std::vector<MassColumns> masses;
  for (std::size_t c = 0; c < header.cells.size(); ++c) {
    if (header.cells[c] == x_name) {
      // The name stands above the first column of its mass, or above the table.
      std::string name;
      for (std::size_t k = 0; head > 0 && k <= c && k < table.rows[head - 1].cells.size(); ++k) {
        if (!table.rows[head - 1].cells[k].empty()) name = table.rows[head - 1].cells[k];
      }
      if (name.empty()) name = table.file.stem().string();
      masses.push_back({.name = std::move(name), .x = static_cast<int>(c)});
    } else if (header.cells[c] == y_name && !masses.empty() && masses.back().y < 0) {
      masses.back().y = static_cast<int>(c);
    }
  }
  const bool whole = std::ranges::all_of(masses, [](const MassColumns& m) { return m.y >= 0; });
  if (masses.empty() || !whole) {
    table.Throw(header, fmt::format("the columns {}", fmt::join(header.cells, ", ")),
                fmt::format("{} and, after it, {} of each mass", x_name, y_name));
  }
  std::vector<TrackPoint> points;
  for (std::size_t i = head + 1; i < table.rows.size(); ++i) {
    const CsvRow& row = table.rows[i];
    for (const MassColumns& mass : masses) {
      points.push_back(
          {.where = table.Where(row),
           .name = mass.name,
           .frame = frame < 0 ? TrackPoint::kNone : table.Required(row, frame, "frame"),
           .time = table.Required(row, time, "t"),
           .x = table.Number(row, mass.x, x_name),
           .y = table.Number(row, mass.y, y_name)});
    }
  }
  return points;
}

}  // namespace percuss::capture
