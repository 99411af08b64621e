// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/bootstrap.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "capture/parallel.h"

namespace percuss::fitting {
namespace {

// Whitened residual r of a trial, its derivative J by the coefficients, and its sensitivity S to
// the shared errors k: the cost is sum n_i |r_i - S_i k|^2 + |k|^2.
struct WhitenedTrial {
  Eigen::VectorXd residual;
  Eigen::MatrixXd jacobian;
  Eigen::MatrixXd shared;
};

WhitenedTrial Whiten(const SharedLawProblem& problem, const JointWhitening& whitening,
                     const Eigen::VectorXd& parameters, size_t trial) {
  const SharedLawProblem::TrialResidual raw = problem.CalcTrialResidual(parameters, trial);
  return {whitening.ApplyOwn(trial, raw.value), whitening.ApplyOwn(trial, raw.by_coefficients), {}};
}

// [J S]^T [J S] and [J S]^T r summed over the drawn trials, k at its best.
struct NormalEquations {
  Eigen::MatrixXd matrix;
  Eigen::VectorXd right;
  double cost = 0.0;
};

class Replicate {
 public:
  Replicate(const SharedLawProblem& problem, const JointWhitening& whitening,
            const std::vector<WhitenedTrial>& at_solution, std::vector<int> multiplicity)
      : problem_(problem),
        whitening_(whitening),
        at_solution_(at_solution),
        multiplicity_(std::move(multiplicity)) {}

  Eigen::VectorXd Fit(const Eigen::VectorXd& solution) const {
    constexpr int kMaxIterations = 10;
    constexpr int kMaxHalvings = 4;
    constexpr double kSmallGain = 1e-3;  // of the cost, as a share of the mean of a residual
    Eigen::VectorXd best = solution;
    NormalEquations equations = Assemble(nullptr);
    const double small = kSmallGain * equations.cost / static_cast<double>(whitening_.rows());
    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
      Eigen::VectorXd step = BoundedStep(equations, best);
      bool better = false;
      double gain = 0.0;
      for (int halving = 0; halving <= kMaxHalvings && !better; ++halving, step *= 0.5) {
        const Eigen::VectorXd candidate = best + step;
        const NormalEquations there = Assemble(&candidate);
        if (!(there.cost < equations.cost)) continue;
        better = true;
        gain = equations.cost - there.cost;
        best = candidate;
        equations = there;
      }
      if (!better || gain < small) break;
    }
    return best;
  }

 private:
  NormalEquations Assemble(const Eigen::VectorXd* parameters) const {
    const Eigen::Index size = problem_.num_parameters();
    const Eigen::Index num_shared = at_solution_.front().shared.cols();
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(size + num_shared + 1, size + num_shared + 1);
    Eigen::MatrixXd stacked;
    for (size_t i = 0; i < multiplicity_.size(); ++i) {
      if (multiplicity_[i] == 0) continue;
      const WhitenedTrial moved =
          parameters == nullptr ? WhitenedTrial{} : Whiten(problem_, whitening_, *parameters, i);
      const WhitenedTrial& trial = parameters == nullptr ? at_solution_[i] : moved;
      stacked.resize(trial.residual.size(), gram.cols());
      stacked << trial.jacobian, at_solution_[i].shared, trial.residual;
      gram.noalias() += multiplicity_[i] * (stacked.transpose() * stacked);
    }
    // k eliminated: what is left is the joint whitening of the drawn trials.
    if (num_shared > 0) {
      std::vector<Eigen::Index> kept(static_cast<size_t>(size) + 1);
      for (Eigen::Index i = 0; i < size; ++i) kept[static_cast<size_t>(i)] = i;
      kept.back() = size + num_shared;
      const auto middle = Eigen::seqN(size, num_shared);
      const Eigen::MatrixXd prior = Eigen::MatrixXd::Identity(num_shared, num_shared);
      const Eigen::MatrixXd cross = gram(middle, kept);
      gram =
          (gram(kept, kept) - cross.transpose() * (prior + gram(middle, middle)).llt().solve(cross))
              .eval();
    }
    return {gram.topLeftCorner(size, size), gram.topRightCorner(size, 1), gram(size, size)};
  }

  // Gauss-Newton step; a coefficient that it would carry over its bound stops there, and the others
  // are solved again.
  Eigen::VectorXd BoundedStep(const NormalEquations& equations, const Eigen::VectorXd& from) const {
    const std::vector<Coefficient>& infos = problem_.model().coefficients();
    Eigen::VectorXd step = Eigen::VectorXd::Zero(from.size());
    std::vector<Eigen::Index> free;
    for (Eigen::Index i = 0; i < from.size(); ++i) {
      if (equations.matrix(i, i) > 0.0) free.push_back(i);
    }
    while (!free.empty()) {
      constexpr double kRidge = 1e-12;  // for directions that the draw does not see
      Eigen::MatrixXd matrix = equations.matrix(free, free);
      matrix.diagonal() *= 1.0 + kRidge;
      const Eigen::VectorXd right =
          equations.right(free) + equations.matrix(free, Eigen::all) * step;
      const Eigen::VectorXd solved = -matrix.ldlt().solve(right);
      std::vector<Eigen::Index> inside;
      for (size_t i = 0; i < free.size(); ++i) {
        const Coefficient& info = infos[static_cast<size_t>(free[i])];
        const double value = from[free[i]] + solved[static_cast<Eigen::Index>(i)];
        if (value >= info.lower && value <= info.upper) {
          inside.push_back(free[i]);
        } else {
          step[free[i]] = std::clamp(value, info.lower, info.upper) - from[free[i]];
        }
      }
      if (inside.size() == free.size()) {
        step(free) = solved;
        break;
      }
      free = std::move(inside);
    }
    return step.allFinite() ? step : Eigen::VectorXd::Zero(from.size()).eval();
  }

  const SharedLawProblem& problem_;
  const JointWhitening& whitening_;
  const std::vector<WhitenedTrial>& at_solution_;
  std::vector<int> multiplicity_;
};

std::vector<std::vector<int>> TrialsByGroup(const SharedLawProblem& problem) {
  std::vector<std::vector<int>> trials(std::max<size_t>(1, problem.model().groups().size()));
  for (size_t i = 0; i < problem.records().size(); ++i) {
    const int group = problem.model().GroupOf(*problem.records()[i]);
    trials[static_cast<size_t>(group)].push_back(static_cast<int>(i));
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
      ++multiplicity[static_cast<size_t>(group[place])];
    }
  }
  return multiplicity;
}

}  // namespace

Eigen::MatrixXd BootstrapTrials(const SharedLawProblem& problem, const WeightedMinimum& solution,
                                const BootstrapOptions& options) {
  const Eigen::VectorXd& parameters = solution.minimum.parameters;
  const std::vector<SharedLawProblem::ErrorJacobian> jacobians =
      problem.CalcErrorJacobians(parameters);
  std::vector<WhitenedTrial> trials;
  for (size_t i = 0; i < jacobians.size(); ++i) {
    trials.push_back(Whiten(problem, solution.whitening, parameters, i));
    trials.back().shared =
        solution.whitening.ApplyOwn(i, jacobians[i] * problem.errors()[i]->shared);
  }
  const std::vector<std::vector<int>> groups = TrialsByGroup(problem);
  Eigen::MatrixXd replicates(options.num_replicates, parameters.size());
  capture::ParallelFor(options.num_replicates, options.num_threads, [&](int b) {
    const Replicate replicate(problem, solution.whitening, trials,
                              DrawMultiplicity(groups, trials.size(), options.seed, b));
    replicates.row(b) = replicate.Fit(parameters).transpose();
  });
  return replicates;
}

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

}  // namespace percuss::fitting
