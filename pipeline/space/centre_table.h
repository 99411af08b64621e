// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <vector>

#include "capture/experiment/motion_source.h"
#include "tracking/space/ball_place.h"

namespace percuss::pipeline {

/// A table of the places of a ball's centre.
struct CentreTable {
  std::vector<tracking::BallPlace> places;
  bool sigmas = false;                ///< the table states them; else all places are alike
  std::vector<Eigen::Vector3d> spin;  ///< [rad/s], one per place; empty: not in the table
};

/// A table that needs no explanation: columns t, x, y, z in seconds and metres.
capture::MotionSource PlainCentres(const std::filesystem::path& file);

/// Reads a CSV table with a header: time (or t, or frame with a frame rate) [s], x, y, z [m]; and,
/// if they are there, sigma or sx, sy, sz [m], and wx, wy, wz [rad/s]; under these names or those
/// that the source states, in its axes. Other columns are not read; a row in which a cell of these
/// is empty is a place that was not measured.
/// @throws InputError naming file, row and column: a column that is missing, a cell that is no
/// number, a sigma that is not above 0, a time that is not later than that before; fewer than 10
/// places.
CentreTable ReadCentreTable(const capture::MotionSource& source);

}  // namespace percuss::pipeline
