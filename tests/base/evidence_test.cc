// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/math/evidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace percuss {
namespace {

/// The standard deviation at which the fixed point comes to rest, of values measured with a noise.
double SigmaOf(const Eigen::VectorXd& measured, double noise, double start) {
  double sigma = start;
  for (int round = 0; round < 500; ++round) {
    const double variance = 1.0 / (std::pow(sigma, -2) + std::pow(noise, -2));
    sigma = LikelierSigma(sigma,
                          EvidenceOf(sigma, measured * variance / (noise * noise),
                                     Eigen::VectorXd::Constant(measured.size(), variance)),
                          1e-3);
  }
  return sigma;
}

// Normal values of variance s^2 + n^2 are likeliest where that is their mean square.
TEST(LikelierSigma, EndsWhereTheDataAreLikeliest) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  constexpr double kNoise = 0.5;
  for (const double truth : {0.3, 1.0, 4.0}) {
    Eigen::VectorXd measured(2000);
    for (double& value : measured) value = std::hypot(truth, kNoise) * normal(random);
    const double exact = std::sqrt(measured.squaredNorm() / 2000.0 - kNoise * kNoise);
    EXPECT_NEAR(SigmaOf(measured, kNoise, 1.0), exact, 1e-6 * exact) << truth;
    EXPECT_NEAR(SigmaOf(measured, kNoise, 20.0), exact, 1e-6 * exact) << truth;
  }
}

TEST(LikelierSigma, HasALeastValueAndStaysWhereTheDataSayNothing) {
  const Eigen::VectorXd zeros = Eigen::VectorXd::Zero(5);
  EXPECT_EQ(SigmaOf(zeros, 0.5, 1.0), 1e-3);
  EXPECT_EQ(LikelierSigma(0.7, EvidenceOf(0.7, zeros, Eigen::VectorXd::Constant(5, 0.49)), 1e-3),
            0.7);
}

TEST(ScatterEvidence, AddsUpOverGroups) {
  const Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(6, -1.0, 2.0);
  const Eigen::VectorXd variances = Eigen::VectorXd::LinSpaced(6, 0.1, 0.6);
  ScatterEvidence sum = EvidenceOf(1.0, values.head(2), variances.head(2));
  sum.Add(EvidenceOf(1.0, values.tail(4), variances.tail(4)));
  const ScatterEvidence all = EvidenceOf(1.0, values, variances);
  EXPECT_NEAR(sum.squares, all.squares, 1e-12);
  EXPECT_NEAR(sum.determined, all.determined, 1e-12);
}

}  // namespace
}  // namespace percuss
