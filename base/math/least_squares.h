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

}  // namespace percuss
