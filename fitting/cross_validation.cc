// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/cross_validation.h"

#include <algorithm>
#include <cmath>

#include "capture/parallel.h"
#include "fitting/coefficient_fit.h"
#include "fitting/comparison.h"

namespace percuss::fitting {

int NumFolds(const SharedLawProblem& all, const CrossValidationOptions& options) {
  const int num_trials = static_cast<int>(all.records().size());
  if (num_trials < 2) return 0;
  return num_trials <= kMaxLeaveOneOut ? num_trials : std::min(num_trials, options.num_folds);
}

void ForEachFold(const SharedLawProblem& all, const CrossValidationOptions& options,
                 const std::function<void(const SharedLawProblem& rest,
                                          const std::vector<int>& left_out)>& work) {
  const int num_folds = NumFolds(all, options);
  capture::ParallelFor(num_folds, options.num_threads, [&](int fold) {
    std::vector<const tracking::ImpactRecord*> records;
    std::vector<const ImpactErrors*> errors;
    std::vector<int> left_out;
    for (size_t i = 0; i < all.records().size(); ++i) {
      if (static_cast<int>(i) % num_folds == fold) {
        left_out.push_back(static_cast<int>(i));
        continue;
      }
      records.push_back(all.records()[i]);
      errors.push_back(all.errors()[i]);
    }
    work(SharedLawProblem(all.law(), all.body(), records, errors, all.model()), left_out);
  });
}

HeldOutErrors CrossValidate(const SharedLawProblem& all, const Eigen::VectorXd& solution, Loss loss,
                            const CrossValidationOptions& options) {
  const size_t num_trials = all.records().size();
  // Few trials can leave a parameter free; then a start at the solution of all trials would let
  // the left-out one speak. Many trials cannot, and the short way is taken.
  const bool few = num_trials <= kMaxLeaveOneOut;
  HeldOutErrors held{std::vector<double>(num_trials, kNaN), std::vector<double>(num_trials, kNaN)};
  ForEachFold(all, options, [&](const SharedLawProblem& rest, const std::vector<int>& left_out) {
    const WeightedMinimum fitted = FitWithPropagatedWeights(rest, few ? nullptr : &solution, loss);
    for (const int i : left_out) {
      const auto [velocity, energy] = CalcPredictionErrors(all, i, fitted.minimum.parameters);
      held.velocity[static_cast<size_t>(i)] = velocity;
      held.energy[static_cast<size_t>(i)] = energy;
    }
  });
  return held;
}

}  // namespace percuss::fitting
