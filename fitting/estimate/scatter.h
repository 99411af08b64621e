// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "fitting/estimate/cross_validation.h"
#include "fitting/estimate/estimator.h"

namespace percuss::fitting {

/// How much one law parameter differs from impact to impact.
struct ScatterEstimate {
  std::string parameter;
  /// Standard deviation tau [-]; NaN where the impacts do not see the parameter.
  double value = std::numeric_limits<double>::quiet_NaN();
  /// Profile of the restricted likelihood; begins at 0 where tau is compatible with zero.
  std::array<double, 2> ci95 = {std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::quiet_NaN()};
  bool compatible_with_zero = true;
  double mean = std::numeric_limits<double>::quiet_NaN();  ///< at the mean of the impacts
  /// Of the parameter in the next impact: mean +- 1.96 sqrt(var(mean) + tau^2), within its bounds.
  std::array<double, 2> next95 = {std::numeric_limits<double>::quiet_NaN(),
                                  std::numeric_limits<double>::quiet_NaN()};
};

/// Coefficients, their scatter and the noise, by restricted maximum likelihood.
///
/// Residual of impact i, first order: e_i = G_i x_i + D_i t_i + J_i dbeta, with x_i the errors of
/// its states, t_i ~ N(0, diag(tau^2)) the deviation of its own law parameters, D_i and J_i the
/// derivatives by them and by the coefficients. With S_i the sensitivity to the shared calibration,
///
///     V = blockdiag(s^2 G_i Sigma_i G_i^T + D_i diag(tau^2) D_i^T) + S S^T
///     -2 ln L_R = r^T V^-1 r + ln det V + ln det(J^T V^-1 J),   r at the best coefficients.
///
/// s, at least 1 where the table states sigmas, scales the noise: what neither noise nor scatter of
/// the parameters explains.
struct ScatterFit {
  Eigen::VectorXd coefficients;
  Eigen::MatrixXd covariance;  ///< of the coefficients, scatter and noise scale in it
  Eigen::VectorXd tau;         ///< of each law parameter; NaN where unseen
  double noise_scale = 1.0;
};

struct ScatterReport {
  std::vector<ScatterEstimate> parameters;
  double noise_scale = 1.0;
  Eigen::VectorXd coefficients;
  Eigen::MatrixXd covariance;
  /// Share of the velocity components after the impact (those that were measured), and of whole
  /// impacts, that lie in their predictive 95 % interval or ellipsoid, the impact being left out.
  double held_out_components = std::numeric_limits<double>::quiet_NaN();
  double held_out_impacts = std::numeric_limits<double>::quiet_NaN();
  /// Standard deviations of [v'; w'] of each trial as a next drop from the same true state would
  /// have them: by scatter and by the coefficients' own errors, without the errors of this state.
  std::vector<Vector6d> predictive_sigma;
};

/// @param start coefficients near the solution, as from FitWithPropagatedWeights.
/// @param near a fit to nearly the same impacts, where the search for tau begins; or null.
ScatterFit FitScatter(const SharedLawProblem& problem, const Eigen::VectorXd& start,
                      const ScatterFit* near = nullptr);

/// The fit, intervals, and with cross-validation what held of the trials left out.
ScatterReport EstimateScatter(const SharedLawProblem& problem, const Eigen::VectorXd& start,
                              bool cross_validate, const CrossValidationOptions& options);

}  // namespace percuss::fitting
