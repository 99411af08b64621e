// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "calibration/rig/rig_calibration.h"
#include "capture/experiment/motion_source.h"
#include "pipeline/bounces/bounce_clip.h"
#include "tracking/space/space_fit.h"

namespace percuss::pipeline {

/// What is known of a ball in space beside BounceOptions.
struct SpaceOptions {
  std::optional<Eigen::Vector3d> up;  ///< the vertical, in axes of the table or of the calibration
  /// To be added to times of the right clip for those of the left [s]; none: both begin at once,
  /// within a frame.
  std::optional<ValueWithSigma> clock_offset;
  std::array<capture::RecordedCamera, 2> cameras;  ///< as the files of two clips say
};

/// The spin of a ball during one flight, as a table has it.
struct FlightSpin {
  double begin = 0.0, end = 0.0;  ///< of its rows [s]
  int rows = 0;
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();   ///< [rad/s]
  Eigen::Vector3d sigma = Eigen::Vector3d::Zero();  ///< of the mean, from the scatter of the rows
};

/// The bounces of a ball in space.
struct SpaceBounces {
  /// Lengths of its fit are in metres: scale.radius is 1 and known, whatever the ball's radius is.
  BounceClip clip;
  tracking::SpaceFit space;       ///< its fit is that of `clip`
  ValueWithSigma radius;          ///< of the ball [m]: as typed, else as two cameras show; or NaN
  std::vector<FlightSpin> spins;  ///< of each flight, where the table has spins
  std::size_t count = 0;          ///< places of the table, or outlines of both clips
  std::vector<std::string> inputs;
};

/// From a table of the ball's centres (ReadCentreTable) to its bounces.
/// @throws InputError as ReadCentreTable; DataError naming the file and the reason.
SpaceBounces MeasureTable(const capture::MotionSource& table, const BounceOptions& options,
                          const SpaceOptions& space);

/// From two clips and the calibration of their cameras (options.lens): finds the ball in each clip
/// as in one, and fits one motion to the outlines of both.
/// @throws InputError naming the file: not a video, a calibration of another number of cameras or
/// another picture size. @throws DataError naming the file and the reason.
SpaceBounces MeasureTwoClips(const std::array<std::filesystem::path, 2>& clips,
                             const BounceOptions& options, const SpaceOptions& space,
                             Progress* progress);

/// The same from frames in memory. @param names for messages
SpaceBounces MeasureTwoClips(const std::array<tracking::ClipFrames, 2>& frames,
                             const std::array<std::string, 2>& names,
                             const calibration::RigCalibration& rig, const BounceOptions& options,
                             const SpaceOptions& space, Progress* progress);

/// One line: how many bounces, from what.
std::string SpaceLine(const SpaceBounces& bounces);
std::string SpaceJson(const SpaceBounces& bounces, const std::string& command);
/// flight,begin,end,rows and spins; empty where the table has none.
std::string FlightsCsv(const SpaceBounces& bounces);
/// The bounces as impacts NAME-1, NAME-2, ... (ImpactsOfBounces), with the spins of a table.
/// @throws std::invalid_argument where the radius is not known
impacts::ImpactTable ImpactsOfSpace(const SpaceBounces& bounces, const std::string& name);
/// Writes bounces.csv, bounce.json, where the radius is known impacts.json and body.yaml, and of a
/// table with spins flights.csv.
void WriteSpaceBounces(const SpaceBounces& bounces, const std::filesystem::path& folder,
                       const std::string& command);

}  // namespace percuss::pipeline
