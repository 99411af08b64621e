// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <functional>
#include <vector>

#include "fitting/estimate/estimator.h"

namespace percuss::fitting {

/// Fits of the same law to the same trials, each counted another number of times: what a bootstrap
/// draws or a fold leaves out. They start at the solution of all trials and keep its weights; the
/// error of the calibration that all trials share is estimated along, with its prior.
///
/// Solution and problem must outlive it.
class Refit {
 public:
  Refit(const SharedLawProblem& problem, const WeightedMinimum& solution);

  /// Coefficients of least cost with trial i counted multiplicity[i] times, by Gauss-Newton steps
  /// that lower the cost.
  Eigen::VectorXd Fit(const std::vector<int>& multiplicity) const;

  /// The first of these steps, unchecked. It needs no impact solved anew. Beyond it the
  /// coefficients move by a share of 1 / sqrt(trials) of what they moved already (the one-step
  /// bootstrap: Andrews, Econometrica 70, 2002, section 3).
  Eigen::VectorXd Step(const std::vector<int>& multiplicity) const;

 private:
  struct NormalEquations {
    Eigen::MatrixXd matrix;
    Eigen::VectorXd right;
    double cost = 0.0;
  };

  /// I + sum n_i S_i^T S_i with S of JointWhitening::OwnShared, which does not change with the
  /// coefficients; of no rows where nothing is shared.
  Eigen::LLT<Eigen::MatrixXd> Shared(const std::vector<int>& multiplicity) const;
  Eigen::MatrixXd Rows(const Eigen::VectorXd& parameters, std::size_t trial) const;
  NormalEquations AtSolution(const std::vector<int>& multiplicity,
                             const Eigen::LLT<Eigen::MatrixXd>& shared) const;
  NormalEquations At(const Eigen::VectorXd& parameters, const std::vector<int>& multiplicity,
                     const Eigen::LLT<Eigen::MatrixXd>& shared) const;
  NormalEquations Equations(const std::vector<int>& multiplicity,
                            const Eigen::LLT<Eigen::MatrixXd>& shared,
                            const std::function<Eigen::MatrixXd(std::size_t)>& rows) const;
  Eigen::VectorXd BoundedStep(const NormalEquations& equations, const Eigen::VectorXd& from) const;

  const SharedLawProblem& problem_;
  const WeightedMinimum& solution_;
  std::vector<Eigen::MatrixXd> rows_;  ///< of each trial, at the solution
};

}  // namespace percuss::fitting
