// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/space/centre_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/files/files.h"
#include "base/text/csv_rows.h"

namespace percuss::pipeline {
namespace {

constexpr std::size_t kFewestRows = 10;

using ThreeNames = std::array<const char*, 3>;
using ThreePlaces = std::array<std::size_t, 3>;

/// The header of a table: where its columns are.
class CentreColumns {
 public:
  CentreColumns(std::string file, const CsvRow& header) : file_(std::move(file)), header_(header) {
    time = Need("t", "seconds");
    place = {Need("x", "metres"), Need("y", "metres"), Need("z", "metres")};
    sigma = Find("sigma");
    sigmas = AllOrNone({"sx", "sy", "sz"});
    spin = AllOrNone({"wx", "wy", "wz"});
    if (sigma && sigmas) {
      throw InputError(
          fmt::format("{}: line {}: found columns sigma and sx, sy, sz, allowed one or the other",
                      file_, header_.line));
    }
  }

  /// The number of a cell, which must be there.
  double Number(const CsvRow& row, std::size_t column) const {
    const std::string& name = header_.cells[column];
    const std::string where = fmt::format("{}: line {}", file_, row.line);
    if (column >= row.cells.size()) {
      throw InputError(
          fmt::format("{}: column {}: found a row of {} cells, allowed {} as in the "
                      "header",
                      where, name, row.cells.size(), header_.cells.size()));
    }
    const double value = ParseCsvNumber(where, name, row.cells[column]);
    if (std::isnan(value)) {
      throw InputError(fmt::format(
          "{}: column {}: found '{}', allowed a number (leave out rows without the ball)", where,
          name, row.cells[column]));
    }
    return value;
  }
  double Positive(const CsvRow& row, std::size_t column) const {
    const double value = Number(row, column);
    if (!(value > 0.0)) {
      throw InputError(fmt::format("{}: line {}: column {}: found {}, allowed a number above 0",
                                   file_, row.line, header_.cells[column], value));
    }
    return value;
  }

  std::size_t time = 0;
  ThreePlaces place{};
  std::optional<std::size_t> sigma;
  std::optional<ThreePlaces> sigmas, spin;

 private:
  std::optional<std::size_t> Find(const std::string& name) const {
    const auto at = std::ranges::find(header_.cells, name);
    if (at == header_.cells.end()) return std::nullopt;
    return static_cast<std::size_t>(at - header_.cells.begin());
  }
  std::size_t Need(const std::string& name, const char* unit) const {
    const auto at = Find(name);
    if (at) return *at;
    std::string found;
    for (const std::string& cell : header_.cells) found += (found.empty() ? "" : ", ") + cell;
    throw InputError(
        fmt::format("{}: line {}: found columns {}, allowed t, x, y, z: there is no {} [{}]", file_,
                    header_.line, found, name, unit));
  }
  std::optional<ThreePlaces> AllOrNone(const ThreeNames& names) const {
    ThreePlaces places{};
    int found = 0;
    for (int k = 0; k < 3; ++k) {
      const auto at = Find(names[k]);
      if (at) places[k] = *at;
      found += at.has_value();
    }
    if (found == 0) return std::nullopt;
    if (found == 3) return places;
    throw InputError(
        fmt::format("{}: line {}: found {} of the columns {}, {}, {}, allowed all or "
                    "none",
                    file_, header_.line, found, names[0], names[1], names[2]));
  }

  std::string file_;
  const CsvRow& header_;
};

}  // namespace

CentreTable ReadCentreTable(const std::filesystem::path& file) {
  const std::vector<CsvRow> rows = ParseCsv(file, ReadFile(file));
  if (rows.empty())
    throw InputError(
        fmt::format("{}: found an empty table, allowed a header t,x,y,z and rows", file.string()));
  const CentreColumns columns(file.string(), rows.front());
  CentreTable table;
  table.sigmas = columns.sigma || columns.sigmas;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const CsvRow& row = rows[i];
    tracking::BallPlace& one = table.places.emplace_back();
    one.time = columns.Number(row, columns.time);
    for (int k = 0; k < 3; ++k) one.place[k] = columns.Number(row, columns.place[k]);
    Eigen::Vector3d sigma = Eigen::Vector3d::Ones();
    if (columns.sigma) sigma *= columns.Positive(row, *columns.sigma);
    if (columns.sigmas)
      for (int k = 0; k < 3; ++k) sigma[k] = columns.Positive(row, (*columns.sigmas)[k]);
    one.covariance = sigma.cwiseAbs2().asDiagonal();
    if (columns.spin) {
      Eigen::Vector3d& spin = table.spin.emplace_back();
      for (int k = 0; k < 3; ++k) spin[k] = columns.Number(row, (*columns.spin)[k]);
    }
    if (i > 1 && !(one.time > table.places[i - 2].time)) {
      throw InputError(
          fmt::format("{}: line {}: column t: found {} after {}, allowed times that "
                      "increase",
                      file.string(), row.line, one.time, table.places[i - 2].time));
    }
  }
  if (table.places.size() < kFewestRows) {
    throw InputError(fmt::format("{}: found {} rows below the header, allowed at least {}",
                                 file.string(), table.places.size(), kFewestRows));
  }
  return table;
}

}  // namespace percuss::pipeline
