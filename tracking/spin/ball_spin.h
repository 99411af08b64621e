// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <span>
#include <string>

#include "base/nan.h"
#include "tracking/spin/ball_look.h"

namespace percuss::tracking {

/// How a ball spins during one flight.
struct BallSpin {
  std::string reason;  ///< why it is not known; empty if it is
  /// Angular velocity, camera axes (x right, y down, z forward) [rad/s].
  Eigen::Vector3d omega = Eigen::Vector3d::Constant(kNaN);
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Constant(kNaN);  ///< of it
  double pattern = kNaN;    ///< rms of the light of the pattern, relative to the mean
  double explained = kNaN;  ///< share of its variance that one pattern which turns explains
  int frames = 0;           ///< in which it was seen
};

/// The spin of a ball in one flight from its pattern (looks of DivideOutShade).
///
/// The spin is constant: the torque of the air on a sphere slows it by parts in 10^2 per second.
/// Minimises over omega the variance of one pattern m(b) on the sphere, seen in all frames,
///     sum over frames k and places b of w (v_k(exp(omega (t_k - t_0)) b) - m(b))^2,
/// where m(b) is the mean of what frames show of b; offset of the centre and error of the radius
/// are unknowns too, known to 0.005 radii. The start is the best of all spins of up to half a turn
/// from frame to frame: products of neighbouring frames on a grid, then of frames farther and
/// farther apart, of spins by which neighbouring frames share a third of what they show (about 1
/// rad from frame to frame across the line of sight, half a turn about it). A faster one cannot be
/// told from a slower one about the same axis.
///
/// The exposure smears the pattern along circles about omega: in all frames alike in axes of the
/// ball, so that it takes contrast and does not shift the estimate. The covariance is that
/// of the sums over single frames (sandwich: H. White, Econometrica 50, 1, 1982), wider by the
/// autocorrelation of neighbouring frames, and by 0.4 % of the spin for what all frames share.
///
/// Reasons: too few frames, no pattern, a pattern that does not repeat, several spins that fit
/// equally.
BallSpin EstimateSpin(std::span<const BallLook> looks);

}  // namespace percuss::tracking
