// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <functional>
#include <limits>
#include <vector>

namespace percuss {

struct LeastSquares {
  Eigen::VectorXd x;
  double chi2 = std::numeric_limits<double>::infinity();
  Eigen::MatrixXd covariance;  ///< (J^T J)^-1; NaN where the data tell nothing of an unknown
};

/// Minimises |r(x)|^2 by Levenberg-Marquardt steps with derivatives by differences, for a few
/// unknowns. Where only some are free the covariance is NaN.
LeastSquares SolveLeastSquares(
    const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& residuals,
    const Eigen::VectorXd& start, int iterations, const std::vector<int>& free = {});

/// An unknown that is not less than a value.
struct LeastValue {
  int unknown = 0;
  double value = 0.0;
};

/// The least squares within bounds, from those without: unknowns that came out below theirs are
/// held there, and the others solved again, until none is below. The truth lies within, so that
/// this is nearer to it; the covariance of `best` holds it a little too widely.
/// @return the unknowns
Eigen::VectorXd SolveWithin(const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& residuals,
                            const Eigen::VectorXd& best, const std::vector<LeastValue>& bounds,
                            int iterations);

/// Derivatives of a function by its arguments, of the order of 0.01 to 1, by central differences.
Eigen::MatrixXd Jacobian(const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& function,
                         const Eigen::VectorXd& x);

}  // namespace percuss
