// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/math/assignment.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

namespace percuss {
namespace {

double TotalCost(const Eigen::MatrixXd& cost, const std::vector<int>& columns,
                 double cost_of_none) {
  double total = 0.0;
  for (std::size_t row = 0; row < columns.size(); ++row) {
    total += columns[row] < 0 ? cost_of_none : cost(static_cast<Eigen::Index>(row), columns[row]);
  }
  return total;
}

/// The least cost over all one-to-one assignments, by trying them all.
double BruteForce(const Eigen::MatrixXd& cost, double cost_of_none) {
  const auto rows = static_cast<std::size_t>(cost.rows());
  std::vector<int> choice(static_cast<std::size_t>(cost.cols()) + rows);
  std::iota(choice.begin(), choice.end(), 0);
  double best = std::numeric_limits<double>::infinity();
  do {
    std::vector<int> columns(choice.begin(), choice.begin() + static_cast<std::ptrdiff_t>(rows));
    for (int& column : columns) {
      if (column >= cost.cols()) column = -1;
    }
    best = std::min(best, TotalCost(cost, columns, cost_of_none));
  } while (std::next_permutation(choice.begin(), choice.end()));
  return best;
}

// Truth: exhaustive search.
TEST(Assign, IsAsCheapAsTheBestOfAllAssignments) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> value(-2.0, 10.0);
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::Index rows = 1 + trial % 4, columns = 1 + (trial / 4) % 4;
    Eigen::MatrixXd cost(rows, columns);
    for (double& entry : cost.reshaped()) entry = value(random);
    const double none = 4.0;
    const std::vector<int> assigned = Assign(cost, none);
    EXPECT_NEAR(TotalCost(cost, assigned, none), BruteForce(cost, none), 1e-12);
    for (std::size_t a = 0; a < assigned.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b)
        EXPECT_TRUE(assigned[a] < 0 || assigned[a] != assigned[b]);
    }
  }
}

TEST(Assign, NeverMakesAPairThatCostsMoreThanNone) {
  Eigen::MatrixXd cost(2, 2);
  cost << 1.0, 9.0, 9.0, 9.0;
  EXPECT_THAT(Assign(cost, 5.0), testing::ElementsAre(0, -1));
}

TEST(Assign, HandlesNoRowsAndNoColumns) {
  EXPECT_TRUE(Assign(Eigen::MatrixXd(0, 3), 1.0).empty());
  EXPECT_THAT(Assign(Eigen::MatrixXd(2, 0), 1.0), testing::ElementsAre(-1, -1));
}

TEST(Assign, RefusesNumbersThatAreNotFinite) {
  Eigen::MatrixXd cost = Eigen::MatrixXd::Zero(1, 1);
  cost(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(Assign(cost, 1.0), std::invalid_argument);
}

}  // namespace
}  // namespace percuss
