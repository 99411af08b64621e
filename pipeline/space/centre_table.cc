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
#include "base/nan.h"
#include "base/text/csv_rows.h"
#include "base/text/table_columns.h"

namespace percuss::pipeline {
namespace {

constexpr std::size_t kFewestPlaces = 10;

using ThreeNames = std::array<const char*, 3>;

/// Which of its quantities a table has, and the numbers of a row.
class CentreColumns {
 public:
  CentreColumns(const capture::MotionSource& source, const TableColumns& columns,
                const std::vector<std::string>& header)
      : file_(source.file.string()), columns_(columns) {
    timed = Has("time");
    for (const char* name : {"x", "y", "z"}) Need(name, "metres", header);
    numbered = Has("frame");
    if (!timed && !source.frame_rate) Need("t", "seconds", header);
    sigma = Has("sigma");
    sigmas = AllOrNone({"sx", "sy", "sz"});
    spin = AllOrNone({"wx", "wy", "wz"});
    if (sigma && sigmas)
      throw InputError(
          fmt::format("{}: found columns sigma and sx, sy, sz, allowed one or the other", file_));
  }

  double Of(const TableRow& row, std::string_view quantity) const {
    return row.numbers[columns_.Find(quantity) - columns_.columns.data()];
  }
  Eigen::Vector3d Of(const TableRow& row, const ThreeNames& names) const {
    return {Of(row, names[0]), Of(row, names[1]), Of(row, names[2])};
  }

  bool timed = false, numbered = false, sigma = false, sigmas = false, spin = false;

 private:
  bool Has(std::string_view quantity) const { return columns_.Find(quantity) != nullptr; }
  void Need(const char* quantity, const char* unit, const std::vector<std::string>& header) const {
    if (Has(quantity)) return;
    throw InputError(fmt::format("{}: found columns {}, allowed t, x, y, z: there is no {} [{}]",
                                 file_, fmt::join(header, ", "), quantity, unit));
  }
  bool AllOrNone(const ThreeNames& names) const {
    const auto found = std::ranges::count_if(names, [&](const char* name) { return Has(name); });
    if (found == 0 || found == 3) return found == 3;
    throw InputError(fmt::format("{}: found {} of the columns {}, allowed all or none", file_,
                                 found, fmt::join(names, ", ")));
  }

  std::string file_;
  const TableColumns& columns_;
};

/// Of a row, in axes of the table; nothing where the ball was not seen.
std::optional<tracking::BallPlace> PlaceOf(const CentreColumns& columns, const TableRow& row,
                                           const std::string& where) {
  tracking::BallPlace one;
  one.place = columns.Of(row, ThreeNames{"x", "y", "z"});
  if (!one.place.allFinite()) return std::nullopt;
  Eigen::Vector3d sigma = Eigen::Vector3d::Ones();
  if (columns.sigma) sigma.setConstant(columns.Of(row, "sigma"));
  if (columns.sigmas) sigma = columns.Of(row, ThreeNames{"sx", "sy", "sz"});
  if (!(sigma.minCoeff() > 0.0))
    throw InputError(
        fmt::format("{}: found a sigma of {}, allowed a number above 0", where, sigma.minCoeff()));
  one.covariance = sigma.cwiseAbs2().asDiagonal();
  return one;
}

}  // namespace

capture::MotionSource PlainCentres(const std::filesystem::path& file) {
  capture::MotionSource source;
  source.kind = capture::MotionSource::Kind::kCentres;
  source.file = source.table.table = file;
  return source;
}

CentreTable ReadCentreTable(const capture::MotionSource& source) {
  const std::string file = source.file.string();
  std::vector<CsvRow> rows =
      source.rows ? *source.rows : ParseCsv(source.file, ReadFile(source.file));
  if (rows.empty())
    throw InputError(
        fmt::format("{}: found an empty table, allowed a header t,x,y,z and rows", file));
  const std::vector<std::string> header = rows.front().cells;
  const TableColumns stated = capture::AllColumns(source, header);
  const CentreColumns columns(source, stated, header);
  CentreTable table;
  table.sigmas = columns.sigma || columns.sigmas;
  for (const TableRow& row : MapRows(stated, std::move(rows)).rows) {
    const std::string where = fmt::format("{}: row {} (line {})", file, row.row, row.line);
    auto one = PlaceOf(columns, row, where);
    if (!one) continue;
    const double number = columns.numbered ? columns.Of(row, "frame") : row.row - 1;
    one->time = columns.timed ? columns.Of(row, "time") : number / *source.frame_rate;
    const bool first = table.places.empty();
    if (!std::isfinite(one->time) || (!first && !(one->time > table.places.back().time))) {
      throw InputError(fmt::format("{}: found time {} after {}, allowed times that increase", where,
                                   one->time, first ? kNaN : table.places.back().time));
    }
    if (columns.spin) {
      const Eigen::Vector3d spin = columns.Of(row, ThreeNames{"wx", "wy", "wz"});
      if (!spin.allFinite()) continue;
      table.spin.push_back(source.R_WF * spin);
    }
    one->place = source.R_WF * (one->place - source.origin_F);
    one->covariance = source.R_WF * one->covariance * source.R_WF.transpose();
    table.places.push_back(*one);
  }
  if (table.places.size() < kFewestPlaces) {
    throw InputError(fmt::format("{}: found {} places below the header, allowed at least {}", file,
                                 table.places.size(), kFewestPlaces));
  }
  return table;
}

}  // namespace percuss::pipeline
