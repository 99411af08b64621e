// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "base/value_with_sigma.h"
#include "tracking/bounces/bounce_fit.h"
#include "tracking/space/space_unknowns.h"

namespace percuss::tracking {

/// Three numbers that were measured at one time: a place, or centre and radius of an outline.
struct SpaceSight {
  double time = 0.0;  ///< by the clock of its camera [s]
  Eigen::Vector3d seen = Eigen::Vector3d::Zero();
  Eigen::Matrix3d whiten = Eigen::Matrix3d::Identity();  ///< inverse of the covariance's root
  int camera = -1;                                       ///< -1: a place
  Eigen::Vector3i group = Eigen::Vector3i::Zero();       ///< whose sigmas have one factor
  double reach = 1e-3;  ///< that near a contact it does not count [s]
};

/// What sights should be, for one set of unknowns.
struct SpaceForecast {
  std::function<Eigen::Vector3d(const BallMotionModel&, const SpaceSight&)> seen;
  /// Time of the motion that a sight shows [s].
  std::function<double(const SpaceSight&)> time;
};

/// Sights of one bouncing ball and what they depend on.
struct SpaceProblem {
  std::vector<SpaceSight> sights;  ///< each camera's in the order of time
  SpaceUnknowns unknowns;
  std::function<SpaceForecast(const Eigen::VectorXd& x)> forecast;
  /// Numbers beside those of the bounces, gravity, drag and contact time.
  std::function<Eigen::VectorXd(const Eigen::VectorXd& x)> more;
  int groups = 1;
  double least_scale = 0.0;  ///< of the factors of the sigmas
};

/// The best fit; its covariance has the bounces' numbers, gravity, drag, contact time and `more`.
/// @param more [out] their values and sigmas
/// @param best [out] the unknowns; may be nullptr
BounceFit SolveSpace(const SpaceProblem& problem, std::vector<ValueWithSigma>* more,
                     Eigen::VectorXd* best = nullptr);

}  // namespace percuss::tracking
