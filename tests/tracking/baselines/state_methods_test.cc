// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <random>

#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/baselines/houbolt_states.h"
#include "tracking/baselines/rts_states.h"
#include "tracking/trial.h"

namespace percuss::tracking {

using enum impacts::ImpactIndex;

namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
constexpr double kNoisePx = 0.05;

/// What the fit of the arcs says of the flights, with the true time of the impact: released at
/// frame 11.96, impact at frame 36.49.
ImpactFit TrueFit(const SyntheticTrial& trial) {
  ImpactFit fit;
  fit.usable = true;
  fit.time = trial.impact_time;
  fit.arcs[0].first_frame = 13;
  fit.arcs[0].last_frame = 36;
  fit.arcs[1].first_frame = 37;
  fit.arcs[1].last_frame = 59;
  return fit;
}

HouboltStates Houbolt(const SyntheticTrial& trial, const std::vector<TrackedFrame>& frames) {
  return EstimateHouboltStates(frames, TrueFit(trial), LayoutOf(trial.body),
                               ViewsOf(trial.calibration), trial.gravity);
}

RtsStates Rts(const SyntheticTrial& trial, const std::vector<TrackedFrame>& frames,
              const RtsOptions& options = {}) {
  return EstimateRtsStates(frames, TrueFit(trial), LayoutOf(trial.body), ViewsOf(trial.calibration),
                           trial.body.body.inertia, trial.gravity, options);
}

Vector6 Stacked(const Eigen::Vector3d& v, const Eigen::Vector3d& w) {
  Vector6 stacked;
  stacked << v, w;
  return stacked;
}

Vector6 ErrorBefore(const SideStates& states, const SyntheticTrial& trial) {
  return Stacked(states.v - trial.before.v, states.w - trial.before.w);
}

Vector6 ErrorAfter(const SideStates& states, const SyntheticTrial& trial) {
  return Stacked(states.v - trial.v_post, states.w - trial.w_post);
}

double Square(const Vector6& error, const SideStates& states) {
  return error.dot(states.covariance.ldlt().solve(error));
}

/// Markers whose name is in `names` are not seen by the right camera in left frame `frame`.
void Hide(const std::vector<int>& markers, int frame, std::vector<TrackedFrame>* frames) {
  auto& observations = (*frames)[static_cast<std::size_t>(frame)].observations;
  std::erase_if(observations, [&](const MarkerObservation& o) {
    return o.side == 1 && std::find(markers.begin(), markers.end(), o.marker) != markers.end();
  });
}

TEST(StateMethod, NamesGoBothWays) {
  for (const StateMethod method : kStateMethods)
    EXPECT_EQ(FindStateMethod(StateMethodName(method)), method);
  EXPECT_THROW(FindStateMethod("spline"), std::invalid_argument);
}

// Truth: known states. With exact pixels the parabola of the mass centre is differenced without
// error, and what is left of v is the half frame of (4.24): the impact is 4.1 ms after frame 36,
// half a frame 4.17 ms. (The centre of a disc's image is up to a^2 / Z = 16 um from the image of
// its centre, which turns with the body at 6.6 rad/s: 0.1 mm/s.) w is that of the frames beside the
// impact, up to half a frame away: it differs by the spin's own rate of change, of the order |w|^2.
TEST(EstimateHouboltStates, ErrsByTheHalfFrameAlone) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(91);
  const HouboltStates states = Houbolt(trial, MakeTrackedFrames(trial, 1e-6, &random));
  ASSERT_TRUE(states.usable) << states.reason;
  const double half = 0.5 / trial.frame_rate;
  const double before = trial.impact_time - 36 / trial.frame_rate,
               after = 37 / trial.frame_rate - trial.impact_time;
  EXPECT_LT((states.before.v - trial.before.v - (half - before) * trial.gravity).norm(), 1e-4);
  EXPECT_LT((states.after.v - trial.v_post + (half - after) * trial.gravity).norm(), 1e-4);
  EXPECT_LT((states.before.w - trial.before.w).norm(), half * trial.before.w.squaredNorm());
  EXPECT_LT((states.after.w - trial.w_post).norm(), half * trial.w_post.squaredNorm());
}

// The squared Mahalanobis length of the six errors is chi-square: mean 6, variance 12.
TEST(EstimateHouboltStates, StatedCovarianceMatchesTheSpreadOverDraws) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(92);
  constexpr int kDraws = 40;
  double before = 0.0, after = 0.0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const HouboltStates states = Houbolt(trial, MakeTrackedFrames(trial, kNoisePx, &random));
    ASSERT_TRUE(states.usable) << states.reason;
    before += Square(ErrorBefore(states.before, trial), states.before) / kDraws;
    after += Square(ErrorAfter(states.after, trial), states.after) / kDraws;
  }
  EXPECT_NEAR(before, 6.0, 4.0 * std::sqrt(12.0 / kDraws));
  EXPECT_NEAR(after, 6.0, 4.0 * std::sqrt(12.0 / kDraws));
}

TEST(EstimateHouboltStates, TakesMarkersThatAreSeenInAllEightFrames) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(93);
  std::vector<TrackedFrame> frames = MakeTrackedFrames(trial, kNoisePx, &random);
  EXPECT_THAT(Houbolt(trial, frames).markers, testing::ElementsAre(0, 4, 5));
  Hide({4}, 39, &frames);
  EXPECT_THAT(Houbolt(trial, frames).markers, testing::Not(testing::Contains(4)));
  Hide({0, 1, 2}, 34, &frames);
  const HouboltStates states = Houbolt(trial, frames);
  EXPECT_FALSE(states.usable);
  EXPECT_THAT(states.reason, testing::HasSubstr("no three markers off one line"));
  EXPECT_THAT(states.reason, testing::HasSubstr("left frames 33 to 36 and 37 to 40"));
}

TEST(EstimateHouboltStates, RefusesMarkersOnOneLine) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(94);
  std::vector<TrackedFrame> frames = MakeTrackedFrames(trial, kNoisePx, &random);
  // A1, A3 and A5 are within 2.5 mm of a line 24 cm long.
  for (int k = 0; k < trial.num_frames; ++k) Hide({1, 3, 5}, k, &frames);
  EXPECT_THAT(Houbolt(trial, frames).reason, testing::HasSubstr("off one line"));
}

TEST(EstimateHouboltStates, NamesTheSingularityOfTheEulerAngles) {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.before.q_WB = Eigen::Quaterniond::Identity();  // the marked face lies flat
  trial.before.w = trial.w_post = Eigen::Vector3d(0.1, 0.2, 0.3);
  std::mt19937 random(95);
  const HouboltStates states = Houbolt(trial, MakeTrackedFrames(trial, kNoisePx, &random));
  EXPECT_FALSE(states.usable);
  EXPECT_THAT(states.reason, testing::HasSubstr("theta2 = +-90 degrees"));
}

TEST(EstimateHouboltStates, PassesOverFramesWhoseExposureHoldsTheImpact) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(96);
  std::vector<TrackedFrame> frames = MakeTrackedFrames(trial, kNoisePx, &random);
  for (const int k : {36, 37}) Hide({0, 1, 2, 3, 4, 5}, k, &frames);
  EXPECT_FALSE(Houbolt(trial, frames).usable);
  HouboltOptions options;
  options.exposure = 1.0 / trial.frame_rate;
  EXPECT_TRUE(EstimateHouboltStates(frames, TrueFit(trial), LayoutOf(trial.body),
                                    ViewsOf(trial.calibration), trial.gravity, options)
                  .usable);
}

// Without process noise the smoothed states are one flight: flown to any other frame, each is the
// state there, with the covariance there.
TEST(SmoothFlight, IsOneFlightWithoutProcessNoise) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(97);
  RtsOptions options;
  options.acceleration_noise = options.angular_acceleration_noise = 0.0;
  const RtsStates states = Rts(trial, MakeTrackedFrames(trial, kNoisePx, &random), options);
  ASSERT_TRUE(states.usable) << states.reason;
  const std::vector<FlightEstimate>& estimates = states.flight_after.estimates;
  ASSERT_EQ(estimates.size(), 23u);
  const FlightEstimate& last = estimates.back();
  for (std::size_t k = 0; k < estimates.size(); k += 5) {
    const FlightEstimate flown =
        Fly(estimates[k], last.time, trial.body.body.inertia, trial.gravity, options.Noise());
    const FlightCovariance scale =
        last.covariance.diagonal().cwiseSqrt() * last.covariance.diagonal().cwiseSqrt().transpose();
    EXPECT_LT((flown.covariance - last.covariance).cwiseQuotient(scale).cwiseAbs().maxCoeff(),
              1e-4);
    const Vector6 sigma = last.covariance.diagonal().tail<6>().cwiseSqrt();
    EXPECT_LT(Stacked(flown.state.v - last.state.v, flown.state.w - last.state.w)
                  .cwiseQuotient(sigma)
                  .cwiseAbs()
                  .maxCoeff(),
              1e-3);
  }
}

// Truth: known states, pixels exact to 1e-6 px: the same tolerance as the fit of the arcs.
TEST(EstimateRtsStates, RecoversExactStatesFromExactPixels) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(98);
  RtsOptions options;
  options.acceleration_noise = options.angular_acceleration_noise = 0.0;
  const RtsStates states = Rts(trial, MakeTrackedFrames(trial, 1e-6, &random), options);
  ASSERT_TRUE(states.usable) << states.reason;
  EXPECT_LT(ErrorBefore(states.before, trial).head<3>().norm(), 1e-6);
  EXPECT_LT(ErrorAfter(states.after, trial).head<3>().norm(), 1e-6);
  EXPECT_LT(ErrorBefore(states.before, trial).tail<3>().norm(), 1e-5);
  EXPECT_LT(ErrorAfter(states.after, trial).tail<3>().norm(), 1e-5);
}

// Truth: known states, noise of known size, an exactly ballistic flight (so no process noise). The
// squared Mahalanobis length is chi-square with 6 degrees of freedom. Normalised innovations: their
// mean over all flights has sigma sqrt(2 / coordinates), and the stated interval of one flight
// holds it in 95 of 100.
TEST(EstimateRtsStates, ErrorsAndInnovationsAreAsStated) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(99);
  RtsOptions options;
  options.acceleration_noise = options.angular_acceleration_noise = 0.0;
  constexpr int kDraws = 30;
  double before = 0.0, after = 0.0, innovations = 0.0, count = 0.0;
  int inside = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const RtsStates states = Rts(trial, MakeTrackedFrames(trial, kNoisePx, &random), options);
    ASSERT_TRUE(states.usable) << states.reason;
    before += Square(ErrorBefore(states.before, trial), states.before) / kDraws;
    after += Square(ErrorAfter(states.after, trial), states.after) / kDraws;
    for (const SmoothedFlight* flight : {&states.flight_before, &states.flight_after}) {
      const Innovations& nis = flight->innovations;
      innovations += nis.mean_square * nis.count;
      count += nis.count;
      inside += nis.low < nis.mean_square && nis.mean_square < nis.high;
    }
  }
  EXPECT_NEAR(before, 6.0, 4.0 * std::sqrt(12.0 / kDraws));
  EXPECT_NEAR(after, 6.0, 4.0 * std::sqrt(12.0 / kDraws));
  EXPECT_NEAR(innovations / count, 1.0, 4.0 * std::sqrt(2.0 / count));
  EXPECT_GE(inside, 50);  // of 60; 57 expected, sigma 1.7
}

// The default process noise makes the stated sigmas wider, never too narrow.
TEST(EstimateRtsStates, ProcessNoiseWidensTheSigmas) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(100);
  const auto frames = MakeTrackedFrames(trial, kNoisePx, &random);
  RtsOptions none, large;
  none.acceleration_noise = none.angular_acceleration_noise = 0.0;
  large.acceleration_noise = 0.1;
  large.angular_acceleration_noise = 1.0;
  const auto sigmas = [&](const RtsOptions& options) {
    return Vector6(Rts(trial, frames, options).before.covariance.diagonal().cwiseSqrt());
  };
  const Vector6 without = sigmas(none), usual = sigmas({}), with = sigmas(large);
  EXPECT_GT((usual - without).minCoeff(), 0.0);
  EXPECT_LT(usual.cwiseQuotient(without).maxCoeff(), 2.0);
  EXPECT_GT(with.cwiseQuotient(without).minCoeff(), 2.0);
}

TEST(EstimateRtsStates, InnovationsTellAWrongGravity) {
  SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(101);
  const auto frames = MakeTrackedFrames(trial, kNoisePx, &random);
  trial.gravity.z() += 0.5;
  const RtsStates states = Rts(trial, frames);
  EXPECT_GT(states.flight_before.innovations.mean_square, states.flight_before.innovations.high);
}

TEST(EstimateRtsStates, LeavesOutliersOut) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(102);
  auto frames = MakeTrackedFrames(trial, kNoisePx, &random);
  const RtsStates clean = Rts(trial, frames);
  for (std::size_t k = 13; k < frames.size(); k += 5)
    frames[k].observations[k % 12].pixel += Eigen::Vector2d(2.5, -1.5);
  const RtsStates soiled = Rts(trial, frames);
  EXPECT_EQ(soiled.flight_before.rejected + soiled.flight_after.rejected, 10);
  const Vector6 sigma = clean.before.covariance.diagonal().cwiseSqrt();
  EXPECT_LT(Vector6(ErrorBefore(soiled.before, trial) - ErrorBefore(clean.before, trial))
                .cwiseQuotient(sigma)
                .cwiseAbs()
                .maxCoeff(),
            1.5);
}

TEST(EstimateRtsStates, SaysThatAFlightIsTooShort) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(103);
  auto frames = MakeTrackedFrames(trial, kNoisePx, &random);
  for (std::size_t k = 40; k < frames.size(); ++k) frames[k].pose.found = false;
  EXPECT_EQ(Rts(trial, frames).reason,
            "flight after the impact: 3 frames with a pose, at least 4 needed");
}

TEST(EstimateRtsStates, SaysThatTheMarkersDoNotDetermineTheFlight) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(105);
  auto frames = MakeTrackedFrames(trial, kNoisePx, &random);
  for (TrackedFrame& frame : frames)  // one marker says nothing of the rotation
    std::erase_if(frame.observations, [](const MarkerObservation& o) { return o.marker != 2; });
  EXPECT_THAT(Rts(trial, frames).reason, testing::HasSubstr("do not determine the flight"));
  for (TrackedFrame& frame : frames) frame.observations.clear();
  EXPECT_THAT(Rts(trial, frames).reason, testing::HasSubstr("do not determine the flight"));
}

TEST(ReplaceStates, KeepsThePoseAndSaysTheNoiseOfThePixelsAlone) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(104);
  const auto frames = MakeTrackedFrames(trial, kNoisePx, &random);
  TrialImpact arcs;
  arcs.fit = TrueFit(trial);
  arcs.fit.noise_scale = 2.0;
  arcs.record.gravity = trial.gravity;
  arcs.record.v = trial.before.v;
  arcs.record.covariance = impacts::ImpactCovariance::Ones();
  arcs.record.calibration_sensitivity = Eigen::MatrixXd::Ones(impacts::kImpactDimension, 36);
  const auto replace = [&](StateMethod method, TrialImpact* impact) {
    TrialOptions options;
    options.states = method;
    return ReplaceStates(frames, LayoutOf(trial.body), ViewsOf(trial.calibration),
                         trial.body.body.inertia, options, impact);
  };

  TrialImpact same = arcs;
  EXPECT_EQ(replace(StateMethod::kArcs, &same), "");
  EXPECT_EQ(same.record.v, arcs.record.v);
  EXPECT_EQ(*same.record.covariance, *arcs.record.covariance);

  TrialImpact houbolt = arcs;
  EXPECT_EQ(replace(StateMethod::kHoubolt, &houbolt), "");
  const HouboltStates expected = Houbolt(trial, frames);
  EXPECT_EQ(houbolt.record.v, expected.before.v);
  EXPECT_EQ(houbolt.record.w_post, expected.after.w);
  const impacts::ImpactCovariance& covariance = *houbolt.record.covariance;
  EXPECT_EQ((covariance.topLeftCorner<6, 6>()),
            (impacts::ImpactCovariance::Ones().topLeftCorner<6, 6>()));
  EXPECT_EQ((covariance.block<6, 12>(0, kV).norm()), 0.0);
  EXPECT_EQ((covariance.block<6, 6>(kV, kVPost).norm()), 0.0);
  // Pixels twice as noisy as stated.
  EXPECT_LT((covariance.block<6, 6>(kVPost, kVPost) - 4.0 * expected.after.covariance).norm(),
            1e-9 * expected.after.covariance.norm());
  EXPECT_EQ(houbolt.record.calibration_sensitivity.topRows(6).minCoeff(), 1.0);
  EXPECT_EQ(houbolt.record.calibration_sensitivity.bottomRows(12).norm(), 0.0);
  EXPECT_FALSE(houbolt.rts.has_value());

  TrialImpact rts = arcs;
  EXPECT_EQ(replace(StateMethod::kRts, &rts), "");
  EXPECT_EQ(rts.record.v_post, rts.rts->after.v);
  EXPECT_LT((rts.record.v - trial.before.v).norm(), 2e-3);
  // Pixels whose errors frames share.
  TrialImpact shared = arcs;
  shared.fit.correlation_inflation = 3.0;
  EXPECT_EQ(replace(StateMethod::kRts, &shared), "");
  EXPECT_EQ(shared.record.v_post, rts.record.v_post);
  const impacts::ImpactCovariance wider = *shared.record.covariance - 3.0 * *rts.record.covariance;
  EXPECT_LT((wider.bottomRightCorner<12, 12>().norm()), 1e-12 * rts.record.covariance->norm());
}

}  // namespace
}  // namespace percuss::tracking
