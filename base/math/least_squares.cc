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

/// By the unknowns at these places.
MatrixXd JacobianBy(const std::function<VectorXd(const VectorXd&)>& residuals, const VectorXd& x,
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

std::vector<int> AllOf(const VectorXd& x) {
  std::vector<int> all(static_cast<std::size_t>(x.size()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

MatrixXd Jacobian(const std::function<VectorXd(const VectorXd&)>& function, const VectorXd& x) {
  return JacobianBy(function, x, AllOf(x));
}

VectorXd SolveWithin(const std::function<VectorXd(const VectorXd&)>& residuals,
                     const VectorXd& best, const std::vector<LeastValue>& bounds, int iterations) {
  VectorXd x = best;
  std::vector<int> free = AllOf(x);
  // What was above its bound may be below it once others are held at theirs.
  while (true) {
    const std::size_t before = free.size();
    for (const LeastValue& bound : bounds) {
      if (x[bound.unknown] >= bound.value) continue;
      x[bound.unknown] = bound.value;
      std::erase(free, bound.unknown);
    }
    if (free.size() == before) return x;
    x = SolveLeastSquares(residuals, x, iterations, free).x;
  }
}

LeastSquares SolveLeastSquares(const std::function<VectorXd(const VectorXd&)>& residuals,
                               const VectorXd& start, int iterations,
                               const std::vector<int>& some) {
  const std::vector<int> free = some.empty() ? AllOf(start) : some;
  LeastSquares best{.x = start, .covariance = {}};
  VectorXd r = residuals(start);
  best.chi2 = r.squaredNorm();
  double damping = 1e-4;
  for (int round = 0; round < iterations; ++round) {
    const MatrixXd jacobian = JacobianBy(residuals, best.x, free);
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
  const MatrixXd jacobian = JacobianBy(residuals, best.x, free);
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
