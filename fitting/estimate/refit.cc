// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/estimate/refit.h"

#include <algorithm>
#include <utility>

namespace percuss::fitting {

Refit::Refit(const SharedLawProblem& problem, const WeightedMinimum& solution)
    : problem_(problem), solution_(solution) {
  for (std::size_t i = 0; i < problem.impacts().size(); ++i) {
    rows_.push_back(Rows(solution.minimum.parameters, i));
  }
}

Eigen::VectorXd Refit::Step(const std::vector<int>& multiplicity) const {
  const Eigen::VectorXd& from = solution_.minimum.parameters;
  return from + BoundedStep(AtSolution(multiplicity, Shared(multiplicity)), from);
}

Eigen::VectorXd Refit::Fit(const std::vector<int>& multiplicity) const {
  constexpr int kMaxIterations = 10;
  constexpr int kMaxHalvings = 4;
  constexpr double kSmallGain = 1e-3;  // of the cost, as a share of the mean of a residual
  Eigen::VectorXd best = solution_.minimum.parameters;
  const Eigen::LLT<Eigen::MatrixXd> shared = Shared(multiplicity);
  NormalEquations equations = AtSolution(multiplicity, shared);
  const double small =
      kSmallGain * equations.cost / static_cast<double>(solution_.whitening.rows());
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    Eigen::VectorXd step = BoundedStep(equations, best);
    bool better = false;
    double gain = 0.0;
    for (int halving = 0; halving <= kMaxHalvings && !better; ++halving, step *= 0.5) {
      const Eigen::VectorXd candidate = best + step;
      const NormalEquations there = At(candidate, multiplicity, shared);
      if (!(there.cost < equations.cost)) continue;
      better = true;
      gain = equations.cost - there.cost;
      best = candidate;
      equations = there;
    }
    // What one more step would gain, by the equations that are there.
    const Eigen::VectorXd next = BoundedStep(equations, best);
    const double promised = -next.dot(2.0 * equations.right + equations.matrix * next);
    if (!better || gain < small || promised < small) break;
  }
  return best;
}

// With the whitened residual r of a trial, its derivative J by the coefficients and its sensitivity
// S to the shared errors k, the cost is sum n_i |r_i - S_i k|^2 + |k|^2. Rows are [J r].
Eigen::MatrixXd Refit::Rows(const Eigen::VectorXd& parameters, std::size_t trial) const {
  const SharedLawProblem::TrialResidual raw = problem_.CalcTrialResidual(parameters, trial);
  Eigen::MatrixXd rows(raw.value.size(), raw.by_coefficients.cols() + 1);
  rows << raw.by_coefficients, raw.value;
  return solution_.whitening.ApplyOwn(trial, rows);
}

Eigen::LLT<Eigen::MatrixXd> Refit::Shared(const std::vector<int>& multiplicity) const {
  const JointWhitening& whitening = solution_.whitening;
  if (whitening.spread().size() == 0) return {};
  // All once, and what is counted otherwise.
  Eigen::MatrixXd sum = (1.0 + whitening.spread().array().square()).matrix().asDiagonal();
  for (std::size_t i = 0; i < multiplicity.size(); ++i) {
    if (multiplicity[i] == 1) continue;
    const Eigen::MatrixXd shared = whitening.OwnShared(i);
    sum += (multiplicity[i] - 1) * shared.transpose() * shared;
  }
  return sum.llt();
}

Refit::NormalEquations Refit::AtSolution(const std::vector<int>& multiplicity,
                                         const Eigen::LLT<Eigen::MatrixXd>& shared) const {
  return Equations(multiplicity, shared, [&](std::size_t trial) { return rows_[trial]; });
}

Refit::NormalEquations Refit::At(const Eigen::VectorXd& parameters,
                                 const std::vector<int>& multiplicity,
                                 const Eigen::LLT<Eigen::MatrixXd>& shared) const {
  return Equations(multiplicity, shared,
                   [&](std::size_t trial) { return Rows(parameters, trial); });
}

// k eliminated: what is left is the joint whitening of the counted trials.
Refit::NormalEquations Refit::Equations(
    const std::vector<int>& multiplicity, const Eigen::LLT<Eigen::MatrixXd>& shared,
    const std::function<Eigen::MatrixXd(std::size_t)>& rows_of) const {
  const Eigen::Index size = problem_.num_parameters();
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(size + 1, size + 1);
  const JointWhitening& whitening = solution_.whitening;
  Eigen::MatrixXd cross = Eigen::MatrixXd::Zero(whitening.spread().size(), size + 1);
  for (std::size_t i = 0; i < multiplicity.size(); ++i) {
    if (multiplicity[i] == 0) continue;
    const Eigen::MatrixXd rows = rows_of(i);
    gram += multiplicity[i] * rows.transpose() * rows;
    if (cross.rows() > 0) cross += multiplicity[i] * whitening.OwnShared(i).transpose() * rows;
  }
  if (cross.rows() > 0) gram -= cross.transpose() * shared.solve(cross);
  return {gram.topLeftCorner(size, size), gram.topRightCorner(size, 1), gram(size, size)};
}

// Gauss-Newton step; a coefficient that it would carry over its bound stops there, and the others
// are solved again.
Eigen::VectorXd Refit::BoundedStep(const NormalEquations& equations,
                                   const Eigen::VectorXd& from) const {
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
    const Eigen::VectorXd right = equations.right(free) + equations.matrix(free, Eigen::all) * step;
    const Eigen::VectorXd solved = -matrix.ldlt().solve(right);
    std::vector<Eigen::Index> inside;
    for (size_t i = 0; i < free.size(); ++i) {
      const Coefficient& info = infos[free[i]];
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

}  // namespace percuss::fitting
