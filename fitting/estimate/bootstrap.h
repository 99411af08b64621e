// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>

#include "fitting/estimate/estimator.h"

namespace percuss::fitting {

struct BootstrapOptions {
  int num_replicates = 200;
  unsigned seed = 1;
  int num_threads = 2;
};

/// From as many trials on a replicate is Refit::Step, with fewer Refit::Fit.
inline constexpr std::size_t kManyTrials = 100;

/// Estimates from as many trials as there are, drawn with replacement (within each group), one row
/// per replicate, as in Refit. The same seed gives the same rows on any number of threads.
Eigen::MatrixXd BootstrapTrials(const SharedLawProblem& problem, const WeightedMinimum& solution,
                                const BootstrapOptions& options);

/// Percentile interval of 95 % of one column.
std::array<double, 2> PercentileInterval(const Eigen::VectorXd& replicates);

}  // namespace percuss::fitting
