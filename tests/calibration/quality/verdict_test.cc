// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/quality/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/calibration/bundle/synthetic_rig.h"

namespace percuss::calibration {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

RigCalibration Good() {
  RigCalibration calibration;
  Camera camera;
  camera.intrinsics = {1000.0, 1000.0};
  calibration.cameras = {{.name = "left", .camera = camera, .from_first = {}},
                         {.name = "right", .camera = camera, .from_first = {}}};
  calibration.cameras[1].from_first.t = {-0.3, 0.0, 0.0};
  calibration.covariance = 1e-8 * Eigen::MatrixXd::Identity(36, 36);
  calibration.rms_px = 0.2;
  calibration.num_corners = 2000;
  calibration.quality = {.num_views = 19,
                         .num_rejected_corners = 4,
                         .coverage = {0.9, 0.8},
                         .tilt_range_deg = 50.0,
                         .held_out = {.rms_px = 0.21}};
  return calibration;
}

TEST(Judge, FindsNothingWrongWithAGoodCalibration) {
  RigCalibration calibration = Good();
  calibration.verdict_reasons = {"of an earlier call"};
  Judge(&calibration);
  EXPECT_EQ(calibration.verdict, "ok");
  EXPECT_TRUE(calibration.verdict_reasons.empty());
}

// One thing wrong at a time, each with its number and what to do.
TEST(Judge, NamesWhatIsPoor) {
  const auto reasons = [](auto spoil) {
    RigCalibration calibration = Good();
    spoil(calibration);
    Judge(&calibration);
    EXPECT_EQ(calibration.verdict, "poor");
    return calibration.verdict_reasons;
  };
  using Calibration = RigCalibration;
  EXPECT_THAT(reasons([](Calibration& c) { c.rms_px = c.quality.held_out.rms_px = 0.9; }),
              ElementsAre(HasSubstr("rms 0.90 px is above 0.5 px")));
  EXPECT_THAT(reasons([](Calibration& c) { c.quality.held_out.rms_px = 0.4; }),
              ElementsAre(HasSubstr("2.0 times the rms of the fit")));
  EXPECT_THAT(reasons([](Calibration& c) { c.quality.num_views = 4; }),
              ElementsAre(HasSubstr("4 views")));
  EXPECT_THAT(reasons([](Calibration& c) { c.quality.tilt_range_deg = 12.0; }),
              ElementsAre(HasSubstr("at most 12 deg")));
  EXPECT_THAT(reasons([](Calibration& c) { c.quality.coverage[1] = 0.25; }),
              ElementsAre(HasSubstr("25 % of the right image")));
  EXPECT_THAT(reasons([](Calibration& c) { c.covariance(12, 12) = 10.0 * 10.0; }),
              ElementsAre(HasSubstr("right focal length fx is known to 1 % only")));
  EXPECT_THAT(
      reasons([](Calibration& c) { c.covariance(27, 27) = 0.003 * 0.003; }),
      ElementsAre(HasSubstr("distance between the left and the right camera is known to 1 %")));
  EXPECT_THAT(reasons([](Calibration& c) { c.quality.num_rejected_corners = 200; }),
              ElementsAre(HasSubstr("200 of 2200 corners")));
}

// The tests of quality beyond residuals, each with what to do.
TEST(Judge, NamesErrorsThatResidualsDoNotShow) {
  RigCalibration calibration = Good();
  CalibrationQuality& quality = calibration.quality;
  quality.pattern.image_rms_px = {0.02, 0.15};
  quality.half_split = {.difference_px = {}, .rms_px = 0.5, .predicted_rms_px = 0.1};
  quality.predicted = {.projection_sigma_px = {},
                       .point_sigma_median = 0.003,
                       .point_sigma_worst = 0.01,
                       .volume_lowest = {0.0, 0.0, 0.0},
                       .volume_highest = {1.0, 0.0, 0.0}};
  quality.next_view = {.text = "hold the board high", .sigma_ratio = 0.8};
  Judge(&calibration);
  EXPECT_THAT(calibration.verdict_reasons,
              ElementsAre(HasSubstr("residuals of 0.15 px follow the place in the image"),
                          HasSubstr("differ by 0.50 px, 5.0 times what corner noise explains"),
                          AllOf(HasSubstr("placed to 3 mm only (allowed 1 mm"),
                                HasSubstr("best next: hold the board high"))));
  quality = Good().quality;
  quality.half_split = {.difference_px = {}, .rms_px = 0.05, .predicted_rms_px = 0.01};
  Judge(&calibration);
  EXPECT_EQ(calibration.verdict, "ok");  // 0.05 px does not matter
}

TEST(Judge, NanIsPoor) {
  RigCalibration calibration = Good();
  calibration.rms_px = std::numeric_limits<double>::quiet_NaN();
  calibration.quality.held_out.rms_px = calibration.rms_px;
  Judge(&calibration);
  EXPECT_EQ(calibration.verdict, "poor");
}

// Source of truth: counted by hand. Corners in 2 of 24 cells; normals 40 deg apart.
TEST(CoverageAndTilt, AreWhatTheViewsShow) {
  Bundle bundle = SyntheticBundle(2, 3);
  bundle.views[0].board_from_first.R.setIdentity();
  bundle.views[1].board_from_first.R = RotationFromVector({0.0, 40.0 / 180.0 * M_PI, 0.0});
  for (TargetView& view : bundle.views) {
    std::fill(view.images[1].pixels.begin(), view.images[1].pixels.end(), Eigen::Vector2d(5, 5));
  }
  bundle.views[1].images[1].pixels[7] = {1279.0, 719.0};
  EXPECT_DOUBLE_EQ(MeasureQuality(bundle).coverage[1], 2.0 / 24.0);
  bundle.views[1].images[1].used[7] = 0;
  EXPECT_DOUBLE_EQ(MeasureQuality(bundle).coverage[1], 1.0 / 24.0);
  EXPECT_NEAR(TiltRange(bundle), 40.0, 1e-9);
}

// By hand: the baseline points along x, so that only the x entry counts.
TEST(BaselineSigma, TakesTheShareAlongTheBaseline) {
  RigCalibration calibration = Good();
  calibration.covariance(27, 27) = 4e-8;
  calibration.covariance(28, 28) = 9.0;
  EXPECT_NEAR(BaselineSigma(calibration, 1), 2e-4, 1e-12);
}

}  // namespace
}  // namespace percuss::calibration
