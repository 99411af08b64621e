// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Truth: simulated flights under a known gravity, seen with sigmas that are known.

#include "tracking/trial_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "tests/tracking/arcs/simulated_impact.h"
#include "tests/tracking/arcs/synthetic_trial.h"

namespace percuss::tracking {
namespace {

using ::testing::HasSubstr;

ImpactFit FitOf(const SyntheticTrial& trial, const std::vector<TrackedFrame>& frames,
                const Eigen::Vector3d& gravity) {
  std::string reason;
  const auto guesses = FindImpacts(frames, FindFlightArcs(frames, gravity), trial.body.body.shape,
                                   gravity, {}, &reason);
  if (guesses.size() != 1) throw std::runtime_error(reason);
  return FitImpactArcs(frames, guesses[0], LayoutOf(trial), trial.body.body.inertia, gravity,
                       trial.calibration);
}

// Both flights of 40 simulated impacts, calibration drawn for each. Chi-square of 3 components has
// a mean of 3; the two flights of a trial share the calibration's errors, so that they count as one
// at worst: the mean of 40 scatters by sqrt(6 / 40).
TEST(GravityAudit, IsOffByWhatItsSigmasSay) {
  double sum = 0.0;
  int flights = 0, inside = 0;
  const Eigen::Vector3d truth(0, 0, -9.80665);
  for (unsigned seed = 0; seed < 40; ++seed) {
    const SimulatedImpact impact = SimulateImpact(seed, {});
    if (!impact.failure.empty()) continue;
    for (const ArcSummary& arc : impact.fit.arcs) {
      // Markers of too few frames say nothing, with sigmas that say so.
      if (arc.frames < 5) continue;
      const Eigen::Vector3d error = arc.gravity - truth;
      sum += error.dot(arc.gravity_covariance.ldlt().solve(error));
      inside += std::abs(error.z()) < 1.96 * std::sqrt(arc.gravity_covariance(2, 2));
      ++flights;
    }
  }
  ASSERT_GT(flights, 60);
  EXPECT_NEAR(sum / flights, 3.0, 4.0 * std::sqrt(6.0 / 40.0));
  EXPECT_NEAR(static_cast<double>(inside) / flights, 0.95, 4.0 * std::sqrt(0.95 * 0.05 / 40.0));
}

// 1 % in all lengths is 1 % in gravity: 0.1 m/s^2.
TEST(GravityAudit, ReportsAScaleThatIsOnePercentOff) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(94);
  const auto frames = MakeTrackedFrames(trial, 0.05, &random);
  const auto before = [&](const Eigen::Vector3d& gravity) {
    return GravityWarning(FitOf(trial, frames, gravity).arcs[0], "before", gravity);
  };
  EXPECT_EQ(before(trial.gravity), "");
  // Lengths that are all stated too large by 1 % make a fall of 1 % more.
  EXPECT_THAT(before(trial.gravity / 1.01), HasSubstr("check frame rate, board size"));
}

// 1 % in the frame rate is 2 % in gravity.
TEST(GravityAudit, ReportsAFrameRateThatIsOnePercentOff) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(94);
  auto frames = MakeTrackedFrames(trial, 0.05, &random);
  for (TrackedFrame& frame : frames) {
    frame.time *= 1.01;
    for (MarkerObservation& observation : frame.observations) observation.time *= 1.01;
  }
  const ImpactFit fit = FitOf(trial, frames, trial.gravity);
  EXPECT_NEAR(fit.arcs[0].gravity.z(), trial.gravity.z() / (1.01 * 1.01),
              4.0 * std::sqrt(fit.arcs[0].gravity_covariance(2, 2)));
  EXPECT_THAT(GravityWarning(fit.arcs[0], "before", trial.gravity),
              HasSubstr("check frame rate, board size"));
}

// sun2017 4.4.3: the pose does not change within an impact. A body that both cameras see one pixel
// to the right from the impact on has moved by what that pixel spans at its distance (to the side:
// a jump along the change of velocity is taken for another time of the impact).
TEST(PoseJump, IsNoticedWhereThePoseChanges) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(96);
  auto frames = MakeTrackedFrames(trial, 0.05, &random);
  const ImpactFit steady = FitOf(trial, frames, trial.gravity);
  EXPECT_TRUE(PoseContinues(steady.pose_jump));
  for (TrackedFrame& frame : frames) {
    if (frame.time < trial.impact_time) continue;
    for (MarkerObservation& observation : frame.observations) observation.pixel.x() += 1.0;
  }
  const ImpactFit jumped = FitOf(trial, frames, trial.gravity);
  EXPECT_FALSE(PoseContinues(jumped.pose_jump));
  const View view = ViewsOf(trial.calibration)[0];
  const double depth = (view.camera_from_world * steady.before.p_WB).z();
  const double span = depth / view.camera.intrinsics[0];  // fx
  EXPECT_NEAR(jumped.pose_jump.position.norm(), span, 0.3 * span);
  EXPECT_THAT(PoseJumpText(jumped.pose_jump), HasSubstr("the two flights are"));
}

TEST(MissingMarkers, AreNamedWhenHardlyEverSeen) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  const Views views = ViewsOf(trial.calibration);
  std::mt19937 random(95);
  const auto all = MakeTrackedFrames(trial, 0.05, &random);
  const auto warnings_with = [&](double seen_share) {
    auto frames = all;
    std::bernoulli_distribution hidden(1.0 - seen_share);
    for (TrackedFrame& frame : frames) {
      std::erase_if(frame.observations,
                    [&](const MarkerObservation& o) { return o.marker == 2 && hidden(random); });
    }
    return MissingMarkerWarnings(trial.body, LayoutOf(trial), views, frames);
  };
  EXPECT_TRUE(warnings_with(1.0).empty());
  EXPECT_TRUE(warnings_with(0.5).empty());
  const auto warnings = warnings_with(0.05);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("marker " + trial.body.markers[2].name + " was found in"));
}

}  // namespace
}  // namespace percuss::tracking
