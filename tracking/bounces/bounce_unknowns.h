// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/math/least_squares.h"
#include "base/value_with_sigma.h"
#include "tracking/bounces/bounce_model.h"
#include "tracking/bounces/bounce_numbers.h"
#include "tracking/bounces/bounce_setting.h"
#include "tracking/outline/ball_sighting.h"

namespace percuss::tracking {

/// A ball as numbers of the order of one, about a first guess, and what is known of them before.
class BounceUnknowns {
 public:
  /// The places and velocities that the outlines show where each flight is a parabola in the
  /// picture at one distance.
  /// @param down the common acceleration in the picture [px/s^2]
  BounceUnknowns(std::span<const BallSighting> sightings, std::span<const FlightRange> flights,
                 const Eigen::Vector2d& down, const BounceSetting& setting);

  int Count() const { return static_cast<int>(prior_mean_.size()); }
  /// Those of which nothing is known before.
  int Free() const { return static_cast<int>(std::ranges::count(prior_sigma_, 0.0)); }
  const Eigen::VectorXd& Start() const { return start_; }
  const Eigen::Vector2d& Roll() const { return setting_.roll; }
  /// By how much sounds are later than their contacts [s].
  double SoundOffset(const Eigen::VectorXd& x) const;
  BouncingBall BallOf(const Eigen::VectorXd& x) const;

  /// Air does not push, and no contact ends before it begins.
  std::vector<LeastValue> Possible() const;

  /// Those of SharedError, in its order. A unit of each is its sigma.
  std::array<int, kNumSharedErrors> Shared() const {
    return {drag_, lift_, dwell_, tilt_, tilt_ + 1};
  }

  /// (x - mean) / sigma of those that are known before.
  Eigen::VectorXd PriorResiduals(const Eigen::VectorXd& x) const;

 private:
  int Add(double start, double mean, double sigma);
  double DragSigma() const { return setting_.drag ? setting_.drag->sigma : setting_.drag_sigma; }

  void AddSpins();

  BounceSetting setting_;
  BouncingBall guess_;
  Eigen::Vector3d across_, along_;  ///< perpendicular to the guessed gravity
  ValueWithSigma usual_dwell_;
  double place_scale_ = 0.0, speed_scale_ = 0.0;
  std::vector<double> starts_;
  std::vector<double> prior_mean_, prior_sigma_;  ///< sigma 0: nothing is known
  Eigen::VectorXd start_;
  /// A flight whose spin is not known: omega = mean + x sigma.
  struct UnknownSpin {
    std::size_t flight = 0;
    int unknown = 0;
    Eigen::Vector3d mean, sigma;  ///< [rad/s]
  };
  std::vector<UnknownSpin> unknown_spins_;
  int focal_ = -1, line_time_ = -1, drag_ = -1, lift_ = -1, gravity_ = 0, dwell_ = 0, tilt_ = 0,
      first_ = 0, sound_ = -1;
};

}  // namespace percuss::tracking
