// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/math/covariance_root.h"

#include <Eigen/Eigenvalues>

namespace percuss {

Eigen::MatrixXd CovarianceRoot(const Eigen::MatrixXd& covariance) {
  if (covariance.size() == 0) return {};
  const Eigen::VectorXd sigma = covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
  const Eigen::VectorXd inverse = sigma.unaryExpr([](double s) { return s > 0.0 ? 1.0 / s : 0.0; });
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> correlations(
      inverse.asDiagonal() * covariance * inverse.asDiagonal());
  constexpr double kNothing = 1e-13;
  const auto none = (correlations.eigenvalues().array() <= kNothing).count();
  const auto count = covariance.rows() - none;
  return sigma.asDiagonal() * correlations.eigenvectors().rightCols(count) *
         correlations.eigenvalues().tail(count).cwiseSqrt().asDiagonal();
}

}  // namespace percuss
