// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/estimate/cross_validation.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "fitting/estimate/comparison.h"
#include "fitting/estimate/refit.h"

namespace percuss::fitting {
namespace {

bool IsLeftOut(size_t trial, int fold, int num_folds) {
  return static_cast<int>(trial) % num_folds == fold;
}

}  // namespace

int NumFolds(const SharedLawProblem& all, const CrossValidationOptions& options) {
  const int num_trials = static_cast<int>(all.impacts().size());
  if (num_trials < 2) return 0;
  return num_trials <= kMaxLeaveOneOut ? num_trials : std::min(num_trials, options.num_folds);
}

void ForEachFold(const SharedLawProblem& all, const CrossValidationOptions& options,
                 const std::function<void(const SharedLawProblem& rest,
                                          const std::vector<int>& left_out)>& work) {
  const int num_folds = NumFolds(all, options);
  ParallelFor(num_folds, options.num_threads, [&](int fold) {
    std::vector<const Impact*> impacts;
    std::vector<int> left_out;
    for (size_t i = 0; i < all.impacts().size(); ++i) {
      if (IsLeftOut(i, fold, num_folds)) {
        left_out.push_back(static_cast<int>(i));
        continue;
      }
      impacts.push_back(all.impacts()[i]);
    }
    work(SharedLawProblem(all.law(), impacts, all.model()), left_out);
  });
}

HeldOutErrors CrossValidate(const SharedLawProblem& all, const WeightedMinimum& solution, Loss loss,
                            const CrossValidationOptions& options) {
  const size_t num_trials = all.impacts().size();
  HeldOutErrors held{std::vector<double>(num_trials, kNaN), std::vector<double>(num_trials, kNaN)};
  const auto predict = [&](const std::vector<int>& left_out, const Eigen::VectorXd& parameters) {
    for (const int i : left_out) {
      const auto [velocity, energy] = CalcPredictionErrors(all, i, parameters);
      held.velocity[i] = velocity;
      held.energy[i] = energy;
    }
  };
  // Of few trials each may decide in which valley the solution lies.
  constexpr size_t kFew = 8;
  if (num_trials <= kFew) {
    ForEachFold(all, options, [&](const SharedLawProblem& rest, const std::vector<int>& left_out) {
      predict(left_out, FitWithPropagatedWeights(rest, loss).minimum.parameters);
    });
    return held;
  }
  const Refit refit(all, solution);
  const int num_folds = NumFolds(all, options);
  ParallelFor(num_folds, options.num_threads, [&](int fold) {
    std::vector<int> multiplicity(num_trials, 1);
    std::vector<int> left_out;
    for (size_t i = 0; i < num_trials; ++i) {
      if (!IsLeftOut(i, fold, num_folds)) continue;
      multiplicity[i] = 0;
      left_out.push_back(static_cast<int>(i));
    }
    predict(left_out, refit.Fit(multiplicity));
  });
  return held;
}

}  // namespace percuss::fitting
