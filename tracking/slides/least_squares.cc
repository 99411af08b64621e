// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/slides/least_squares.h"

#include <Eigen/Cholesky>

#include "base/nan.h"

namespace percuss::tracking {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Of unknowns of the order of 0.01 to 1 in SI units.
constexpr double kStep = 1e-6;

MatrixXd Jacobian(const std::function<VectorXd(const VectorXd&)>& residuals, const VectorXd& x,
                  int held) {
  MatrixXd jacobian;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    VectorXd high = x, low = x;
    high[i] += kStep;
    low[i] -= kStep;
    const VectorXd column = (residuals(high) - residuals(low)) / (2.0 * kStep);
    if (jacobian.size() == 0) jacobian.setZero(column.size(), x.size());
    if (i != held) jacobian.col(i) = column;
  }
  return jacobian;
}

}  // namespace

LeastSquares SolveLeastSquares(const std::function<VectorXd(const VectorXd&)>& residuals,
                               const VectorXd& start, int iterations, int held) {
  LeastSquares best{.x = start, .covariance = {}};
  VectorXd r = residuals(start);
  best.chi2 = r.squaredNorm();
  double damping = 1e-4;
  for (int round = 0; round < iterations; ++round) {
    const MatrixXd jacobian = Jacobian(residuals, best.x, held);
    const VectorXd scale = jacobian.colwise().norm().transpose().cwiseMax(1e-12);
    const MatrixXd scaled = jacobian * scale.cwiseInverse().asDiagonal();
    MatrixXd normal = scaled.transpose() * scaled;
    const VectorXd gradient = scaled.transpose() * r;
    const double before = best.chi2;
    for (int trial = 0; trial < 8; ++trial) {
      MatrixXd damped = normal;
      damped.diagonal().array() += damping;
      const VectorXd x = best.x - scale.cwiseInverse().cwiseProduct(damped.ldlt().solve(gradient));
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
  const MatrixXd jacobian = Jacobian(residuals, best.x, held);
  const VectorXd scale = jacobian.colwise().norm().transpose();
  if (held < 0 && scale.minCoeff() > 0.0) {
    const MatrixXd scaled = jacobian * scale.cwiseInverse().asDiagonal();
    const MatrixXd normal = scaled.transpose() * scaled;
    const VectorXd inverse = scale.cwiseInverse();
    best.covariance = inverse.asDiagonal() *
                      normal.ldlt().solve(MatrixXd::Identity(normal.rows(), normal.cols())) *
                      inverse.asDiagonal();
  } else {
    best.covariance.setConstant(start.size(), start.size(), kNaN);
  }
  return best;
}

}  // namespace percuss::tracking
