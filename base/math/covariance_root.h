// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>

namespace percuss {

/// Eigenvalues of a symmetric C >= 0 in units of its rows, so that metres and radians do not meet:
///
///     C = diag(scale) V diag(values) V^T diag(scale),    rows of scale 0 taken as nothing.
///
/// To rounding of the largest: one that is exactly 0 may come out as +-1e-15.
struct ScaledEigen {
  Eigen::VectorXd scale;
  Eigen::VectorXd values;  ///< rising
  Eigen::MatrixXd vectors;
};
ScaledEigen DecomposeScaled(const Eigen::MatrixXd& covariance, const Eigen::VectorXd& scale);

/// R with C = R R^T, one column for each direction in which a symmetric C >= 0 is not 0 (to 1e-13
/// of the correlations: units of its rows do not matter). Empty for an empty C.
Eigen::MatrixXd CovarianceRoot(const Eigen::MatrixXd& covariance);

}  // namespace percuss
