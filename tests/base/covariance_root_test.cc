// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/math/covariance_root.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace percuss {
namespace {

// Rows of any unit, some of them without errors, and fewer independent errors than rows.
TEST(CovarianceRoot, SquaresToTheCovariance) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int size = 1; size <= 60; ++size) {
    const int rank = 1 + static_cast<int>(random() % size);
    Eigen::MatrixXd root(size, rank);
    for (double& value : root.reshaped()) value = normal(random);
    for (int row = 0; row < size; ++row) root.row(row) *= std::pow(10.0, row % 7 - 4);
    for (int row = 1; row < size; row += 5) root.row(row).setZero();
    const Eigen::MatrixXd covariance = root * root.transpose();
    const Eigen::MatrixXd found = CovarianceRoot(covariance);
    EXPECT_LE(found.cols(), rank) << size;
    const Eigen::VectorXd sigma = covariance.diagonal().cwiseSqrt();
    const Eigen::ArrayXXd allowed = 1e-11 * (sigma * sigma.transpose()).array();
    EXPECT_TRUE(((found * found.transpose() - covariance).array().abs() <= allowed).all()) << size;
  }
}

TEST(CovarianceRoot, OfNothing) {
  EXPECT_EQ(CovarianceRoot(Eigen::MatrixXd(0, 0)).size(), 0);
  EXPECT_EQ(CovarianceRoot(Eigen::MatrixXd::Zero(3, 3)).cols(), 0);
}

}  // namespace
}  // namespace percuss
