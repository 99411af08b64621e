// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/math/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace percuss {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd DrawnMatrix(int rows, int columns) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}

TEST(Jacobian, IsThatOfALinearFunction) {
  const MatrixXd by = DrawnMatrix(7, 3);
  const auto function = [&](const VectorXd& x) -> VectorXd { return by * x; };
  EXPECT_NEAR((Jacobian(function, VectorXd::Ones(3)) - by).norm(), 0.0, 1e-8);
}

TEST(SolveLeastSquares, HasTheCovarianceOfALinearProblem) {
  const MatrixXd by = DrawnMatrix(7, 3);
  const VectorXd truth = VectorXd::LinSpaced(3, -0.5, 0.5);
  const LeastSquares solution = SolveLeastSquares(
      [&](const VectorXd& x) -> VectorXd { return by * (x - truth); }, VectorXd::Zero(3), 20);
  EXPECT_NEAR((solution.x - truth).norm(), 0.0, 1e-7);
  EXPECT_NEAR((solution.covariance * (by.transpose() * by) - MatrixXd::Identity(3, 3)).norm(), 0.0,
              1e-6);
}

// Of a quadratic the least on the bound is where the others' gradient is 0.
TEST(SolveWithin, HoldsWhatIsBelowItsBoundAndSolvesTheOthers) {
  const MatrixXd by = DrawnMatrix(7, 3);
  const VectorXd truth = VectorXd::LinSpaced(3, -0.5, 0.5);
  const auto residuals = [&](const VectorXd& x) -> VectorXd { return by * (x - truth); };
  const VectorXd x = SolveWithin(residuals, truth, {{0, -0.1}, {2, 0.2}}, 20);
  EXPECT_EQ(x[0], -0.1);
  const VectorXd gradient = by.transpose() * residuals(x);
  EXPECT_NEAR(gradient.tail(2).norm(), 0.0, 1e-6);
  EXPECT_GT(std::abs(gradient[0]), 1e-3);
}

TEST(SolveWithin, LeavesAloneWhatLiesWithin) {
  const auto residuals = [](const VectorXd& x) -> VectorXd { return x; };
  const VectorXd best = VectorXd::Constant(2, 0.3);  // not the least: it is not solved anew
  EXPECT_EQ(SolveWithin(residuals, best, {{0, 0.0}, {1, 0.3}}, 20), best);
}

}  // namespace
}  // namespace percuss
