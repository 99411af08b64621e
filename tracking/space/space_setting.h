// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <optional>

#include "base/value_with_sigma.h"

namespace percuss::tracking {

/// What is known of a ball's motion in space before it is looked at. Standard deviations are those
/// of normal priors.
struct SpaceSetting {
  /// Size of the acceleration in free flight [m/s^2]; none: from the motion alone. Buoyancy takes
  /// 1.5 % of a table-tennis ball's.
  std::optional<ValueWithSigma> gravity;
  std::optional<Eigen::Vector3d> up;   ///< the vertical, in the frame of the places, any length
  double up_sigma = 0.0035;            ///< each way [rad]: a frame set up with a spirit level
  std::optional<ValueWithSigma> drag;  ///< k [1/m], where diameter and mass are known
  /// Of k about 0 [1/m]: twice that of a table-tennis ball, 3 rho_air C_d / (8 rho_ball R) = 0.12.
  double drag_sigma = 0.25;
  double dwell = 0.002, dwell_sigma = 0.003;  ///< of a contact [s]
  double tilt_sigma = 0.009;  ///< of the surface against the horizontal, each way [rad]
};

/// What is known of one of two cameras.
struct SpaceCamera {
  Eigen::Vector2d roll = Eigen::Vector2d::UnitY();  ///< in which its shutter rolls, unit
  ValueWithSigma line_time{0.0, 0.0};               ///< [s/px] along it
  double exposure = 0.0;                            ///< [s]
};

}  // namespace percuss::tracking
