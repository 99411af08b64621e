// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <cmath>

#include "calibration/bundle_adjustment.h"
#include "calibration/stereo_calibration.h"
#include "tests/calibration/synthetic_rig.h"

namespace percuss::calibration {
namespace {

CalibrationVector Error(const StereoBundle& estimate, const StereoBundle& truth) {
  CalibrationVector error;
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t k = 0; k < kNumIntrinsics; ++k) {
      error[static_cast<int>(side * kNumIntrinsics + k)] =
          estimate.cameras[side].intrinsics[k] - truth.cameras[side].intrinsics[k];
    }
  }
  const auto pose_error = [&](const Pose& a, const Pose& b, int place) {
    const Eigen::AngleAxisd turn(a.R * b.R.transpose());
    error.segment<3>(place) = turn.angle() * turn.axis();
    error.segment<3>(place + 3) = a.t - b.t;
  };
  pose_error(estimate.right_from_left, truth.right_from_left, 18);
  pose_error(estimate.views.back().board_from_left, truth.views.back().board_from_left, 24);
  return error;
}

// Source of truth: the spread over re-solves with fresh noise of 0.1 px. The standard deviation of
// 60 draws is itself known to 1/sqrt(2 60) = 9.1 %; over 30 parameters four times that must hold
// each. The squared Mahalanobis distance, which also tests every correlation, averages 30 with a
// standard error of sqrt(2 30 / 60) = 1; again four of these.
TEST(BundleCovariance, PredictsTheSpreadOverNoisyResolves) {
  constexpr int kDraws = 60;
  constexpr double kNoisePx = 0.1;
  const StereoBundle truth = SyntheticBundle(10, 21);
  const int surface = static_cast<int>(truth.views.size()) - 1;
  const CalibrationCovariance covariance = BundleCovariance(truth, surface, kNoisePx);
  const auto factor = covariance.ldlt();
  CalibrationVector sum_of_squares = CalibrationVector::Zero();
  double mahalanobis = 0.0;
  for (int draw = 0; draw < kDraws; ++draw) {
    StereoBundle noisy = truth;
    AddNoise(&noisy, kNoisePx, static_cast<std::uint32_t>(1000 + draw));
    ASSERT_TRUE(AdjustBundle(&noisy, {.num_threads = 2}).converged);
    const CalibrationVector error = Error(noisy, truth);
    sum_of_squares += error.cwiseAbs2();
    mahalanobis += error.dot(factor.solve(error)) / kDraws;
  }
  for (int k = 0; k < kNumCalibrationParameters; ++k) {
    const double ratio = std::sqrt(sum_of_squares[k] / kDraws / covariance(k, k));
    EXPECT_NEAR(ratio, 1.0, 4.0 * 0.091) << "parameter " << k;
  }
  EXPECT_NEAR(mahalanobis, 30.0, 4.0);
}

}  // namespace
}  // namespace percuss::calibration
