// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "base/value_with_sigma.h"

namespace percuss::tracking {

/// The radius of an outline, as perspective and shutter would show it in the middle of the picture
/// (without GrowthOf).
struct MeasuredRadius {
  double time = 0.0;                                ///< [s]
  Eigen::Vector2d place = Eigen::Vector2d::Zero();  ///< [px]
  double radius = 0.0, sigma = 1.0;                 ///< [px]
};

/// How large a bouncing ball is seen: its depth changes evenly in time within each flight, since
/// nothing pushes it sidewards, by other speeds from bounce to bounce, and with the height, where
/// the camera looks up or down. Of radii r about the usual one R
///     R / r = b0 + b1 t + b2 down . x / R + sum_k c_k max(0, t - t_k)
struct RadiusPath {
  double usual = 0.0;                              ///< R [px]
  double begin = 0.0;                              ///< from which t counts [s]
  std::vector<double> bounces;                     ///< t_k, counted from `begin` [s]
  Eigen::Vector2d down = Eigen::Vector2d::Zero();  ///< unit
  Eigen::VectorXd by;
  Eigen::MatrixXd covariance;  ///< of `by`
  double scatter = 0.0;        ///< of the best known radii about it, of the radius

  /// What the others tell of one radius is not better than they scatter.
  ValueWithSigma At(double time, const Eigen::Vector2d& place) const;
};

/// By robust least squares; none from fewer than 8 outlines.
/// @param bounces  times [s]
std::optional<RadiusPath> FitRadii(std::span<const MeasuredRadius> outlines,
                                   std::span<const double> bounces, const Eigen::Vector2d& down);

}  // namespace percuss::tracking
