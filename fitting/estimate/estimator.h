// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>

#include "fitting/model/error_model.h"
#include "fitting/model/shared_law_problem.h"

namespace percuss::fitting {

struct Minimum {
  Eigen::VectorXd parameters;
  double cost = std::numeric_limits<double>::infinity();  ///< whitened sum of squares
  bool converged = false;
};

/// Relative change of the cost at which a search rests that is to be exact.
inline constexpr double kTolerance = 1e-9;

/// Least whitened sum of squares within the bounds of the law, by Ceres from one start.
/// @param fixed index of a parameter to hold at its start, or -1.
/// @param tolerance relative change of the cost at which the search rests.
Minimum MinimizeFrom(const SharedLawProblem& problem, const JointWhitening& whitening,
                     const Eigen::VectorXd& start, int fixed = -1, double tolerance = kTolerance);

/// The lowest of `known` and of the minima below the best few points of a grid over the bounds,
/// with one parameter held: where an impact changes its mode (slip, stick) the cost has kinks and a
/// local search alone can be trapped.
/// @param known a minimum with the parameter at its value.
/// @param fixed index of the parameter that is held at `value`.
Minimum MinimizeFromGrid(const SharedLawProblem& problem, const JointWhitening& whitening,
                         const Minimum& known, int fixed, double value);

/// A minimum whose weights, computed at the minimum itself, no longer move it.
struct WeightedMinimum {
  Minimum minimum;
  JointWhitening whitening;
  Eigen::VectorXd trial_weights;  ///< of the robust loss, at most 1; empty without
  /// -2 log likelihood but for a constant, sigmas widened together where the cost exceeds its
  /// number of residuals N: the least over k >= 1 of cost / k^2 + N log k^2 + log det S. Each
  /// minimum has weights of its own: which is the best is told by this, not by the cost.
  double deviance = std::numeric_limits<double>::infinity();
};

/// Whether few impacts that do not fit may decide.
enum class Loss {
  kSquare,
  /// Huber's loss of the squared Mahalanobis length s_i of a whole impact's residual, s_i up to
  /// (c d)^2 and 2 c d sqrt(s_i) - (c d)^2 beyond, by repeated weights min(1, c d / sqrt(s_i)).
  /// c^2 is the 95 % quantile of chi-square; d scales the sigmas so that half of the s_i lie below
  /// the median of chi-square (at least 1 where a table states its sigmas).
  kHuber
};

/// The best of the minima below the best few points of a grid over the bounds. Without a parameter
/// to fit, what those that are given cost; no loss but the square then.
WeightedMinimum FitWithPropagatedWeights(const SharedLawProblem& problem,
                                         Loss loss = Loss::kSquare);

/// The minimum near a start.
WeightedMinimum FitWithPropagatedWeights(const SharedLawProblem& problem,
                                         const Eigen::VectorXd& start, Loss loss = Loss::kSquare);

/// Where the profile of one parameter (cost with all others at their best) leaves the minimum by
/// `threshold`.
struct ProfileInterval {
  std::array<double, 2> ends{};              ///< the limit of the search on an open side
  std::array<bool, 2> closed{false, false};  ///< false: the profile stays below the threshold
  Minimum best;                              ///< better than the start if the walk found one
};

/// @param covariance of the parameters as the data see them at the minimum, zero where they do not:
///   it says where the walk begins; the result does not depend on it.
ProfileInterval WalkProfile(const SharedLawProblem& problem, const JointWhitening& whitening,
                            const Minimum& minimum, int parameter,
                            const Eigen::MatrixXd& covariance, double threshold);

}  // namespace percuss::fitting
