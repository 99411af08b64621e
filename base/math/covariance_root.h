// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>

namespace percuss {

/// R with C = R R^T, one column for each direction in which a symmetric C >= 0 is not 0 (to 1e-13
/// of the correlations: units of its rows do not matter). Empty for an empty C.
Eigen::MatrixXd CovarianceRoot(const Eigen::MatrixXd& covariance);

}  // namespace percuss
