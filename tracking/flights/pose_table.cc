// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/flights/pose_table.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "base/error.h"
#include "base/files/files.h"
#include "base/text/csv_rows.h"

namespace percuss::tracking {
namespace {

constexpr double kMaxNormError = 0.02;  // of a quaternion: more is another quantity

/// The numbers of a row by quantity.
class Values {
 public:
  explicit Values(const TableColumns& columns) : columns_(columns) {}
  bool Has(std::string_view quantity) const { return columns_.Find(quantity) != nullptr; }
  double Of(const TableRow& row, std::string_view quantity) const {
    return row.numbers[columns_.Find(quantity) - columns_.columns.data()];
  }

 private:
  const TableColumns& columns_;
};

/// The pose of a row in axes of the file; nothing if a cell is empty.
std::optional<BodyPose> ReadPose(const std::string& where, const TableRow& row,
                                 const Values& values, bool planar) {
  const auto value = [&](const char* quantity) { return values.Of(row, quantity); };
  BodyPose pose;
  pose.p_WB = {value("x"), values.Has("y") ? value("y") : 0.0, value("z")};
  if (planar) {
    pose.q_WB = Eigen::AngleAxisd(value("angle"), Eigen::Vector3d::UnitY());
  } else {
    pose.q_WB = Eigen::Quaterniond(value("qw"), value("qx"), value("qy"), value("qz"));
  }
  if (!pose.p_WB.allFinite() || !pose.q_WB.coeffs().allFinite()) return std::nullopt;
  const double norm = pose.q_WB.norm();
  if (!(std::abs(norm - 1.0) <= kMaxNormError)) {
    throw InputError(
        fmt::format("{}: found a quaternion qw, qx, qy, qz of norm {:.4g}, allowed "
                    "{:g} to {:g}",
                    where, norm, 1.0 - kMaxNormError, 1.0 + kMaxNormError));
  }
  pose.q_WB.normalize();
  return pose;
}

void CheckColumns(const capture::MotionSource& source, const Values& values, bool planar,
                  const std::vector<std::string>& header) {
  const std::string file = source.file.string();
  const auto require = [&](std::string_view quantity, std::string_view what) {
    if (values.Has(quantity)) return;
    throw InputError(fmt::format(
        "{}: column {} is missing, needed for {}; name it under `columns` of the trial; found {}",
        file, quantity, what, fmt::join(header, ", ")));
  };
  require("x", "the centre of the body");
  require("z", "the centre of the body");
  if (!planar) {
    require("y", "the centre of the body");
    for (const char* quantity : {"qw", "qx", "qy", "qz"}) {
      require(quantity, "the orientation (or angle, for a motion in the x-z plane)");
    }
  } else if (source.R_WF.row(1).transpose() != Eigen::Vector3d::UnitY()) {
    throw InputError(
        fmt::format("{}: found an angle about y with axes that turn y, allowed are "
                    "axes with y in the second place",
                    file));
  }
  if (!values.Has("time") && !source.frame_rate) {
    throw InputError(fmt::format(
        "{}: column time (or t) is missing, allowed if the trial gives frame_rate; found {}", file,
        fmt::join(header, ", ")));
  }
}

}  // namespace

PoseTable ReadPoseTable(const capture::MotionSource& source) {
  const std::string file = source.file.string();
  std::vector<CsvRow> rows =
      source.rows ? *source.rows : ParseCsv(source.file, ReadFile(source.file));
  const TableColumns columns =
      capture::AllColumns(source, rows.empty() ? std::vector<std::string>{} : rows.front().cells);
  const MappedTable mapped = MapRows(columns, std::move(rows));
  const Values values(columns);
  PoseTable table;
  table.planar = values.Has("angle");
  CheckColumns(source, values, table.planar, mapped.header);
  const bool timed = values.Has("time");
  const Eigen::Quaterniond q_WF(source.R_WF);
  for (const TableRow& row : mapped.rows) {
    const std::string where = fmt::format("{}: row {} (line {})", file, row.row, row.line);
    PoseSample sample;
    sample.frame = static_cast<int>(table.samples.size());
    if (values.Has("frame")) {
      const double number = values.Of(row, "frame");
      if (!(number == std::round(number) && std::abs(number) < 1e9)) {
        throw InputError(
            fmt::format("{}, column frame: found {}, allowed a whole number", where, number));
      }
      sample.frame = static_cast<int>(number);
    }
    sample.time = timed ? values.Of(row, "time") : sample.frame / *source.frame_rate;
    if (!std::isfinite(sample.time) ||
        (!table.samples.empty() && !(sample.time > table.samples.back().time))) {
      throw InputError(fmt::format(
          "{}, column {}: found {}, allowed a time after that of the row before (several motions "
          "in one file: see `keep` and `split`)",
          where, timed ? "time" : "frame", timed ? sample.time : sample.frame));
    }
    sample.pose = ReadPose(where, row, values, table.planar);
    if (sample.pose) {
      sample.pose->p_WB = source.R_WF * (sample.pose->p_WB - source.origin_F);
      sample.pose->q_WB = q_WF * sample.pose->q_WB;
      sample.pose->p_WB += sample.pose->q_WB * source.p_PB;
    }
    table.samples.push_back(sample);
  }
  return table;
}

}  // namespace percuss::tracking
