// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <vector>

#include "tracking/space/ball_place.h"

namespace percuss::pipeline {

/// A table of the places of a ball's centre.
struct CentreTable {
  std::vector<tracking::BallPlace> places;
  bool sigmas = false;                ///< the table states them; else all places are alike
  std::vector<Eigen::Vector3d> spin;  ///< [rad/s], one per place; empty: not in the table
};

/// Reads a CSV table with a header: t [s], x, y, z [m]; and, if they are there, sigma or sx, sy, sz
/// [m], and wx, wy, wz [rad/s]. Other columns are not read.
/// @throws InputError naming file, line and column: a column that is missing, a cell that is no
/// number, a sigma that is not above 0, a time that is not later than that before; fewer than 10
/// rows.
CentreTable ReadCentreTable(const std::filesystem::path& file);

}  // namespace percuss::pipeline
