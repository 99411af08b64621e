// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/diagnosis/free_surface.h"

#include <gmock/gmock.h>

#include <numbers>

#include "tests/pipeline/diagnosis/laboratory.h"

namespace percuss::pipeline {
namespace {

using Eigen::Vector3d;

/// The surface that the flights show where the pictures of the board are of one that leans by an
/// angle about an axis and lies elsewhere.
std::optional<FreeSurface> FindAgainst(double lean_deg, const Vector3d& axis,
                                       const Vector3d& shift) {
  const Laboratory laboratory;
  const capture::Experiment experiment = laboratory.ReadTyped({});
  Recordings recordings = laboratory.RecordingsOf(experiment);
  const Eigen::Matrix3d R =
      Eigen::AngleAxisd(lean_deg * std::numbers::pi / 180.0, axis.normalized()).matrix();
  return FindFreeSurface(
      experiment, WithWorldMoved(laboratory.CalibrationFor(experiment), R, shift), &recordings);
}

TEST(FreeSurface, IsWhereTheBodiesFallAsStatedAndTouch) {
  const auto surface = FindAgainst(4.0, {1.0, 2.0, 0.0}, {0.0, 0.0, 0.03});
  ASSERT_TRUE(surface.has_value());
  EXPECT_THAT(surface->judgement.complaints, ::testing::IsEmpty());
  // One flight of 0.2 s, seen to 0.1 mm, shows its acceleration to 0.1 % of gravity.
  EXPECT_NEAR(surface->turned_deg, 4.0, 0.2);
  // The pictures' surface lies 30 mm along its own normal from the bodies' one.
  EXPECT_NEAR(surface->shifted, 0.03, 0.004);
}

TEST(FreeSurface, IsNoOtherWhereThePicturesShowIt) {
  EXPECT_FALSE(FindAgainst(0.0, {1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}).has_value());
  // A turn about gravity, and a shift across it: nothing that falls shows them.
  EXPECT_FALSE(FindAgainst(20.0, {0.0, 0.0, 1.0}, {0.05, -0.02, 0.0}).has_value());
}

TEST(FreeSurface, IsNotFoundWhereNothingMoves) {
  const Laboratory laboratory;
  const capture::Experiment experiment = laboratory.ReadTyped({});
  Recordings recordings(1, tracking::Polarity::kBright);
  const calibration::RigCalibration calibration = laboratory.CalibrationFor(experiment);
  recordings.Insert(experiment, experiment.trials[0], tracking::ViewsOf(calibration), {});
  EXPECT_FALSE(FindFreeSurface(experiment, calibration, &recordings).has_value());
}

}  // namespace
}  // namespace percuss::pipeline
