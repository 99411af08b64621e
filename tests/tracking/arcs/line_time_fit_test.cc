// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/arcs/line_time_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/tracking/arcs/synthetic_trial.h"

namespace percuss::tracking {
namespace {

LineTimes FitFrom(const SyntheticTrial& trial, const std::vector<TrackedFrame>& frames) {
  const auto flights = FindFlightArcs(frames, trial.gravity);
  std::string reason;
  const auto guesses =
      FindImpacts(frames, flights, trial.body.body.shape, trial.gravity, {}, &reason);
  EXPECT_EQ(guesses.size(), 1U) << reason;
  return FitLineTimes(frames, guesses, LayoutOf(trial.body), trial.body.body.inertia, trial.gravity,
                      trial.calibration, {.genlocked = true}, {}, {});
}

// Truth: pixels that two rolling shutters saw, each at its own time, in sightings that say that all
// were seen at the frame's time.
TEST(FitLineTimes, FindsShuttersThatNobodyStated) {
  constexpr int kDraws = 30;
  for (const double line_time : {0.0, 3e-6, 1.2e-5}) {
    SyntheticTrial trial = MakeSyntheticTrial();
    trial.line_time = line_time;
    std::mt19937 random(51);
    double sum = 0.0;
    for (int draw = 0; draw < kDraws; ++draw) {
      auto frames = MakeTrackedFrames(trial, 0.05, &random);
      for (TrackedFrame& frame : frames) {
        for (MarkerObservation& o : frame.observations) o.time = frame.time;
      }
      const LineTimes found = FitFrom(trial, frames);
      ASSERT_TRUE(found.found);
      for (int side = 0; side < 2; ++side) {
        EXPECT_NEAR(found.value[side], line_time, 2.4e-7) << side;  // 2 % of the slowest
        sum += std::pow((found.value[side] - line_time) / found.sigma[side], 2);
      }
    }
    // Both cameras see the same flights: at least as many degrees of freedom as draws.
    EXPECT_NEAR(sum / (2 * kDraws), 1.0, 4.0 * std::sqrt(2.0 / kDraws)) << line_time;
  }
}

TEST(FitLineTimes, TrialsCountByWhatTheyTell) {
  const std::vector<LineTimes> all = {{true, {1e-5, 2e-5}, {1e-7, 1e-7}},
                                      {false, {9e-5, 9e-5}, {0.0, 0.0}},
                                      {true, {4e-5, 2e-5}, {2e-7, 1e-7}}};
  const LineTimes mean = MeanOf(all);
  ASSERT_TRUE(mean.found);
  EXPECT_NEAR(mean.value[0], 1.6e-5, 1e-12);  // (4 x 1 + 1 x 4) / 5
  EXPECT_NEAR(mean.sigma[0], 1e-7 / std::sqrt(1.25), 1e-14);
  EXPECT_NEAR(mean.value[1], 2e-5, 1e-12);
  EXPECT_FALSE(MeanOf(std::span(all).subspan(1, 1)).found);
}

}  // namespace
}  // namespace percuss::tracking
