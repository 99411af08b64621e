// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/value_with_sigma.h"
#include "tracking/bounces/bounce_model.h"
#include "tracking/bounces/bounce_numbers.h"
#include "tracking/bounces/bounce_setting.h"
#include "tracking/outline/ball_sighting.h"

namespace percuss::tracking {

/// All bounces of a clip.
struct BounceFit {
  std::string reason;  ///< why there are none; empty if there are
  std::vector<BounceEstimate> bounces;
  /// Of all numbers of all bounces, kNumBounceNumbers each, then gravity [R/s^2] and drag [1/R].
  Eigen::MatrixXd covariance;
  /// Of the same numbers: by how much each is off where what was known before of a SharedError is
  /// off by its sigma (a column each). Part of `covariance`.
  Eigen::MatrixXd shared;
  ValueWithSigma gravity;    ///< [R/s^2]
  ValueWithSigma drag;       ///< k [1/R]
  ValueWithSigma dwell;      ///< [s]
  ValueWithSigma line_time;  ///< [s/px] along the roll
  ValueWithSigma focal;      ///< [px]
  ValueWithSigma
      sound_offset;   ///< by which sounds are later than contacts [s]; NaN: none were heard
  BouncingBall ball;  ///< the best
  std::vector<BallContact> contacts;  ///< of it, as many as `bounces`
  std::vector<int> used;              ///< places in the list of sightings
  std::vector<double> residuals;      ///< of each used sighting's centre: its length [px]
  double rms_px = std::numeric_limits<double>::quiet_NaN();  ///< of centres, each coordinate
  double noise_scale = 1.0;   ///< by which the sigmas of the centres were multiplied
  double radius_scale = 1.0;  ///< those of the radii
  double inflation = 1.0;     ///< of variances, for errors that neighbouring frames share

  double Sigma(std::size_t bounce, BounceNumber number) const;
};

/// Fits one BouncingBall to the outlines of a ball in a clip by least squares: all flights and
/// bounces are one problem, with the camera's unknowns, rolling shutter, drag, duration of the
/// contacts and tilt of the surface as unknowns of their own, known as far as `setting` says.
///
/// Covariances of the sightings, with a floor for what shading does to an outline, are widened by
/// what the residuals show, centres and radii each, and
/// widened by the autocorrelation of successive residuals. Sightings that lie more than 4.5 sigmas
/// off, or were exposed while the ball touched the surface, are left out.
BounceFit FitBounces(std::span<const BallSighting> sightings, std::span<const FlightRange> flights,
                     const Eigen::Vector2d& down, const BounceSetting& setting);

}  // namespace percuss::tracking
