// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/estimate/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "base/parallel.h"
#include "fitting/estimate/refit.h"

namespace percuss::fitting {
namespace {

std::vector<std::vector<int>> TrialsByGroup(const SharedLawProblem& problem) {
  std::vector<std::vector<int>> trials(std::max<size_t>(1, problem.model().groups().size()));
  for (size_t i = 0; i < problem.impacts().size(); ++i) {
    trials[problem.group(i)].push_back(static_cast<int>(i));
  }
  return trials;
}

// The same draws everywhere: distributions of the library differ between implementations.
std::vector<int> DrawMultiplicity(const std::vector<std::vector<int>>& groups, size_t num_trials,
                                  unsigned seed, int replicate) {
  std::seed_seq seeds{seed, static_cast<unsigned>(replicate)};
  std::mt19937 random(seeds);
  std::vector<int> multiplicity(num_trials, 0);
  for (const std::vector<int>& group : groups) {
    for (size_t draw = 0; draw < group.size(); ++draw) {
      const auto place = static_cast<size_t>((std::uint64_t{random()} * group.size()) >> 32);
      ++multiplicity[group[place]];
    }
  }
  return multiplicity;
}

// One row per replicate.
Eigen::MatrixXd BootstrapTrials(const SharedLawProblem& problem, const WeightedMinimum& solution,
                                const BootstrapOptions& options) {
  const Refit refit(problem, solution);
  const std::vector<std::vector<int>> groups = TrialsByGroup(problem);
  const size_t num_trials = problem.impacts().size();
  Eigen::MatrixXd replicates(options.num_replicates, problem.num_parameters());
  ParallelFor(options.num_replicates, options.num_threads, [&](int b) {
    const std::vector<int> drawn = DrawMultiplicity(groups, num_trials, options.seed, b);
    const bool many = num_trials >= kManyTrials;
    replicates.row(b) = (many ? refit.Step(drawn) : refit.Fit(drawn)).transpose();
  });
  return replicates;
}

}  // namespace

std::array<double, 2> PercentileInterval(const Eigen::VectorXd& replicates) {
  std::vector<double> sorted(replicates.begin(), replicates.end());
  std::ranges::sort(sorted);
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
  };
  return {at(0.025), at(0.975)};
}

std::vector<std::array<double, 2>> BootstrapIntervals(const SharedLawProblem& problem,
                                                      const WeightedMinimum& solution,
                                                      const BootstrapOptions& options) {
  const Eigen::MatrixXd replicates = BootstrapTrials(problem, solution, options);
  std::vector<std::array<double, 2>> intervals;
  for (Eigen::Index i = 0; i < replicates.cols(); ++i) {
    intervals.push_back(PercentileInterval(replicates.col(i)));
  }
  return intervals;
}

}  // namespace percuss::fitting
