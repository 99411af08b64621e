// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Tables with a row for each frame, and columns for each point: DeepLabCut, DLTdv, SLEAP.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "capture/tracks/track_table.h"

namespace percuss::capture {
namespace {

/// The columns of one point.
struct PointColumns {
  std::string name;
  int x = -1, y = -1, likelihood = -1;
};

void RequirePairs(const TrackTable& table, const std::vector<PointColumns>& points) {
  for (const PointColumns& point : points) {
    if (point.x >= 0 && point.y >= 0) continue;
    table.Throw(table.rows.front(),
                fmt::format("{} without {}", point.name, point.x < 0 ? "x" : "y"),
                "x and y of each point");
  }
}

PointColumns& PointCalled(const std::string& name, std::vector<PointColumns>* points) {
  const auto found = std::ranges::find(*points, name, &PointColumns::name);
  if (found != points->end()) return *found;
  return points->emplace_back(PointColumns{.name = name});
}

void AddRow(const TrackTable& table, const CsvRow& row, double frame,
            const std::vector<PointColumns>& columns, std::vector<TrackPoint>* points) {
  for (const PointColumns& column : columns) {
    points->push_back(
        {.where = table.Where(row),
         .name = column.name,
         .frame = frame,
         .x = table.Number(row, column.x, column.name + " x"),
         .y = table.Number(row, column.y, column.name + " y"),
         .likelihood = table.Number(row, column.likelihood, column.name + " likelihood")});
  }
}

/// The first rows of DeepLabCut: scorer, perhaps individuals, bodyparts, coords.
std::size_t HeadOf(const TrackTable& table) {
  const auto is = [&](std::size_t i, std::string_view word) {
    return i < table.rows.size() && table.rows[i].cells.front() == word;
  };
  const std::size_t parts = is(1, "individuals") ? 2 : 1;
  if (!is(parts, "bodyparts") || !is(parts + 1, "coords")) {
    table.Throw(table.rows.front(), "another header",
                "rows that begin with scorer, bodyparts and coords");
  }
  for (std::size_t i = 1; i < parts + 2; ++i)
    table.RequireLength(table.rows[i], table.rows.front().cells.size());
  return parts + 2;
}

}  // namespace

std::vector<TrackPoint> ReadDeepLabCut(const TrackTable& table, const TrackSource& source) {
  const std::size_t head = HeadOf(table);
  const std::vector<std::string>& parts = table.rows[head - 2].cells;
  const std::vector<std::string>& coords = table.rows[head - 1].cells;
  std::vector<std::string> individuals;
  if (head == 4) {
    for (std::size_t c = 1; c < parts.size(); ++c) {
      const std::string& one = table.rows[1].cells[c];
      if (std::ranges::find(individuals, one) == individuals.end()) individuals.push_back(one);
    }
  }
  const std::string individual =
      individuals.empty() ? "" : ChooseTrack(table.file, source, individuals);
  std::vector<PointColumns> columns;
  for (std::size_t c = 1; c < parts.size(); ++c) {
    if (head == 4 && table.rows[1].cells[c] != individual) continue;
    PointColumns& point = PointCalled(parts[c], &columns);
    int* place = coords[c] == "x"            ? &point.x
                 : coords[c] == "y"          ? &point.y
                 : coords[c] == "likelihood" ? &point.likelihood
                                             : nullptr;
    if (place == nullptr || *place >= 0) {
      table.Throw(table.rows[head - 1], fmt::format("\"{}\" of {}", coords[c], parts[c]),
                  "x, y and likelihood, each once");
    }
    *place = static_cast<int>(c);
  }
  RequirePairs(table, columns);
  std::vector<TrackPoint> points;
  for (std::size_t i = head; i < table.rows.size(); ++i) {
    const CsvRow& row = table.rows[i];
    table.RequireLength(row, parts.size());
    AddRow(table, row, table.Required(row, 0, "frame"), columns, &points);
  }
  return points;
}

std::vector<TrackPoint> ReadDltdv(const TrackTable& table, const TrackSource& source) {
  const CsvRow& header = table.rows.front();
  const std::string of_camera = "_cam" + source.camera + "_";
  std::vector<PointColumns> columns;
  for (std::size_t c = 0; c < header.cells.size(); ++c) {
    const std::string& cell = header.cells[c];
    const std::size_t at = cell.find(of_camera);
    if (at == std::string::npos || at == 0 || cell.size() != at + of_camera.size() + 1) continue;
    PointColumns& point = PointCalled(cell.substr(0, at), &columns);
    const char axis = static_cast<char>(cell.back() | 0x20);
    int* place = axis == 'x' ? &point.x : axis == 'y' ? &point.y : nullptr;
    if (place == nullptr || *place >= 0)
      table.Throw(header, fmt::format("the column {}", cell), "X and Y, each once");
    *place = static_cast<int>(c);
  }
  if (columns.empty()) {
    table.Throw(header, fmt::format("the columns {}", fmt::join(header.cells, ", ")),
                fmt::format("pt1{}X, pt1{}Y and so on", of_camera, of_camera));
  }
  RequirePairs(table, columns);
  std::vector<TrackPoint> points;
  for (std::size_t i = 1; i < table.rows.size(); ++i) {
    table.RequireLength(table.rows[i], header.cells.size());
    AddRow(table, table.rows[i], static_cast<double>(i - 1), columns, &points);
  }
  return points;
}

std::vector<TrackPoint> ReadSleap(const TrackTable& table, const TrackSource& source) {
  const CsvRow& header = table.rows.front();
  const int frame = table.Column(header, "frame_idx"), track = TrackTable::Find(header, "track"),
            score = TrackTable::Find(header, "instance.score");
  std::vector<PointColumns> columns;
  for (std::size_t c = 0; c < header.cells.size(); ++c) {
    const std::string& cell = header.cells[c];
    const std::size_t dot = cell.rfind('.');
    if (dot == std::string::npos || cell == "instance.score") continue;
    const std::string what = cell.substr(dot + 1);
    if (what != "x" && what != "y" && what != "score") continue;
    PointColumns& point = PointCalled(cell.substr(0, dot), &columns);
    int* place = what == "x" ? &point.x : what == "y" ? &point.y : &point.likelihood;
    if (*place >= 0) table.Throw(header, fmt::format("the column {} twice", cell), "once");
    *place = static_cast<int>(c);
  }
  if (columns.empty()) {
    table.Throw(header, fmt::format("the columns {}", fmt::join(header.cells, ", ")),
                "NODE.x, NODE.y and NODE.score of the nodes");
  }
  RequirePairs(table, columns);
  std::vector<std::string> tracks;
  for (std::size_t i = 1; i < table.rows.size(); ++i) {
    table.RequireLength(table.rows[i], header.cells.size());
    if (track < 0) continue;
    const std::string& one = table.rows[i].cells[track];
    if (std::ranges::find(tracks, one) == tracks.end()) tracks.push_back(one);
  }
  const std::string chosen = tracks.empty() ? "" : ChooseTrack(table.file, source, tracks);
  // What a user labelled has no score of its instance, and counts more than a prediction beside it.
  std::map<double, const CsvRow*> rows;
  const auto by_user = [&](const CsvRow& row) {
    return score >= 0 && std::isnan(table.Number(row, score, "instance.score"));
  };
  for (std::size_t i = 1; i < table.rows.size(); ++i) {
    const CsvRow& row = table.rows[i];
    if (track >= 0 && row.cells[track] != chosen) continue;
    const auto [there, is_new] = rows.try_emplace(table.Required(row, frame, "frame_idx"), &row);
    if (is_new) continue;
    if (by_user(row) == by_user(*there->second))
      table.Throw(row, fmt::format("frame {} a second time", there->first), "each frame once");
    if (by_user(row)) there->second = &row;
  }
  std::vector<TrackPoint> points;
  for (const auto& [number, row] : rows) AddRow(table, *row, number, columns, &points);
  return points;
}

}  // namespace percuss::capture
