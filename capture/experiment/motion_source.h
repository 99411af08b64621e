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

/// What a table of the centres of a ball may hold: time or frame number, centre, standard
/// deviation of its coordinates (one, or each), angular velocity.
inline constexpr TableQuantity kCentreQuantities[] = {
    {"time", Dimension::kTime},          {"frame", Dimension::kNumber},
    {"x", Dimension::kLength},           {"y", Dimension::kLength},
    {"z", Dimension::kLength},           {"sigma", Dimension::kLength},
    {"sx", Dimension::kLength},          {"sy", Dimension::kLength},
    {"sz", Dimension::kLength},          {"wx", Dimension::kAngularVelocity},
    {"wy", Dimension::kAngularVelocity}, {"wz", Dimension::kAngularVelocity}};

/// What a trial has in place of two videos: trajectories that another motion-capture system
/// measured, or the clip of one camera. W is reached from the axes F of the file by
/// p_W = R_WF (p_F - origin_F).
struct MotionSource {
  enum class Kind {
    kPoses,
    kMarkers,
    kCentres,  ///< of a ball without markers: poses without orientation
    kClip      ///< likewise, the video of one camera that nothing is known of
  };
  Kind kind = Kind::kPoses;
  std::filesystem::path file;
  std::optional<double>
      frame_rate;  ///< [Hz] where the file has no times; at which a clip was filmed
  Eigen::Matrix3d R_WF = Eigen::Matrix3d::Identity();
  Eigen::Vector3d origin_F = Eigen::Vector3d::Zero();  ///< a point of the surface [m]
  /// Of poses: mass centre from the point whose places they give, body axes [m].
  Eigen::Vector3d p_PB = Eigen::Vector3d::Zero();
  /// Standard deviation of a coordinate of a marker or of the centre [m], and of the orientation
  /// about each axis [rad]; estimated from the data if not given.
  std::optional<double> position_sigma, angle_sigma;

  std::optional<Eigen::Vector2d> ball;  ///< of a clip: a pixel that the ball passes

  TableColumns table;  ///< of poses or centres: what `columns` and `keep` state
  /// Header and rows of a table that has been read already, to be split.
  std::shared_ptr<const std::vector<CsvRow>> rows;
};

struct NamedMotion {
  std::string name;  ///< plain, of the trial
  MotionSource source;
};

/// Keys of a trial that has `poses`, `markers` or `clip`, besides those of any trial.
inline constexpr std::string_view kMotionKeys[] = {"poses",  "markers", "clip",       "columns",
                                                   "keep",   "split",   "frame_rate", "axes",
                                                   "origin", "sigma",   "ball"};

/// The trials that one entry of the list `trials` stands for: one for each file that its pattern
/// matches, named by the file, or for each value of its `split` column, named by the value; with
/// `name`, that comes first ("name-file").
/// @param ball what was dropped is a sphere without markers: poses may be its centres alone, and so
/// are those of a table without any column of an orientation, or that cannot be read
/// @throws InputError naming field and line of the experiment file, or the table and its row.
std::vector<NamedMotion> ReadMotionSources(const YamlField& trial, bool ball);

/// The stated columns of a table of poses or centres with those that are there under the
/// quantity's own name (of time also t). @param header the names of its columns
TableColumns AllColumns(const MotionSource& source, const std::vector<std::string>& header);

}  // namespace percuss::capture
