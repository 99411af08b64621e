// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "fitting/estimate/cross_validation.h"
#include "fitting/estimate/estimator.h"
#include "fitting/result/fit_result.h"

namespace percuss::fitting {

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

/// @param start coefficients near the solution, as from FitWithPropagatedWeights.
/// @param near a fit to nearly the same impacts, where the search for tau begins; or null.
ScatterFit FitScatter(const SharedLawProblem& problem, const Eigen::VectorXd& start,
                      const ScatterFit* near = nullptr);

/// The fit, intervals, and with cross-validation what held of the trials left out.
ScatterReport EstimateScatter(const SharedLawProblem& problem, const Eigen::VectorXd& start,
                              bool cross_validate, const CrossValidationOptions& options);

}  // namespace percuss::fitting
