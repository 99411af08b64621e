// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/bundle_adjustment.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "calibration/cross_validation.h"
#include "calibration/initial_estimate.h"
#include "calibration/stereo_calibration.h"
#include "tests/calibration/synthetic_rig.h"

namespace percuss::calibration {
namespace {

// Source of truth: the synthetic rig. From OpenCV's start on exact pixels the joint adjustment must
// end at the truth, to what its stopping rule allows.
TEST(AdjustBundle, RecoversTheTruthFromExactPixels) {
  const StereoBundle truth = SyntheticBundle(10, 11);
  StereoBundle estimate = truth;
  EstimateStart(&estimate, 1);
  EXPECT_GT(ParameterError(estimate, truth).norm(), 1e-3);  // so that there is something to do
  const BundleSummary summary = AdjustBundle(&estimate);
  EXPECT_TRUE(summary.converged) << summary.message;
  const CalibrationVector error = ParameterError(estimate, truth);
  EXPECT_LT(error.head<4>().norm(), 1e-4);      // px
  EXPECT_LT(error.segment<5>(4).norm(), 1e-6);  // distortion
  EXPECT_LT(error.tail<12>().norm(), 1e-7);     // rad, m
}

TEST(AdjustBundle, HuberLossBearsWrongCorners) {
  const StereoBundle truth = SyntheticBundle(10, 12);
  StereoBundle clean = truth;
  AddNoise(&clean, 0.1, 5);
  StereoBundle spoilt = clean;
  spoilt.views[3].images[0].pixels[17] += Eigen::Vector2d(14.0, -9.0);
  spoilt.views[6].images[1].pixels[40] += Eigen::Vector2d(-6.0, 11.0);
  StereoBundle plain = spoilt;
  AdjustBundle(&spoilt, {.huber_px = 0.3});
  AdjustBundle(&plain);
  AdjustBundle(&clean);
  // Two of 1080 corners pull by no more than their Huber share; in least squares by far more.
  EXPECT_LT(std::abs(spoilt.cameras[0].intrinsics[0] - clean.cameras[0].intrinsics[0]), 0.3);
  EXPECT_GT(std::abs(plain.cameras[0].intrinsics[0] - clean.cameras[0].intrinsics[0]), 0.6);
}

TEST(AdjustBundle, KeepsK3AndCamerasWhereTold) {
  StereoBundle bundle = SyntheticBundle(6, 13);
  AddNoise(&bundle, 0.1, 6);
  bundle.free_k3 = false;
  StereoBundle k3_fixed = bundle;
  AdjustBundle(&k3_fixed);
  EXPECT_EQ(k3_fixed.cameras[0].intrinsics[8], bundle.cameras[0].intrinsics[8]);
  EXPECT_NE(k3_fixed.cameras[0].intrinsics[4], bundle.cameras[0].intrinsics[4]);
  StereoBundle poses = bundle;
  AdjustBundle(&poses, {.poses_only = true});
  EXPECT_EQ(poses.cameras[1].intrinsics, bundle.cameras[1].intrinsics);
  EXPECT_EQ(poses.right_from_left.t, bundle.right_from_left.t);
  EXPECT_NE(poses.views[0].board_from_left.t, bundle.views[0].board_from_left.t);
}

TEST(AdjustBundle, ThrowsForUsedCornersWithoutPixels) {
  StereoBundle bundle = SyntheticBundle(4, 14);
  bundle.views[2].images[1].pixels[5].x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(AdjustBundle(&bundle), std::invalid_argument);
  bundle.views[2].images[1].pixels.pop_back();
  EXPECT_THROW(AdjustBundle(&bundle), std::invalid_argument);
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
    ASSERT_TRUE(AdjustBundle(&noisy, {}).converged);
    const CalibrationVector error = ParameterError(noisy, truth);
    sum_of_squares += error.cwiseAbs2();
    mahalanobis += error.dot(factor.solve(error)) / kDraws;
  }
  for (int k = 0; k < kNumCalibrationParameters; ++k) {
    const double ratio = std::sqrt(sum_of_squares[k] / kDraws / covariance(k, k));
    EXPECT_NEAR(ratio, 1.0, 4.0 * 0.091) << "parameter " << k;
  }
  EXPECT_NEAR(mahalanobis, 30.0, 4.0);
}

// If k3 is fixed it has no spread, and the others have less than with k3 free.
TEST(BundleCovariance, FixedK3HasNoneAndOthersHaveLess) {
  StereoBundle bundle = SyntheticBundle(8, 15);
  const Eigen::MatrixXd free = BundleCovariance(bundle, 7, 0.1);
  bundle.free_k3 = false;
  const Eigen::MatrixXd fixed = BundleCovariance(bundle, 7, 0.1);
  ASSERT_EQ(free.rows(), kNumCalibrationParameters);
  ASSERT_EQ(fixed.rows(), kNumCalibrationParameters);
  EXPECT_EQ(fixed.row(8).norm(), 0.0);
  EXPECT_EQ(fixed.col(17).norm(), 0.0);
  EXPECT_GT(free(8, 8), 0.0);
  EXPECT_LT(fixed(5, 5), 0.5 * free(5, 5));
}

TEST(BundleCovariance, IsEmptyIfTheDataDetermineNothing) {
  StereoBundle bundle = SyntheticBundle(4, 16);
  for (StereoView& view : bundle.views) {
    for (CornerImage& image : view.images) {
      std::fill(image.used.begin() + 3, image.used.end(), static_cast<char>(0));
    }
  }
  EXPECT_EQ(BundleCovariance(bundle, 3, 0.1).size(), 0);
}

// Source of truth: noise of known size. Held-out errors of a sound model are as large as the noise
// (distance rms sigma sqrt 2), a little more for the parameters' own uncertainty, a little less for
// the six pose numbers that each view fits to itself.
TEST(CrossValidate, HeldOutErrorOfASoundModelIsTheNoise) {
  StereoBundle bundle = SyntheticBundle(12, 17);
  AddNoise(&bundle, 0.1, 8);
  AdjustBundle(&bundle);
  const HeldOutError error = CrossValidate(bundle, 5, 0.3, 2);
  EXPECT_NEAR(error.rms_px, 0.1414,
              0.006);  // 2 % of 1296 distances, and the share of the parameters
  EXPECT_NEAR(error.median_px, 0.1 * 1.1774, 0.008);
  EXPECT_NEAR(error.p90_px, 0.1 * 2.1460, 0.015);
  EXPECT_TRUE(std::isnan(CrossValidate(bundle, 0, 0.3, 1).rms_px));
}

}  // namespace
}  // namespace percuss::calibration
