// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/estimate/static_friction.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/math/statistics.h"
#include "fitting/model/impact_model.h"
#include "solver/rigid/sliding_friction.h"

namespace percuss::fitting {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Critical frictions of the impacts whose answer depends on mu_s, rising.
std::vector<double> Steps(const SharedLawProblem& problem, const Eigen::VectorXd& coefficients) {
  std::vector<double> steps;
  for (std::size_t i = 0; i < problem.impacts().size(); ++i) {
    const solver::Contact<double>& contact =
        ContactFor(problem.law().name, problem.impact(i).geometry);
    if (TakesSeveral(problem.law().name, problem.impact(i).geometry)) continue;
    if (AsksForStaticFriction(problem.law(), contact, problem.CalcLawParameters(coefficients, i)))
      steps.push_back(solver::CriticalFriction(contact));
  }
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

// At most so many, evenly chosen: each takes a fit.
std::vector<double> Some(const std::vector<double>& steps) {
  constexpr std::size_t kMost = 24;
  if (steps.size() <= kMost) return steps;
  std::vector<double> some;
  for (std::size_t k = 0; k < kMost; ++k)
    some.push_back(steps[k * (steps.size() - 1) / (kMost - 1)]);
  return some;
}

}  // namespace

Eigen::VectorXd WithStaticFriction(const Eigen::VectorXd& parameters, double mu_s) {
  Eigen::VectorXd with(parameters.size() + 1);
  with << parameters, mu_s;
  return with;
}

bool AsksForStaticFriction(const solver::LawInfo& law, const solver::Contact<double>& contact,
                           const Eigen::VectorXd& parameters) {
  constexpr double kSame = 1e-9;
  const double mu = solver::ParameterNamed(law, "mu", AsSpan(parameters));
  if (!(solver::CriticalFriction(contact) > mu)) return false;
  const Eigen::Vector3d slips = LawImpulse(law.name, contact, AsSpan(parameters));
  const Eigen::Vector3d holds =
      LawImpulse(law.name, contact, AsSpan(WithStaticFriction(parameters, kHoldsAnyContact)));
  return (slips - holds).norm() > kSame * slips.norm();
}

ParameterEstimate EstimateStaticFriction(const SharedLawProblem& problem,
                                         const WeightedMinimum& fitted, Loss loss,
                                         const std::function<SharedLawProblem(double mu_s)>& with) {
  const double mu = solver::ParameterNamed(
      problem.law(), "mu", AsSpan(problem.CalcLawParameters(fitted.minimum.parameters, 0)));
  ParameterEstimate estimate{.name = "mu_s", .ci95 = {mu, kInfinite}, .best = mu};
  const std::vector<double> steps = Some(Steps(problem, fitted.minimum.parameters));
  if (steps.empty()) return estimate;
  // Levels [mu, c_1), [c_1, c_2), ... [c_n, infinity).
  std::vector<double> deviance = {fitted.deviance};
  // Each level has more impacts stick: beyond one that is far worse there is no better one.
  constexpr double kHopeless = 100.0;
  double least = fitted.deviance;
  for (const double step : steps) {
    if (deviance.back() > least + kHopeless) {
      deviance.push_back(kInfinite);
      continue;
    }
    deviance.push_back(
        FitWithPropagatedWeights(with(step), fitted.minimum.parameters, loss).deviance);
    least = std::min(least, deviance.back());
  }
  const auto best = std::ranges::min_element(deviance) - deviance.begin();
  const auto holds = [&](std::ptrdiff_t level) {
    return deviance[level] <= deviance[best] + kChiSquare95;
  };
  std::ptrdiff_t first = best, last = best;
  while (first > 0 && holds(first - 1)) --first;
  while (last < std::ssize(steps) && holds(last + 1)) ++last;
  if (best > 0) estimate.best = steps[best - 1];
  const bool from_below = first > 0, from_above = last < std::ssize(steps);
  if (from_below) estimate.ci95[0] = steps[first - 1];
  if (from_above) estimate.ci95[1] = steps[last];
  const auto [low, high] = estimate.ci95;
  if (from_below && from_above) {
    estimate.status = ParameterStatus::kIdentified;
    estimate.value = 0.5 * (low + high);
    estimate.sigma = (high - low) / (2.0 * 1.96);
  } else if (from_below) {
    estimate.status = ParameterStatus::kLowerBound;
    estimate.value = low;
  } else if (from_above) {
    estimate.status = ParameterStatus::kUpperBound;
    estimate.value = high;
  }
  return estimate;
}

}  // namespace percuss::fitting
