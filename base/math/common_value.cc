// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/math/common_value.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/math/statistics.h"

namespace percuss {
namespace {

constexpr double kNormalQuantile = 1.959964;

struct LinearFit {
  Eigen::VectorXd x;
  Eigen::MatrixXd covariance;
  double chi_square = 0.0;
};

LinearFit FitLinear(const Eigen::MatrixXd& design, const Eigen::VectorXd& values,
                    const Eigen::MatrixXd& covariance) {
  const Eigen::LDLT<Eigen::MatrixXd> root(covariance);
  const Eigen::MatrixXd weighted = root.solve(design);
  const Eigen::MatrixXd normal = design.transpose() * weighted;
  LinearFit fit;
  fit.covariance = normal.ldlt().solve(Eigen::MatrixXd::Identity(normal.rows(), normal.cols()));
  fit.x = fit.covariance * (weighted.transpose() * values);
  const Eigen::VectorXd rest = values - design * fit.x;
  fit.chi_square = std::max(0.0, rest.dot(Eigen::VectorXd(root.solve(rest))));
  return fit;
}

Eigen::MatrixXd Widened(const Eigen::MatrixXd& covariance, double variance) {
  return covariance + variance * Eigen::MatrixXd::Identity(covariance.rows(), covariance.cols());
}

/// The variance of each value that brings the chi-square to its mean, where it is clearly above.
double VarianceBeyond(const Eigen::MatrixXd& design, const Eigen::VectorXd& values,
                      const Eigen::MatrixXd& covariance) {
  const auto dof = static_cast<int>(values.size() - design.cols());
  if (dof < 1) return 0.0;
  const double chi_square = FitLinear(design, values, covariance).chi_square;
  if (ChiSquareSurvival(chi_square, dof) >= kScatterIsClear) return 0.0;
  // The chi-square falls with the variance: bisection.
  double low = 0.0, high = values.squaredNorm();
  for (int round = 0; round < 100; ++round) {
    const double middle = 0.5 * (low + high);
    (FitLinear(design, values, Widened(covariance, middle)).chi_square > dof ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

CommonValue FitCommonValue(const Eigen::VectorXd& values, const Eigen::MatrixXd& covariance,
                           const Eigen::VectorXd& along) {
  const Eigen::Index count = values.size();
  const Eigen::MatrixXd one = Eigen::MatrixXd::Ones(count, 1);
  const LinearFit plain = FitLinear(one, values, covariance);
  CommonValue common;
  common.chi_square = plain.chi_square;
  common.dof = static_cast<int>(count) - 1;
  common.p = ChiSquareSurvival(common.chi_square, common.dof);
  const double variance = VarianceBeyond(one, values, covariance);
  common.scatter = std::sqrt(variance);
  const LinearFit fit = FitLinear(one, values, Widened(covariance, variance));
  const double wider =
      variance > 0.0 ? StudentTwoSidedQuantile(0.95, common.dof) / kNormalQuantile : 1.0;
  const double known = plain.covariance(0, 0);
  const double added = std::max(0.0, fit.covariance(0, 0) - known);
  common.mean = {fit.x[0], std::sqrt(known + wider * wider * added)};
  if (count < 3) return common;
  Eigen::MatrixXd line(count, 2);
  line << one, along.array() - along.mean();
  const LinearFit sloped =
      FitLinear(line, values, Widened(covariance, VarianceBeyond(line, values, covariance)));
  common.slope = {sloped.x[1], std::sqrt(sloped.covariance(1, 1))};
  return common;
}

}  // namespace percuss
