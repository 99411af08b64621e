// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <span>

#include "base/value_with_sigma.h"

namespace percuss::tracking {

/// Why the outline of a sphere is no circle in a picture.
///
/// Perspective: at the distance rho (in focal lengths) from the middle of the picture it is longer
/// outwards, by the ratio sqrt(1 + rho^2). Rolling shutter: rows that come later see the ball
/// later; with the line time tau along the direction d, a ball that moves with v is seen through 1
/// + tau v d^T, which also lets it grow.
struct OutlineShape {
  ValueWithSigma inverse_focal_squared;  ///< 1 / f^2 [1/px^2]
  ValueWithSigma line_time;              ///< tau [s/px]
};

/// SweptDisc::stretch at a place. @param offset from the middle of the picture [px]
/// @param velocity [px/s]; @param roll the direction d, unit
Eigen::Vector2d StretchOf(double inverse_focal_squared, double line_time,
                          const Eigen::Vector2d& offset, const Eigen::Vector2d& velocity,
                          const Eigen::Vector2d& roll);

/// By how much perspective and the rolling shutter multiply the radius of the disc of equal area;
/// as StretchOf.
double GrowthOf(double inverse_focal_squared, double line_time, const Eigen::Vector2d& offset,
                const Eigen::Vector2d& velocity, const Eigen::Vector2d& roll);

/// The stretch of one outline, as measured.
struct MeasuredStretch {
  Eigen::Vector2d offset, velocity;  ///< [px], [px/s]
  Eigen::Vector2d stretch;
  double sigma = 1.0;
};

/// Both numbers from all outlines by robust least squares about priors; sigmas are scaled by what
/// the residuals show.
/// @param prior of both, with sigmas
OutlineShape FitOutlineShape(std::span<const MeasuredStretch> outlines, const OutlineShape& prior,
                             const Eigen::Vector2d& roll);

}  // namespace percuss::tracking
