// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <vector>

#include "fitting/estimate/estimator.h"

namespace percuss::fitting {

struct BootstrapOptions {
  int num_replicates = 200;
  unsigned seed = 1;
  int num_threads = 2;
};

/// From as many trials on a replicate is Refit::Step, with fewer Refit::Fit.
inline constexpr std::size_t kManyTrials = 100;

/// Percentile interval of 95 % of one column.
std::array<double, 2> PercentileInterval(const Eigen::VectorXd& replicates);

/// Percentile interval of 95 % of each coefficient, over estimates from as many trials as there
/// are, drawn with replacement (within each group), as in Refit. The same seed gives the same
/// intervals on any number of threads.
std::vector<std::array<double, 2>> BootstrapIntervals(const SharedLawProblem& problem,
                                                      const WeightedMinimum& solution,
                                                      const BootstrapOptions& options);

}  // namespace percuss::fitting
