// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <span>

#include "base/nan.h"
#include "tracking/spin/ball_look.h"

namespace percuss::tracking {

/// A spin fitted to all looks of a flight.
struct SpinFit {
  Eigen::Vector3d omega = Eigen::Vector3d::Zero();               ///< [rad/s], camera axes
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Constant(kNaN);  ///< of it
  double total = 0.0;  ///< variance of what is seen, relative to the mean light squared
  double left = 0.0;   ///< variance about the pattern, per degree of freedom
};

/// Minimises the cost of EstimateSpin from a start, by Levenberg's method with derivatives by
/// differences. The other unknowns are an error of the radius and the offset of the centre, in
/// radii, normal about zero.
SpinFit FitSpin(std::span<const BallLook> looks, const Eigen::Vector3d& start);

}  // namespace percuss::tracking
