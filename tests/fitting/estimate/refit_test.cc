// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Truth: the whole fit, done again.

#include "fitting/estimate/refit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

constexpr int kNumTrials = 150;

// Sliding impacts with errors of their own and one calibration error for all.
class RefitTest : public ::testing::Test {
 protected:
  SharedLawProblem Problem(int leave_out_every = 0) const {
    std::vector<const Impact*> impacts;
    for (int i = 0; i < kNumTrials; ++i) {
      if (leave_out_every > 0 && i % leave_out_every == 0) continue;
      impacts.push_back(&data_.impacts[i]);
    }
    return {solver::FindLaw("stronge"), impacts};
  }

  std::mt19937 random_{91};
  PreparedImpacts data_ =
      PrepareImpacts(NoisySlidingTable(random_, 0.3, 0.6, kNumTrials, true), Bar());
  SharedLawProblem problem_ = Problem();
  WeightedMinimum solution_ = FitWithPropagatedWeights(problem_);
  Refit refit_{problem_, solution_};
};

TEST_F(RefitTest, OfAllTrialsStaysAtTheSolution) {
  const std::vector<int> once(kNumTrials, 1);
  const Eigen::VectorXd& solution = solution_.minimum.parameters;
  EXPECT_LT((refit_.Step(once) - solution).norm(), 1e-6);
  EXPECT_LT((refit_.Fit(once) - solution).norm(), 1e-6);
}

// The calibration error is estimated anew in both.
TEST_F(RefitTest, OfAFoldIsTheFitOfTheRest) {
  constexpr int kEvery = 10;
  std::vector<int> multiplicity(kNumTrials, 1);
  for (int i = 0; i < kNumTrials; i += kEvery) multiplicity[static_cast<std::size_t>(i)] = 0;
  const SharedLawProblem rest = Problem(kEvery);
  const Eigen::VectorXd whole = FitWithPropagatedWeights(rest).minimum.parameters;
  const Eigen::VectorXd moved = whole - solution_.minimum.parameters;
  const Eigen::VectorXd refitted = refit_.Fit(multiplicity);
  // Weights of all trials instead of those of the rest: an effect of second order.
  EXPECT_LT((refitted - whole).norm(), 0.02 * moved.norm());
}

// The next step would move the coefficients by some 1 / sqrt(150) of the first.
TEST_F(RefitTest, StepIsNearlyTheFit) {
  constexpr int kReplicates = 40;
  std::uniform_int_distribution<std::size_t> any(0, kNumTrials - 1);
  double of_fit = 0.0, of_difference = 0.0;
  for (int b = 0; b < kReplicates; ++b) {
    std::vector<int> multiplicity(kNumTrials, 0);
    for (int i = 0; i < kNumTrials; ++i) ++multiplicity[any(random_)];
    const Eigen::VectorXd fit = refit_.Fit(multiplicity);
    of_fit += (fit - solution_.minimum.parameters).squaredNorm();
    of_difference += (refit_.Step(multiplicity) - fit).squaredNorm();
  }
  EXPECT_LT(std::sqrt(of_difference / of_fit), 1.0 / std::sqrt(double{kNumTrials}));
}

}  // namespace
}  // namespace percuss::fitting
