// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/math/covariance_root.h"

#include <Eigen/Eigenvalues>

namespace percuss {

ScaledEigen DecomposeScaled(const Eigen::MatrixXd& covariance, const Eigen::VectorXd& scale) {
  const auto size = scale.size();
  if (size == 0) return {scale, Eigen::VectorXd(0), Eigen::MatrixXd(0, 0)};
  const Eigen::VectorXd inverse = scale.unaryExpr([](double s) { return s > 0.0 ? 1.0 / s : 0.0; });
  // The search for eigenvalues rests by what is left of each relative to its size. Of several that
  // are 0 it may never, and then they are not even sorted. Next to 1 there are none of that kind.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> beside_one(
      inverse.asDiagonal() * covariance * inverse.asDiagonal() +
      Eigen::MatrixXd::Identity(size, size));
  return {scale, beside_one.eigenvalues().array() - 1.0, beside_one.eigenvectors()};
}

Eigen::MatrixXd CovarianceRoot(const Eigen::MatrixXd& covariance) {
  if (covariance.size() == 0) return {};
  const ScaledEigen eigen =
      DecomposeScaled(covariance, covariance.diagonal().cwiseMax(0.0).cwiseSqrt());
  constexpr double kNothing = 1e-13;
  const auto none = (eigen.values.array() <= kNothing).count();
  const auto count = covariance.rows() - none;
  return eigen.scale.asDiagonal() * eigen.vectors.rightCols(count) *
         eigen.values.tail(count).cwiseSqrt().asDiagonal();
}

}  // namespace percuss
