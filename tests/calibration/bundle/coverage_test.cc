// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>

#include "tests/calibration/bundle/draws.h"

// Whether the stated errors of a calibration are those that it makes. Source of truth: the
// synthetic rigs, with fresh pixel noise of 0.1 px in each draw. Sampling takes some seconds.
//
// Sampling errors: the share of n draws whose 95 % interval holds the truth has the standard
// deviation sqrt(0.95 0.05 / n), that is 1.0 % for 500 and 2.0 % for 120 draws. A ratio of sigmas
// is known to 1/sqrt(2 n) = 3.2 % (6.5 %) where errors have one direction, less where they have
// more. Pooled over parameters or places that err together, both are known about twice as well;
// draws.cc takes their sampling errors from the scatter over the draws.
namespace percuss::calibration {
namespace {

// Every parameter within three, every place within four sampling errors of what it should be; and
// what rests on the prior of the lens may be too cautious, but not overconfident.
void ExpectHonest(const DrawSummary& summary) {
  EXPECT_EQ(summary.num_converged, summary.num_draws);
  const double share_sigma = std::sqrt(0.95 * 0.05 / summary.num_draws);
  for (const ParameterCoverage& parameter : summary.parameters) {
    EXPECT_NEAR(parameter.share, 0.95, 3.0 * share_sigma) << parameter.name;
  }
  for (const ParameterCoverage& parameter : summary.resting_on_prior) {
    EXPECT_GE(parameter.share, 0.95 - 3.0 * share_sigma) << parameter.name;
  }
  EXPECT_NEAR(summary.pooled_share, 0.95, 3.0 * summary.pooled_sampling_sigma);
  const auto expect_honest = [](const SigmaRatios& ratios, const char* what) {
    EXPECT_NEAR(ratios.pooled.ratio, 1.0, 0.1) << what;
    EXPECT_LT(ratios.WorstPlace(), 4.0) << what;
    EXPECT_LT(ratios.Overconfidence(), 4.0) << what;
  };
  ASSERT_EQ(summary.projection.size(), 2U);
  expect_honest(summary.projection[0], "pixels of the left camera");
  expect_honest(summary.projection[1], "pixels of the right camera");
  expect_honest(summary.point, "triangulated points");
}

TEST(Coverage, OfTheBrownModel) {
  const DrawSummary summary = DrawCalibrations(BrownRig(), {.num_draws = 500, .first_seed = 1});
  ExpectHonest(summary);
  EXPECT_EQ(summary.parameters.size(), 32U);  // k3 too: the corners tell it
  EXPECT_EQ(summary.projection[0].places.size(), 117U);
  EXPECT_GT(summary.point.places.size(), 100U);
  EXPECT_GT(summary.pooled_share, 0.94);
  EXPECT_LT(summary.pooled_share, 0.96);
  EXPECT_LT(summary.pooled_sampling_sigma, 0.0035);  // so that these bounds mean something
}

// Numerator and denominator nearly cancel, so that all six radial terms rest on the prior, and with
// them the corners of the images where no board was held. Nothing else may.
TEST(Coverage, OfTheRationalModel) {
  const DrawSummary summary =
      DrawCalibrations(RationalRig(), {.num_draws = 120, .first_seed = 1001});
  ExpectHonest(summary);
  EXPECT_EQ(summary.parameters.size(), 26U);
  EXPECT_EQ(summary.resting_on_prior.size(), 12U);
  EXPECT_GT(summary.projection[0].places.size(), 60U);
  EXPECT_GT(summary.projection[1].places.size(), 60U);
  EXPECT_GT(summary.point.places.size(), 100U);
}

TEST(Coverage, OfTheFisheyeModel) {
  const DrawSummary summary =
      DrawCalibrations(FisheyeRig(), {.num_draws = 120, .first_seed = 2001});
  ExpectHonest(summary);
  EXPECT_EQ(summary.parameters.size() + summary.resting_on_prior.size(), 30U);
  EXPECT_LE(summary.resting_on_prior.size(), 8U);  // the distortion coefficients
  EXPECT_GT(summary.projection[0].places.size(), 60U);
  EXPECT_GT(summary.projection[1].places.size(), 60U);
  EXPECT_GT(summary.point.places.size(), 100U);
}

// The scale of the board is one more parameter, which a rod of known length tells: its two ends in
// both images and its length scatter too.
TEST(Coverage, OfABoardOfUnknownScale) {
  const DrawSummary summary =
      DrawCalibrations(ScaledBoardRig(), {.num_draws = 120, .first_seed = 3001});
  ExpectHonest(summary);
  EXPECT_EQ(summary.parameters.size(), 33U);
}

// The world frame rests on one picture of each camera. Weighed like the sharp ones, their noise
// would be taken for a third of what it is, and the frame with it.
TEST(Coverage, OfABlurredSurfaceView) {
  Bundle rig = BrownRig();
  for (TargetImage& image : rig.views.back().images) image.relative_sigma = 3.0;
  rig.views.front().images[0].relative_sigma = 0.5;
  ExpectHonest(DrawCalibrations(rig, {.num_draws = 1000, .first_seed = 5001}));
}

}  // namespace
}  // namespace percuss::calibration
