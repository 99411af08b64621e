// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/tracks/track_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/files/files.h"

namespace percuss::capture {
namespace {

bool HasCell(const CsvRow& row, std::string_view name) { return TrackTable::Find(row, name) >= 0; }

bool IsDltdvHeader(const CsvRow& header) {
  return std::ranges::any_of(header.cells, [](const std::string& cell) {
    return cell.find("_cam") != std::string::npos && (cell.ends_with("_X") || cell.ends_with("_x"));
  });
}

}  // namespace

std::string TrackTable::Where(const CsvRow& row) const {
  return fmt::format("{}: line {}", file.string(), row.line);
}

void TrackTable::Throw(const CsvRow& row, std::string_view found, std::string_view allowed) const {
  throw InputError(fmt::format("{}: found {}, allowed {}", Where(row), found, allowed));
}

int TrackTable::Find(const CsvRow& header, std::string_view name) {
  const auto found = std::ranges::find(header.cells, name);
  return found == header.cells.end() ? -1 : static_cast<int>(found - header.cells.begin());
}

int TrackTable::Column(const CsvRow& header, std::string_view name) const {
  const int column = Find(header, name);
  if (column < 0) {
    Throw(header, fmt::format("the columns {}", fmt::join(header.cells, ", ")),
          fmt::format("one called {}", name));
  }
  return column;
}

double TrackTable::Number(const CsvRow& row, int column, std::string_view name) const {
  if (column < 0) return TrackPoint::kNone;
  if (column >= static_cast<int>(row.cells.size())) {
    Throw(row, fmt::format("{} cells", row.cells.size()),
          fmt::format("a cell for the column {}", name));
  }
  return ParseCsvNumber(Where(row), name, row.cells[column]);
}

double TrackTable::Required(const CsvRow& row, int column, std::string_view name) const {
  const double value = Number(row, column, name);
  if (std::isnan(value)) Throw(row, fmt::format("no {}", name), "a number");
  return value;
}

void TrackTable::RequireLength(const CsvRow& row, std::size_t length) const {
  if (row.cells.size() == length) return;
  Throw(row, fmt::format("{} cells", row.cells.size()), fmt::format("{} as in the header", length));
}

TrackTable ReadTrackTable(const std::filesystem::path& file) {
  TrackTable table{file, ParseCsv(file, ReadFile(file))};
  if (table.rows.empty())
    throw InputError(fmt::format("{}: found no row, allowed a table of tracks", file.string()));
  return table;
}

TrackFormat RecogniseTracks(const TrackTable& table) {
  const CsvRow& header = table.rows.front();
  if (header.cells.front() == "scorer") return TrackFormat::kDeepLabCut;
  if (IsDltdvHeader(header)) return TrackFormat::kDltdv;
  if (HasCell(header, "frame_idx")) return TrackFormat::kSleap;
  if (HasCell(header, "POSITION_X")) return TrackFormat::kTrackMate;
  if (HasCell(header, "marker") || HasCell(header, "camera")) return TrackFormat::kCsv;
  const std::size_t looked_at = std::min<std::size_t>(table.rows.size(), 3);
  for (std::size_t i = 0; i < looked_at; ++i) {
    const CsvRow& row = table.rows[i];
    const bool places = HasCell(row, "x") || HasCell(row, "pixelx");
    if (places && HasCell(row, "t")) return TrackFormat::kTracker;
    if (places && (HasCell(row, "frame") || HasCell(row, "time"))) return TrackFormat::kCsv;
  }
  table.Throw(header, fmt::format("the columns {}", fmt::join(header.cells, ", ")),
              "a header of DeepLabCut (scorer), DLTdv (pt1_cam1_X), SLEAP (frame_idx), TrackMate "
              "(POSITION_X), Tracker (t, x, y), or frame, marker, x, y");
}

std::string ChooseTrack(const std::filesystem::path& file, const TrackSource& source,
                        const std::vector<std::string>& tracks) {
  if (source.track.empty()) {
    if (tracks.size() == 1) return tracks.front();
  } else if (std::ranges::find(tracks, source.track) != tracks.end()) {
    return source.track;
  }
  throw InputError(fmt::format("{}: track: found {}, allowed one of {}", file.string(),
                               source.track.empty() ? "none" : source.track,
                               fmt::join(tracks, ", ")));
}

}  // namespace percuss::capture
