// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/bounces/restitution_mean.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/math/statistics.h"

namespace percuss::pipeline {
namespace {

constexpr double kNormalQuantile = 1.959964;

struct Fit {
  Eigen::VectorXd x;
  Eigen::MatrixXd covariance;
  double chi_square = 0.0;
};

Fit LinearFit(const Eigen::MatrixXd& basis, const Eigen::VectorXd& values,
              const Eigen::MatrixXd& covariance) {
  const Eigen::MatrixXd weighted = covariance.ldlt().solve(basis);
  const Eigen::MatrixXd normal = basis.transpose() * weighted;
  Fit fit;
  fit.covariance = normal.ldlt().solve(Eigen::MatrixXd::Identity(basis.cols(), basis.cols()));
  fit.x = fit.covariance * (weighted.transpose() * values);
  const Eigen::VectorXd residual = values - basis * fit.x;
  const Eigen::MatrixXd solved = covariance.ldlt().solve(Eigen::MatrixXd(residual));
  fit.chi_square = residual.dot(solved.col(0));
  return fit;
}

}  // namespace

RestitutionMean MeanOf(const Eigen::VectorXd& e, const Eigen::MatrixXd& covariance,
                       const Eigen::VectorXd& speeds) {
  const Eigen::Index n = e.size();
  const Eigen::MatrixXd ones = Eigen::MatrixXd::Ones(n, 1);
  const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(n, n);
  RestitutionMean mean;
  mean.dof = static_cast<int>(n) - 1;
  Fit fit = LinearFit(ones, e, covariance);
  mean.chi_square = fit.chi_square;
  const double known = fit.covariance(0, 0);
  double variance = 0.0;
  constexpr double kUnlikely = 0.05;
  if (mean.dof > 0 && ChiSquareSurvival(fit.chi_square, mean.dof) < kUnlikely) {
    // The chi-square falls with the variance: bisection.
    double low = 0.0, high = 1.0;
    for (int round = 0; round < 60; ++round) {
      variance = 0.5 * (low + high);
      fit = LinearFit(ones, e, covariance + variance * unit);
      (fit.chi_square > mean.dof ? low : high) = variance;
    }
  }
  mean.scatter = std::sqrt(variance);
  // A scatter that few bounces tell is itself uncertain: its part follows Student's distribution.
  const double wider =
      variance > 0.0 ? StudentTwoSidedQuantile(0.95, mean.dof) / kNormalQuantile : 1.0;
  const double added = std::max(0.0, fit.covariance(0, 0) - known);
  mean.e = {fit.x[0], std::sqrt(known + wider * wider * added)};
  if (n < 3) return mean;
  Eigen::MatrixXd line(n, 2);
  line << ones, speeds.array() - speeds.mean();
  const Fit sloped = LinearFit(line, e, covariance + variance * unit);
  mean.slope = {sloped.x[1], std::sqrt(sloped.covariance(1, 1))};
  return mean;
}

}  // namespace percuss::pipeline
