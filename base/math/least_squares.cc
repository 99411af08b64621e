// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/math/least_squares.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cstddef>
#include <numeric>

#include "base/nan.h"

namespace percuss {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Of unknowns of the order of 0.01 to 1 in SI units.
constexpr double kDifference = 1e-6;

/// Of the unknowns at these places.
MatrixXd Jacobian(const std::function<VectorXd(const VectorXd&)>& residuals, const VectorXd& x,
                  const std::vector<int>& free) {
  MatrixXd jacobian;
  for (std::size_t i = 0; i < free.size(); ++i) {
    VectorXd high = x, low = x;
    high[free[i]] += kDifference;
    low[free[i]] -= kDifference;
    const VectorXd column = (residuals(high) - residuals(low)) / (2.0 * kDifference);
    if (i == 0) jacobian.resize(column.size(), static_cast<Eigen::Index>(free.size()));
    jacobian.col(static_cast<Eigen::Index>(i)) = column;
  }
  return jacobian;
}

}  // namespace

LeastSquares SolveLeastSquares(const std::function<VectorXd(const VectorXd&)>& residuals,
                               const VectorXd& start, int iterations,
                               const std::vector<int>& some) {
  std::vector<int> free = some;
  if (free.empty()) {
    free.resize(static_cast<std::size_t>(start.size()));
    std::iota(free.begin(), free.end(), 0);
  }
  LeastSquares best{.x = start, .covariance = {}};
  VectorXd r = residuals(start);
  best.chi2 = r.squaredNorm();
  double damping = 1e-4;
  for (int round = 0; round < iterations; ++round) {
    const MatrixXd jacobian = Jacobian(residuals, best.x, free);
    const VectorXd inverse = jacobian.colwise().norm().transpose().cwiseMax(1e-12).cwiseInverse();
    const MatrixXd scaled = jacobian * inverse.asDiagonal();
    const MatrixXd normal = scaled.transpose() * scaled;
    const VectorXd gradient = scaled.transpose() * r;
    const double before = best.chi2;
    for (int trial = 0; trial < 8; ++trial) {
      MatrixXd damped = normal;
      damped.diagonal().array() += damping;
      const VectorXd step = inverse.cwiseProduct(damped.ldlt().solve(gradient));
      VectorXd x = best.x;
      x(free) -= step;
      const VectorXd next = residuals(x);
      const double chi2 = next.squaredNorm();
      if (chi2 < best.chi2) {
        best.x = x;
        best.chi2 = chi2;
        r = next;
        damping = std::max(1e-12, 0.1 * damping);
        break;
      }
      damping *= 10.0;
    }
    if (!(before - best.chi2 > 1e-9 * before)) break;
  }
  best.covariance.setConstant(start.size(), start.size(), kNaN);
  if (!some.empty()) return best;
  const MatrixXd jacobian = Jacobian(residuals, best.x, free);
  const VectorXd scale = jacobian.colwise().norm().transpose();
  if (!(scale.minCoeff() > 0.0)) return best;
  const VectorXd inverse = scale.cwiseInverse();
  const MatrixXd scaled = jacobian * inverse.asDiagonal();
  const MatrixXd normal = scaled.transpose() * scaled;
  best.covariance = inverse.asDiagonal() *
                    normal.ldlt().solve(MatrixXd::Identity(normal.rows(), normal.cols())) *
                    inverse.asDiagonal();
  return best;
}

}  // namespace percuss
