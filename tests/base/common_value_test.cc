// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: drawn measurements of a known value, and a mean worked out by hand.

#include "base/math/common_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace percuss {
namespace {

TEST(FitCommonValue, WeighsByTheCovariance) {
  // 1 +- 1 and 4 +- 2, independent: weights 4 and 1.
  const Eigen::Vector2d values(1.0, 4.0);
  const Eigen::Matrix2d covariance = Eigen::Vector2d(1.0, 4.0).asDiagonal();
  const CommonValue common = FitCommonValue(values, covariance, values);
  EXPECT_NEAR(common.mean.value, 1.6, 1e-12);
  EXPECT_NEAR(common.mean.sigma, std::sqrt(0.8), 1e-12);
  EXPECT_NEAR(common.chi_square, 9.0 / 5.0, 1e-12);
  EXPECT_EQ(common.scatter, 0.0);  // p = 0.18
  EXPECT_TRUE(std::isnan(common.slope.value));
}

TEST(FitCommonValue, FindsSlopeAndScatter) {
  const Eigen::Vector4d along(0.0, 1.0, 2.0, 3.0), values(1.0, 3.0, 5.0, 7.0);
  const CommonValue common = FitCommonValue(values, 0.01 * Eigen::Matrix4d::Identity(), along);
  EXPECT_NEAR(common.slope.value, 2.0, 1e-9);
  EXPECT_NEAR(common.slope.sigma, 0.1 / std::sqrt(5.0), 1e-9);
  // About their mean they scatter by sqrt(20 / 3), of which 0.1 is stated.
  EXPECT_NEAR(common.scatter, std::sqrt(20.0 / 3.0 - 0.01), 1e-6);
}

TEST(FitCommonValue, HoldsTheTruthWithAndWithoutScatter) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (const double scatter : {0.0, 0.02}) {
    int inside = 0;
    constexpr int kDraws = 400, kBounces = 6;
    for (int draw = 0; draw < kDraws; ++draw) {
      Eigen::VectorXd e(kBounces), speeds(kBounces);
      const double shared = 0.004 * normal(random);
      for (int k = 0; k < kBounces; ++k) {
        speeds[k] = 3.0 * std::pow(0.8, k);
        e[k] = 0.8 + shared + (0.003 + 0.001 * k) * normal(random) + scatter * normal(random);
      }
      Eigen::MatrixXd covariance = Eigen::MatrixXd::Constant(kBounces, kBounces, 0.004 * 0.004);
      for (int k = 0; k < kBounces; ++k) covariance(k, k) += std::pow(0.003 + 0.001 * k, 2);
      const CommonValue common = FitCommonValue(e, covariance, speeds);
      inside += std::abs(common.mean.value - 0.8) < 1.96 * common.mean.sigma;
    }
    // 95 % of 400; scatter that six bounces tell is itself uncertain.
    EXPECT_GT(inside, 0.90 * kDraws) << scatter;
    EXPECT_LT(inside, 0.99 * kDraws) << scatter;
  }
}

}  // namespace
}  // namespace percuss
