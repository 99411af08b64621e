// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Differences of four samples where sightings have times of their own, and with one camera. Truth:
// known states; pixels come from OpenCV's projection (synthetic_trial.h).

#include <gmock/gmock.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <random>

#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/baselines/houbolt_states.h"
#include "tracking/baselines/marker_samples.h"
#include "tracking/trial.h"

namespace percuss::tracking {

using enum impacts::ImpactIndex;

namespace {

ImpactFit FitWithTrueTime(const SyntheticTrial& trial) {
  ImpactFit fit;
  fit.usable = true;
  fit.time = trial.impact_time;
  fit.arcs[0].first_frame = 13;
  fit.arcs[1].last_frame = 59;
  return fit;
}

SideSamples SampleSide(const SyntheticTrial& trial, const std::vector<TrackedFrame>& frames,
                       bool before) {
  const auto samples = SampleMarkers(frames, before, LayoutOf(trial), ViewsOf(trial.calibration),
                                     {.impact_time = trial.impact_time, .left_frames = {13, 59}});
  EXPECT_TRUE(samples);
  return samples.value_or(SideSamples{});
}

HouboltStates HouboltOf(const SyntheticTrial& trial, const std::vector<TrackedFrame>& frames) {
  return EstimateHouboltStates(frames, FitWithTrueTime(trial), LayoutOf(trial),
                               ViewsOf(trial.calibration), trial.gravity);
}

/// before and the impact in frames: free-running cameras, rolling shutters, both; one camera with a
/// rolling shutter that reads for nine tenths of a frame.
std::vector<SyntheticTrial> TrialsWithTimes() {
  SyntheticTrial free = MakeSyntheticTrial(), rolling = free, both = free;
  SyntheticTrial planar = MakePlanarTrial();
  free.right_offset = 0.4 / free.frame_rate;
  both.right_offset = -0.3 / both.frame_rate;
  for (SyntheticTrial* trial : {&rolling, &both, &planar})
    trial->line_time = 0.9 / (trial->frame_rate * 720.0);
  return {free, rolling, both, planar};
}

/// v and w less the truth at the last sample: (4.24) takes v to the middle of the gap.
Eigen::Matrix<double, 6, 1> Error(const SyntheticTrial& trial, const SideSamples& samples,
                                  const SideStates& states, bool before) {
  const double side = before ? 1.0 : -1.0;
  // The state after the impact is that of a flight which starts there.
  const solver::FlightState<double> truth =
      trial.StateAt(trial.impact_time - side * std::max(samples.last, 1e-12));
  Eigen::Matrix<double, 6, 1> error;
  error << states.v - side * samples.half_frame * trial.gravity - truth.v, states.w - truth.w;
  return error;
}

// The centre of a disc's image is up to a^2 / Z = 16 um from the image of its centre: beside it
// the cubic errs by nothing, 9/384 of (spin / frame rate)^4 of the marker's distance.
TEST(SampleMarkers, TakesSightingsToCommonTimes) {
  std::mt19937 random(151);
  for (const SyntheticTrial& trial : TrialsWithTimes()) {
    const auto frames = MakeTrackedFrames(trial, 1e-6, &random);
    const MarkerLayout layout = LayoutOf(trial);
    for (const bool before : {true, false}) {
      const SideSamples samples = SampleSide(trial, frames, before);
      EXPECT_NEAR(samples.step, 1.0 / trial.frame_rate, 1e-12);
      EXPECT_LT(samples.last, 2.0 * samples.step);
      ASSERT_EQ(samples.markers.size(), layout.p_BM.size());
      for (std::size_t m = 0; m < samples.markers.size(); ++m) {
        ASSERT_TRUE(samples.markers[m]) << m;
        for (int k = 0; k < kSamples; ++k) {
          const double from_impact = samples.last + (kSamples - 1 - k) * samples.step;
          const auto truth = trial.StateAt(trial.impact_time + (before ? -1 : 1) * from_impact);
          EXPECT_LT((samples.markers[m]->p_W[k] - truth.q_WB * layout.p_BM[m] - truth.p_WB).norm(),
                    20e-6);
        }
      }
    }
  }
}

// As with sightings at the times of their frames, v is that at the sample and half a frame of
// gravity. The shift of the discs' centres turns with the body: 0.1 mm/s.
TEST(EstimateHouboltStates, KnowsTheTimesOfTheSightings) {
  std::mt19937 random(152);
  for (const SyntheticTrial& trial : TrialsWithTimes()) {
    const auto frames = MakeTrackedFrames(trial, 1e-6, &random);
    const HouboltStates states = HouboltOf(trial, frames);
    ASSERT_TRUE(states.usable) << states.reason;
    const double step = 1.0 / trial.frame_rate;
    for (const bool before : {true, false}) {
      const SideSamples samples = SampleSide(trial, frames, before);
      const auto error = Error(trial, samples, before ? states.before : states.after, before);
      EXPECT_LT(error.head<3>().norm(), 2e-4);
      // A cubic through Euler angles: step^3 / 4 of their fourth derivative, of the order |w|^4.
      const double spin = trial.w_post.norm();
      EXPECT_LT(error.tail<3>().norm(), std::pow(spin * step, 3.0) * spin);
      // The impact is at most half a frame from where it is taken to be.
      EXPECT_LE(std::abs(samples.half_frame - samples.last), 0.5 * step);
    }
  }
}

// The squared Mahalanobis length of the errors is chi-square with 6 degrees of freedom, 3 in a
// plane. Samples at neighbouring times share sightings; taken as independent, 3 to 4 instead of 6.
TEST(EstimateHouboltStates, StatedCovarianceHoldsWithInterpolatedTimes) {
  std::mt19937 random(153);
  std::vector<SyntheticTrial> trials = TrialsWithTimes();
  trials.push_back(MakePlanarTrial());
  constexpr int kDraws = 60;
  for (std::size_t t = 0; t < trials.size(); ++t) {
    const SyntheticTrial& trial = trials[t];
    const std::vector<int> free =
        trial.planar ? std::vector<int>{0, 2, 4} : std::vector<int>{0, 1, 2, 3, 4, 5};
    const double n = static_cast<double>(free.size());
    double before = 0.0, after = 0.0;
    for (int draw = 0; draw < kDraws; ++draw) {
      const auto frames = MakeTrackedFrames(trial, 0.05, &random);
      const HouboltStates states = HouboltOf(trial, frames);
      ASSERT_TRUE(states.usable) << states.reason;
      const auto square = [&](const SideStates& side, bool is_before) {
        const auto samples = SampleSide(trial, frames, is_before);
        const Eigen::VectorXd error = Error(trial, samples, side, is_before)(free);
        return error.dot(Eigen::MatrixXd(side.covariance(free, free)).ldlt().solve(error));
      };
      before += square(states.before, true) / kDraws;
      after += square(states.after, false) / kDraws;
    }
    EXPECT_NEAR(before, n, 4.0 * std::sqrt(2.0 * n / kDraws)) << t;
    EXPECT_NEAR(after, n, 4.0 * std::sqrt(2.0 * n / kDraws)) << t;
  }
}

// The frame next to the impact was lost: frame 35 is 12.4 ms before the impact, the first one after
// it at 4.2 ms beyond.
TEST(SampleMarkers, KnowsTheMiddleOfTheGap) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(156);
  auto frames = MakeTrackedFrames(trial, 0.05, &random);
  frames[36].observations.clear();
  const SideSamples before = SampleSide(trial, frames, true);
  EXPECT_NEAR(before.last, trial.impact_time - 35.0 / 120.0, 1e-12);
  EXPECT_NEAR(before.half_frame, 1.0 / 120.0, 1e-12);
  frames[35].observations.clear();
  EXPECT_FALSE(SampleMarkers(frames, true, LayoutOf(trial), ViewsOf(trial.calibration),
                             {.impact_time = trial.impact_time, .left_frames = {13, 59}}));
}

TEST(EstimateHouboltStates, TakesTheTwoMarkersFarthestApartInAPlane) {
  const SyntheticTrial trial = MakePlanarTrial();
  std::mt19937 random(154);
  auto frames = MakeTrackedFrames(trial, 0.05, &random);
  EXPECT_THAT(HouboltOf(trial, frames).markers, testing::ElementsAre(0, 3));
  const HouboltStates states = HouboltOf(trial, frames);
  for (const int out : {1, 3, 5}) {
    EXPECT_EQ(states.before.covariance.row(out).norm(), 0.0);
    EXPECT_EQ(states.after.covariance.col(out).norm(), 0.0);
  }
  EXPECT_EQ(states.before.v.y(), 0.0);
  std::erase_if(frames[39].observations, [](const MarkerObservation& o) { return o.marker == 3; });
  EXPECT_THAT(HouboltOf(trial, frames).markers, testing::ElementsAre(0, 2));
  for (TrackedFrame& frame : frames)
    std::erase_if(frame.observations, [](const MarkerObservation& o) { return o.marker != 1; });
  EXPECT_THAT(HouboltOf(trial, frames).reason,
              testing::HasSubstr("no two markers are seen in all"));
}

// What a user meets: the record of a trial with one camera.
TEST(ReplaceStates, AnswersHouboltInAPlane) {
  const SyntheticTrial trial = MakePlanarTrial();
  std::mt19937 random(155);
  const auto frames = MakeTrackedFrames(trial, 0.05, &random);
  TrialImpact impact;
  impact.fit = FitWithTrueTime(trial);
  impact.record.gravity = trial.gravity;
  TrialOptions options;
  options.states = StateMethod::kHoubolt;
  EXPECT_EQ(ReplaceStates(frames, LayoutOf(trial), ViewsOf(trial.calibration),
                          trial.body.body.inertia, options, &impact),
            "");
  const double sigma = std::sqrt((*impact.record.covariance)(kW + 1, kW + 1));
  EXPECT_NEAR(impact.record.w.y(), trial.before.w.y(), 4.0 * sigma);
  EXPECT_LT(sigma, 1.0);
}

}  // namespace
}  // namespace percuss::tracking
