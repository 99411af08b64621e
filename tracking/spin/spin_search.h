// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "tracking/spin/ball_look.h"

namespace percuss::tracking {

/// Points spread evenly over the unit sphere, on a spiral of the golden angle.
std::vector<Eigen::Vector3d> SpreadOverSphere(int count);

/// Spins for which what frames show of the ball agrees best, the best first: angular velocities
/// [rad/s] of up to half a turn from frame to frame, of which neighbouring frames share at least a
/// third of what they show; each a maximum of
///     sum over pairs of frames and places seen in both of (s^2 - (v_i - v_j)^2 / 2),
/// s^2 the variance of the pattern: zero on average where they have nothing to do with each other.
/// @param looks at least 3
std::vector<Eigen::Vector3d> FindSpins(std::span<const BallLook> looks);

}  // namespace percuss::tracking
