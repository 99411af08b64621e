// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "base/math/least_squares.h"
#include "tracking/bounces/bounce_model.h"
#include "tracking/bounces/bounce_numbers.h"
#include "tracking/space/space_setting.h"

namespace percuss::tracking {

/// A ball in space as numbers of the order of one, about a first guess, and what is known of them
/// before.
class SpaceUnknowns {
 public:
  /// @param guess lengths in metres; its camera and shutter are not used
  SpaceUnknowns(const BouncingBall& guess, const SpaceSetting& setting);

  /// One more unknown that the motion does not depend on. @param sigma 0: nothing is known
  /// @return its place
  int Add(double mean, double sigma);

  int Count() const { return static_cast<int>(mean_.size()); }
  /// How many nothing is known of before.
  int Free() const;
  Eigen::VectorXd Start() const;
  BouncingBall BallOf(const Eigen::VectorXd& x) const;
  /// Air does not push, and no contact ends before it begins.
  std::vector<LeastValue> Possible() const;
  /// Those of SharedError, in its order; there is no lift. A unit of each is its sigma.
  std::array<int, kNumSharedErrors> Shared() const { return {drag_, -1, dwell_, tilt_, tilt_ + 1}; }
  /// (x - mean) / sigma of those that are known before.
  Eigen::VectorXd PriorResiduals(const Eigen::VectorXd& x) const;

 private:
  double DragSigma() const { return setting_.drag ? setting_.drag->sigma : setting_.drag_sigma; }

  SpaceSetting setting_;
  BouncingBall guess_;
  Eigen::Vector3d across_, along_;  ///< perpendicular to the guessed gravity
  double speed_scale_ = 0.0, direction_scale_ = 1.0;
  std::vector<double> start_, mean_, sigma_;
  int gravity_ = 0, drag_ = 0, dwell_ = 0, tilt_ = 0, first_ = 0;
};

}  // namespace percuss::tracking
