// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "base/value_with_sigma.h"
#include "tracking/bounces/bounce_fit.h"
#include "tracking/outline/measure_ball.h"
#include "tracking/spin/ball_spin.h"

namespace percuss::pipeline {

/// How the contact point moved at the end of a bounce.
enum class SlideKind {
  kUnknown,  ///< no spin is known, or not well enough
  kSlides,   ///< on, the way that it came: gross slip
  kSticks    ///< no more, or back
};
const char* SlideName(SlideKind kind);  ///< "unknown", "slides", "sticks"

/// What velocities and spins say of the friction of one bounce.
struct BounceFriction {
  /// Axes in the camera's: the normal n of the surface, the direction t in which the ball comes in
  /// along the surface, and b = n x t. A ball that rolls without slip along t spins about +b.
  Eigen::Vector3d normal, along, across;
  std::array<ValueWithSigma, 3> spin_before, spin_after;  ///< about n, t, b [rad/s]; NaN: not known
  /// |J_t| / J_n, the ratio of the changes of tangential and normal velocity: mu of a contact that
  /// slides to the end, else what mu at least is.
  ValueWithSigma mu;
  SlideKind kind = SlideKind::kUnknown;
};

/// The velocity of the contact point is u = v_t + omega x (-R n). It slides to the end where u' is
/// along u and more than 3 sigmas; then J_t is against u, and mu its length over J_n. A single
/// camera knows velocities across the picture better than in depth: of J_t its part along t is
/// taken, over the cosine of the angle from u to t.
/// @param before, after  spins of the flights before and after bounce `k`
BounceFriction FrictionOf(const tracking::BounceFit& fit, std::size_t k,
                          const tracking::BallSpin& before, const tracking::BallSpin& after);

/// The spin in each flight: before the first bounce, ..., after the last; as many as bounces, and
/// one.
std::vector<tracking::BallSpin> SpinsOfFlights(const tracking::ClipFrames& frames,
                                               const tracking::CameraShake& shake,
                                               const tracking::MeasuredBall& ball,
                                               const tracking::BounceFit& fit,
                                               const std::array<float, 256>& light_of_grey,
                                               int jobs);

/// One line: the spins, or why they are not known.
std::string SpinLine(const std::vector<tracking::BallSpin>& spins);

}  // namespace percuss::pipeline
