// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

namespace percuss::calibration {

/// Rays of the same points in two cameras.
struct RayPair {
  std::vector<Eigen::Vector2d> left, right;  ///< NaN where not known
};

/// Squared distances of points from their epipolar lines (Sampson's), in units of rays.
struct EpipolarMisfit {
  std::vector<double> squares;  ///< [pair] mean over its points; NaN for a pair without points
  double mean = 0.0;  ///< over all points of the pairs used; infinite if they do not fix E
};

/// The misfit of the matrix that fits all pairs with least squares: eight-point algorithm, rows
/// weighed again by the gradient, so that it is distances that are least.
/// @param rounds Of weighing; 1 is the plain algorithm.
/// @param used Pairs that count for the matrix and the mean; empty: all.
EpipolarMisfit MeasureEpipolarMisfit(const std::vector<RayPair>& pairs, int rounds,
                                     const std::vector<char>& used = {});

}  // namespace percuss::calibration
