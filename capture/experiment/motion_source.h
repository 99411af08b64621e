// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/csv_rows.h"
#include "base/text/table_columns.h"
#include "base/text/yaml_field.h"

namespace percuss::capture {

/// What a table of poses may hold: time or frame number, centre of the body, and its orientation as
/// a unit quaternion (Hamilton, body to file axes) or as an angle about y.
inline constexpr TableQuantity kPoseQuantities[] = {
    {"time", Dimension::kTime},  {"frame", Dimension::kNumber}, {"x", Dimension::kLength},
    {"y", Dimension::kLength},   {"z", Dimension::kLength},     {"qw", Dimension::kNumber},
    {"qx", Dimension::kNumber},  {"qy", Dimension::kNumber},    {"qz", Dimension::kNumber},
    {"angle", Dimension::kAngle}};

/// Trajectories that another motion-capture system measured, in place of videos. W is reached from
/// the axes F of the file by p_W = R_WF (p_F - origin_F).
struct MotionSource {
  enum class Kind { kPoses, kMarkers };
  Kind kind = Kind::kPoses;
  std::filesystem::path file;
  std::optional<double> frame_rate;  ///< [Hz] where the file has no times
  Eigen::Matrix3d R_WF = Eigen::Matrix3d::Identity();
  Eigen::Vector3d origin_F = Eigen::Vector3d::Zero();  ///< a point of the surface [m]
  /// Standard deviation of a coordinate of a marker or of the centre [m], and of the orientation
  /// about each axis [rad]; estimated from the data if not given.
  std::optional<double> position_sigma, angle_sigma;

  TableColumns table;  ///< of poses: what `columns` and `keep` state
  /// Header and rows of a table that has been read already, to be split.
  std::shared_ptr<const std::vector<CsvRow>> rows;
};

struct NamedMotion {
  std::string name;  ///< plain, of the trial
  MotionSource source;
};

/// Keys of a trial that has `poses` or `markers`, besides those of any trial.
inline constexpr std::string_view kMotionKeys[] = {
    "poses", "markers", "columns", "keep", "split", "frame_rate", "axes", "origin", "sigma"};

/// The trials that one entry of the list `trials` stands for: one for each file that its pattern
/// matches, named by the file, or for each value of its `split` column, named by the value; with
/// `name`, that comes first ("name-file").
/// @throws InputError naming field and line of the experiment file, or the table and its row.
std::vector<NamedMotion> ReadMotionSources(const YamlField& trial);

}  // namespace percuss::capture
