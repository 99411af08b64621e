// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/calibration/synthetic_rig.h"

namespace percuss::calibration {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

StereoCalibration Good() {
  StereoCalibration calibration;
  calibration.left.intrinsics[0] = calibration.left.intrinsics[1] = 1000.0;
  calibration.right.intrinsics[0] = calibration.right.intrinsics[1] = 1100.0;
  calibration.right_from_left.t = {-0.3, 0.0, 0.0};
  calibration.covariance.diagonal().setConstant(1e-8);
  calibration.rms_px = 0.2;
  calibration.rms_px_heldout = 0.21;
  calibration.num_corners = 2000;
  calibration.quality = {.num_views = 19,
                         .num_rejected_corners = 4,
                         .coverage_left = 0.9,
                         .coverage_right = 0.8,
                         .tilt_range_deg = 50.0};
  return calibration;
}

TEST(Judge, FindsNothingWrongWithAGoodCalibration) {
  StereoCalibration calibration = Good();
  calibration.verdict_reasons = {"of an earlier call"};
  Judge(&calibration);
  EXPECT_EQ(calibration.verdict, "ok");
  EXPECT_TRUE(calibration.verdict_reasons.empty());
}

// One thing wrong at a time, each with its number and what to do.
TEST(Judge, NamesWhatIsPoor) {
  const auto reasons = [](auto spoil) {
    StereoCalibration calibration = Good();
    spoil(calibration);
    Judge(&calibration);
    EXPECT_EQ(calibration.verdict, "poor");
    return calibration.verdict_reasons;
  };
  using Calibration = StereoCalibration;
  EXPECT_THAT(reasons([](Calibration& c) { c.rms_px = c.rms_px_heldout = 0.9; }),
              ElementsAre(HasSubstr("rms 0.90 px is above 0.5 px")));
  EXPECT_THAT(reasons([](Calibration& c) { c.rms_px_heldout = 0.4; }),
              ElementsAre(HasSubstr("2.0 times the rms of the fit")));
  EXPECT_THAT(reasons([](Calibration& c) { c.quality.num_views = 4; }),
              ElementsAre(HasSubstr("4 views")));
  EXPECT_THAT(reasons([](Calibration& c) { c.quality.tilt_range_deg = 12.0; }),
              ElementsAre(HasSubstr("at most 12 deg")));
  EXPECT_THAT(reasons([](Calibration& c) { c.quality.coverage_right = 0.25; }),
              ElementsAre(HasSubstr("25 % of the right image")));
  EXPECT_THAT(reasons([](Calibration& c) { c.covariance(9, 9) = 11.0 * 11.0; }),
              ElementsAre(HasSubstr("right focal length fx is known to 1 % only")));
  EXPECT_THAT(reasons([](Calibration& c) { c.covariance(21, 21) = 0.003 * 0.003; }),
              ElementsAre(HasSubstr("distance between the cameras is known to 1 % only")));
  EXPECT_THAT(reasons([](Calibration& c) { c.quality.num_rejected_corners = 200; }),
              ElementsAre(HasSubstr("200 of 2200 corners")));
}

TEST(Judge, NanIsPoor) {
  StereoCalibration calibration = Good();
  calibration.rms_px = std::numeric_limits<double>::quiet_NaN();
  calibration.rms_px_heldout = calibration.rms_px;
  Judge(&calibration);
  EXPECT_EQ(calibration.verdict, "poor");
}

// Source of truth: counted by hand. Corners in 2 of 24 cells; normals 40 deg apart.
TEST(CoverageAndTilt, AreWhatTheViewsShow) {
  StereoBundle bundle = SyntheticBundle(2, 3);
  bundle.views[0].board_from_left.R.setIdentity();
  bundle.views[1].board_from_left.R = RotationFromVector({0.0, 40.0 / 180.0 * M_PI, 0.0});
  for (StereoView& view : bundle.views) {
    std::fill(view.images[1].pixels.begin(), view.images[1].pixels.end(), Eigen::Vector2d(5, 5));
  }
  bundle.views[1].images[1].pixels[7] = {1279.0, 719.0};
  EXPECT_DOUBLE_EQ(Coverage(bundle, 1), 2.0 / 24.0);
  bundle.views[1].images[1].used[7] = 0;
  EXPECT_DOUBLE_EQ(Coverage(bundle, 1), 1.0 / 24.0);
  EXPECT_NEAR(TiltRange(bundle), 40.0, 1e-9);
}

// By hand: the baseline points along x, so that only the x entry counts.
TEST(BaselineSigma, TakesTheShareAlongTheBaseline) {
  StereoCalibration calibration = Good();
  calibration.covariance(21, 21) = 4e-8;
  calibration.covariance(22, 22) = 9.0;
  EXPECT_NEAR(BaselineSigma(calibration), 2e-4, 1e-12);
}

}  // namespace
}  // namespace percuss::calibration
