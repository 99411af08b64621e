// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "fitting/estimate/estimator.h"

namespace percuss::fitting {

/// Most trials for which cross-validation leaves out one at a time.
inline constexpr int kMaxLeaveOneOut = 30;

struct CrossValidationOptions {
  int num_folds =
      10;  ///< of more than kMaxLeaveOneOut trials; with fewer, one is left out at a time
  int num_threads = 2;
};

/// Number of folds that are used; 0 if nothing can be left out.
int NumFolds(const SharedLawProblem& all, const CrossValidationOptions& options);

/// Calls work(rest, left_out) for every fold, on several threads: trial i belongs to fold
/// i % NumFolds.
void ForEachFold(const SharedLawProblem& all, const CrossValidationOptions& options,
                 const std::function<void(const SharedLawProblem& rest,
                                          const std::vector<int>& left_out)>& work);

/// Errors of the predictions (CalcPredictionErrors) for trials that were not in the fit. Of eight
/// trials or fewer each fit begins anew: without one of them a coefficient can be free, and a start
/// at the solution of all would let the left-out one speak. Of more the fits are Refit::Fit.
struct HeldOutErrors {
  std::vector<double> velocity;
  std::vector<double> energy;
};
HeldOutErrors CrossValidate(const SharedLawProblem& all, const WeightedMinimum& solution, Loss loss,
                            const CrossValidationOptions& options);

}  // namespace percuss::fitting
