// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/arcs/impact_arcs.h"

#include <gmock/gmock.h>

#include <numbers>
#include <random>

#include "tests/tracking/arcs/simulated_impact.h"
#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/arcs/clock_fit.h"
#include "tracking/contact_point.h"

namespace percuss::tracking {

using enum impacts::ImpactIndex;

namespace {

using ImpactError = Eigen::Matrix<double, impacts::kImpactDimension, 1>;

/// Estimate minus truth in the order of ImpactRecord's error vector.
ImpactError ErrorOf(const ImpactFit& fit, const SyntheticTrial& trial) {
  const solver::FlightState<double>& truth = trial.before;
  const Eigen::AngleAxisd turn(fit.before.q_WB * truth.q_WB.conjugate());
  ImpactError error;
  error << fit.before.p_WB - truth.p_WB, turn.angle() * turn.axis(), fit.before.v - truth.v,
      fit.before.w - truth.w, fit.v_post - trial.v_post, fit.w_post - trial.w_post;
  return error;
}

/// The right clock, which agreed with the left one at `agreed` [s], runs fast by `rate`.
void RunApart(double rate, double agreed, std::vector<TrackedFrame>* frames) {
  for (TrackedFrame& frame : *frames) {
    for (MarkerObservation& o : frame.observations)
      o.time += o.side == 1 ? rate * (o.time - agreed) : 0.0;
  }
}

struct Fitted {
  std::vector<FlightArc> arcs;
  std::string reason;
  ImpactFit fit;
};

Fitted FitTrial(const SyntheticTrial& trial, const std::vector<TrackedFrame>& frames,
                const calibration::RigCalibration& calibration, const ArcFitOptions& options = {}) {
  Fitted fitted;
  fitted.arcs = FindFlightArcs(frames, trial.gravity);
  const auto guesses =
      FindImpacts(frames, fitted.arcs, trial.body.body.shape, trial.gravity, {}, &fitted.reason);
  if (guesses.size() == 1) {
    fitted.fit = FitImpactArcs(frames, guesses[0], LayoutOf(trial.body), trial.body.body.inertia,
                               trial.gravity, calibration, options);
  }
  return fitted;
}

TEST(FindFlightArcs, CutsAtReleaseAndImpact) {
  const SyntheticTrial trial =
      MakeSyntheticTrial();  // release at frame 11.96, impact at frame 36.49
  std::mt19937 random(31);
  const auto arcs = FindFlightArcs(MakeTrackedFrames(trial, 0.05, &random), trial.gravity);
  ASSERT_EQ(arcs.size(), 2u);
  EXPECT_THAT(arcs[0].first, testing::AllOf(testing::Ge(10), testing::Le(13)));
  EXPECT_EQ(arcs[0].last, 36);
  EXPECT_EQ(arcs[1].first, 37);
  EXPECT_EQ(arcs[1].last, 59);
}

TEST(FindFlightArcs, FindsNoneInABodyAtRest) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(32);
  auto frames = MakeTrackedFrames(trial, 0.05, &random);
  for (TrackedFrame& frame : frames) frame.pose = frames[0].pose;
  EXPECT_TRUE(FindFlightArcs(frames, trial.gravity).empty());
  std::string reason;
  EXPECT_TRUE(FindImpacts(frames, {}, trial.body.body.shape, trial.gravity, {}, &reason).empty());
  EXPECT_EQ(reason, "no impact found: the body never flies freely");
}

TEST(FindImpacts, SaysThatTheVideoEndsBeforeTheImpact) {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.num_frames = 34;
  std::mt19937 random(33);
  const Fitted fitted = FitTrial(trial, MakeTrackedFrames(trial, 0.05, &random), trial.calibration);
  EXPECT_THAT(fitted.reason, testing::HasSubstr("only one free flight"));
}

TEST(FindImpacts, SaysThatTheVelocityChangedFarFromTheSurface) {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.before.p_WB.z() += 0.08;  // caught by a hand, not by the surface
  std::mt19937 random(34);
  const Fitted fitted = FitTrial(trial, MakeTrackedFrames(trial, 0.05, &random), trial.calibration);
  EXPECT_THAT(fitted.reason, testing::HasSubstr("the lowest point of the body is 80."));
}

// Truth: known states. With pixels exact to 1e-6 px the states must come back to what that means,
// and the impact time to far below a frame: nothing but the estimator stands between.
TEST(FitImpactArcs, RecoversExactStatesFromExactPixels) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(35);
  const Fitted fitted = FitTrial(trial, MakeTrackedFrames(trial, 1e-6, &random), trial.calibration);
  ASSERT_TRUE(fitted.fit.usable) << fitted.fit.reason << fitted.reason;
  EXPECT_NEAR(fitted.fit.time, trial.impact_time, 1e-7);
  EXPECT_LT(ErrorOf(fitted.fit, trial).segment<3>(kV).norm(), 1e-6);
  EXPECT_LT(ErrorOf(fitted.fit, trial).segment<3>(kVPost).norm(), 1e-6);
  EXPECT_LT(ErrorOf(fitted.fit, trial).segment<3>(kW).norm(), 1e-5);
  EXPECT_LT(ErrorOf(fitted.fit, trial).segment<3>(kWPost).norm(), 1e-5);
  // The two flights are consistent with the gravity they were made with.
  for (const ArcSummary& arc : fitted.fit.arcs)
    EXPECT_LT((arc.gravity - trial.gravity).norm(), 1e-4);
}

// In this drop at 60 frames per second the hand's last frames are taken for flight, which then
// misses the markers by 10 to 20 px. Any sigma would make that an answer.
TEST(FitImpactArcs, RefusesWhatDoesNotFallLikeABody) {
  const SimulatedImpact impact = SimulateImpact(121, {.calibration_errors = false});
  EXPECT_FALSE(impact.fit.usable);
  EXPECT_THAT(impact.failure, testing::HasSubstr("no free flight"));
}

// Truth: known states, pixel noise of known size. Each of the 18 errors over its sigma must be a
// standard normal. Over 80 draws the pooled mean square is 1 within 4 sqrt(2 / 80 / k), k about 8
// independent errors among the 18.
TEST(FitImpactArcs, StatedCovarianceMatchesTheSpreadOverDraws) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(36);
  constexpr int kDraws = 80;
  double sum = 0.0;
  int inside = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Fitted fitted =
        FitTrial(trial, MakeTrackedFrames(trial, 0.05, &random), trial.calibration);
    ASSERT_TRUE(fitted.fit.usable) << fitted.fit.reason << fitted.reason;
    // Some 800 coordinates, of which the fit takes 19: 2.5 % scatter.
    EXPECT_NEAR(PixelNoise(fitted.fit), 0.05, 4.0 * 0.025 * 0.05);
    const ImpactError error = ErrorOf(fitted.fit, trial);
    const ImpactError sigma = fitted.fit.covariance.diagonal().cwiseSqrt();
    sum += error.cwiseQuotient(sigma).squaredNorm();
    for (int i = kV; i < impacts::kImpactDimension; ++i)
      inside += std::abs(error[i]) < 1.96 * sigma[i];
  }
  const double mean_square = sum / (kDraws * impacts::kImpactDimension);
  EXPECT_NEAR(mean_square, 1.0, 4.0 * std::sqrt(2.0 / kDraws / 8.0));
  EXPECT_NEAR(inside / (12.0 * kDraws), 0.95, 0.03);
}

/// Adds what all markers of a view share: in x and in y a first-order autoregression.
void AddSharedOffsets(double sigma_px, double correlation_frames, std::mt19937* random,
                      std::vector<TrackedFrame>* frames) {
  std::normal_distribution<double> normal(0.0, sigma_px);
  const double keep = std::exp(-1.0 / correlation_frames);
  Eigen::Array4d offset = Eigen::Array4d::Zero();
  double fresh = 1.0;
  for (TrackedFrame& frame : *frames) {
    for (double& b : offset) b = keep * b + fresh * normal(*random);
    fresh = std::sqrt(1.0 - keep * keep);
    for (MarkerObservation& o : frame.observations)
      o.pixel += Eigen::Vector2d(offset[2 * o.side], offset[2 * o.side + 1]);
  }
}

// Truth: known states; a part of the errors of known size is shared by all markers of a view and
// lasts for ten frames. The stated covariance must hold it, as above; taken for noise of each
// marker by itself the mean square is beyond 2.
TEST(FitImpactArcs, StatedCovarianceHoldsErrorsThatMarkersShare) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(43);
  constexpr int kDraws = 40;
  double sum = 0.0, sum_alone = 0.0;
  for (int draw = 0; draw < kDraws; ++draw) {
    auto frames = MakeTrackedFrames(trial, 0.05, &random);
    AddSharedOffsets(0.04, 10.0, &random, &frames);
    for (const bool alone : {false, true}) {
      ArcFitOptions options;
      if (alone) options.shared_offsets = std::vector<SharedOffset>(2);
      const ImpactFit fit = FitTrial(trial, frames, trial.calibration, options).fit;
      ASSERT_TRUE(fit.usable) << fit.reason;
      (alone ? sum_alone : sum) += ErrorOf(fit, trial)
                                       .cwiseQuotient(fit.covariance.diagonal().cwiseSqrt())
                                       .tail<12>()
                                       .squaredNorm();
    }
  }
  EXPECT_NEAR(sum / kDraws / 12.0, 1.0, 4.0 * std::sqrt(2.0 / kDraws / 6.0));
  EXPECT_GT(sum_alone / kDraws / 12.0, 2.0);
}

// Truth: a calibration that is wrong by a known amount moves the states as the stated sensitivity
// says.
TEST(FitImpactArcs, CalibrationSensitivityPredictsTheShift) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(37);
  const auto frames = MakeTrackedFrames(trial, 0.02, &random);
  // Robust weights, and what looks like an error that markers share, would change with the shift;
  // the sensitivity is that of the fit at given weights.
  ArcFitOptions options;
  options.huber_sigmas = options.reject_sigmas = 1e6;
  const ImpactFit exact = FitTrial(trial, frames, trial.calibration, options).fit;
  ASSERT_TRUE(exact.usable);
  options.shared_offsets = exact.arcs_fitted.shared_offsets;
  const calibration::ParameterPlaces places{.num_cameras = 2};
  const int pose = places.CameraPose(1), world = places.World();
  for (const int parameter : {0, 2, places.Intrinsics(1), pose, pose + 3, world + 1, world + 5}) {
    Eigen::VectorXd delta = Eigen::VectorXd::Zero(calibration::NumRigParameters(2));
    delta[parameter] = parameter < pose ? 0.05 : 3e-5;
    const ImpactFit moved =
        FitTrial(trial, frames, calibration::Perturbed(trial.calibration, delta), options).fit;
    ASSERT_TRUE(moved.usable);
    const ImpactError shift = ErrorOf(moved, trial) - ErrorOf(exact, trial);
    const ImpactError predicted = exact.calibration_sensitivity * delta;
    // What is left is of second order in the shift.
    EXPECT_LT((shift - predicted).tail<12>().norm(), 0.02 * predicted.tail<12>().norm() + 1e-6)
        << parameter;
  }
}

TEST(FitImpactArcs, OutliersDoNotMoveTheStates) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(38);
  auto frames = MakeTrackedFrames(trial, 0.05, &random);
  const ImpactFit clean = FitTrial(trial, frames, trial.calibration).fit;
  for (std::size_t k = 14; k < frames.size(); k += 5)
    frames[k].observations[k % 12].pixel += Eigen::Vector2d(2.5, -1.5);
  const ImpactFit soiled = FitTrial(trial, frames, trial.calibration).fit;
  ASSERT_TRUE(soiled.usable);
  EXPECT_GT(soiled.rejected, 5);
  const ImpactError sigma = clean.covariance.diagonal().cwiseSqrt();
  EXPECT_LT((ErrorOf(soiled, trial) - ErrorOf(clean, trial))
                .cwiseQuotient(sigma)
                .tail<12>()
                .cwiseAbs()
                .maxCoeff(),
            1.5);
}

// Truth: the right camera exposes 0.37 frames later than its times say. Over 40 draws of 0.05 px
// noise (a frame is some 15 px of motion) the offset comes back within 0.002 frames, and its errors
// over their sigma are standard normal: their mean square is 1 within 4 sqrt(2 / 40).
TEST(FitImpactArcs, FindsTheOffsetOfTheRightClockWithItsSigma) {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.right_offset = 0.37 / trial.frame_rate;
  ArcFitOptions options;
  options.clock.exact = false;
  std::mt19937 random(39);
  constexpr int kDraws = 40;
  double sum = 0.0, sum_states = 0.0;
  for (int draw = 0; draw < kDraws; ++draw) {
    auto frames = MakeTrackedFrames(trial, 0.05, &random);
    const double wrong_by = 0.01 / trial.frame_rate;
    for (TrackedFrame& frame : frames) {
      for (MarkerObservation& o : frame.observations) o.time -= o.side == 1 ? wrong_by : 0.0;
    }
    const ImpactFit fit = FitTrial(trial, frames, trial.calibration, options).fit;
    ASSERT_TRUE(fit.usable) << fit.reason;
    EXPECT_NEAR(fit.clock_offset[1], wrong_by, 2e-3 / trial.frame_rate);
    sum += std::pow((fit.clock_offset[1] - wrong_by) / fit.clock_sigma[1], 2);
    sum_states += ErrorOf(fit, trial)
                      .cwiseQuotient(fit.covariance.diagonal().cwiseSqrt())
                      .tail<12>()
                      .squaredNorm();
  }
  EXPECT_NEAR(sum / kDraws, 1.0, 4.0 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(sum_states / kDraws / 12.0, 1.0, 4.0 * std::sqrt(2.0 / kDraws / 6.0));
}

// Truth: the same pixels at their true times. The two clocks run at rates that differ by 1e-4, one
// fast and one slow by 5e-5 as those of phones at worst, and agreed four seconds before. The offset
// at the impact takes up the drift until then, and the drift within the flights moves no state by
// its sigma at 0.05 px.
TEST(FitImpactArcs, ClocksOfPhonesMayRunApart) {
  constexpr double kRate = 1e-4, kStarted = -4.0;
  const SyntheticTrial trial = MakeSyntheticTrial();
  ArcFitOptions options;
  options.clock.exact = false;
  std::mt19937 random(44);
  auto frames = MakeTrackedFrames(trial, 0.05, &random);
  const ImpactFit even = FitTrial(trial, frames, trial.calibration, options).fit;
  RunApart(kRate, kStarted, &frames);
  const ImpactFit fast = FitTrial(trial, frames, trial.calibration, options).fit;
  ASSERT_TRUE(even.usable && fast.usable) << fast.reason;
  EXPECT_NEAR(fast.clock_offset[1] - even.clock_offset[1], -kRate * (trial.impact_time - kStarted),
              2e-6);
  const ImpactError shift = ErrorOf(fast, trial) - ErrorOf(even, trial);
  EXPECT_LT(shift.cwiseQuotient(even.covariance.diagonal().cwiseSqrt()).cwiseAbs().maxCoeff(), 1.0);
}

// Truth: rates drawn from their prior, at low noise. Errors over their sigma are standard normal:
// their mean square is 1 within 4 sqrt(2 / 40 / 6) (twelve velocities of some six independent
// ones), and the rate comes back better than it was known.
TEST(FitImpactArcs, CovarianceHoldsTheRatesOfTheClocks) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  ArcFitOptions options;
  options.clock.exact = false;
  std::mt19937 random(45);
  std::normal_distribution<double> rates(0.0, kClockRateSigma);
  constexpr int kDraws = 40;
  double sum_states = 0.0, of_rates = 0.0, left = 0.0;
  for (int draw = 0; draw < kDraws; ++draw) {
    auto frames = MakeTrackedFrames(trial, 0.01, &random);
    const double rate = rates(random);
    RunApart(rate, trial.impact_time, &frames);
    const ImpactFit fit = FitTrial(trial, frames, trial.calibration, options).fit;
    ASSERT_TRUE(fit.usable) << fit.reason;
    sum_states += ErrorOf(fit, trial)
                      .cwiseQuotient(fit.covariance.diagonal().cwiseSqrt())
                      .tail<12>()
                      .squaredNorm();
    of_rates += rate * rate;
    left += std::pow(fit.clock_rate[1] + rate, 2);
  }
  EXPECT_NEAR(sum_states / kDraws / 12.0, 1.0, 4.0 * std::sqrt(2.0 / kDraws / 6.0));
  EXPECT_LT(left, 0.5 * of_rates);
}

// Truth: sightings at other times than their frame. With these times the states are exact; taken at
// the frame's time they are wrong by far more than pixel noise would make them (0.3 mm/s).
TEST(FitImpactArcs, SightingsCountAtTheirOwnTimes) {
  for (const bool rolling : {false, true}) {
    SyntheticTrial trial = MakeSyntheticTrial();
    trial.right_offset = rolling ? 0.0 : 0.4 / trial.frame_rate;
    trial.line_time = rolling ? 1e-5 : 0.0;
    std::mt19937 random(40);
    auto frames = MakeTrackedFrames(trial, 1e-4, &random);
    const ImpactFit right = FitTrial(trial, frames, trial.calibration).fit;
    ASSERT_TRUE(right.usable) << right.reason;
    EXPECT_LT(ErrorOf(right, trial).segment<3>(kV).norm(), 1e-5);
    EXPECT_LT(ErrorOf(right, trial).segment<3>(kWPost).norm(), 1e-4);
    for (TrackedFrame& frame : frames) {
      for (MarkerObservation& o : frame.observations) {
        o.time = frame.time;
        o.covariance = 1e-2 * Eigen::Matrix2d::Identity();
      }
    }
    const ImpactFit wrong = FitTrial(trial, frames, trial.calibration).fit;
    EXPECT_TRUE(!wrong.usable || ErrorOf(wrong, trial).segment<3>(kV).norm() > 1e-3)
        << rolling << ": " << ErrorOf(wrong, trial).transpose();
  }
}

TEST(FitImpactArcs, AKnownOffsetKeepsItsSigma) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(41);
  ArcFitOptions options;
  options.clock = {.exact = false, .sigma = 1e-9};
  const ImpactFit fit =
      FitTrial(trial, MakeTrackedFrames(trial, 0.05, &random), trial.calibration, options).fit;
  ASSERT_TRUE(fit.usable);
  EXPECT_LT(std::abs(fit.clock_offset[1]), 1e-10);
  EXPECT_NEAR(fit.clock_sigma[1], 1e-9, 1e-10);
}

// Truth: the offset of the clocks was known to 1 us at a flash four seconds before the impact;
// until then they drift by 7e-5 (one sigma), 0.3 ms or 0.07 frames at 240/s. The offset at the
// impact is found, and velocities are in error by their sigmas: mean square 1 within 4 sqrt(2 / 30
// / 6).
TEST(FitArcsAndClock, AnOffsetStatedSecondsBeforeTheImpactDrifts) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  capture::Alignment alignment;
  alignment.offset_time = trial.impact_time - 4.0;
  std::mt19937 random(46);
  std::normal_distribution<double> rates(0.0, kClockRateSigma);
  constexpr int kDraws = 30;
  double sum_states = 0.0;
  for (int draw = 0; draw < kDraws; ++draw) {
    auto frames = MakeTrackedFrames(trial, 0.05, &random);
    const double rate = rates(random);
    RunApart(rate, alignment.offset_time, &frames);
    std::string reason;
    const auto guesses = FindImpacts(frames, FindFlightArcs(frames, trial.gravity),
                                     trial.body.body.shape, trial.gravity, {}, &reason);
    ASSERT_EQ(guesses.size(), 1u) << reason;
    const ImpactFit fit = FitArcsAndClock(frames, guesses[0], LayoutOf(trial.body),
                                          trial.body.body.inertia, trial.gravity, trial.calibration,
                                          {.offset = 0.0, .offset_sigma = 1e-6}, alignment, {});
    ASSERT_TRUE(fit.usable) << fit.reason;
    EXPECT_NEAR(fit.clock_offset[1], -4.0 * rate, 4.0 * fit.clock_sigma[1]);
    EXPECT_LT(fit.clock_sigma[1], 1e-5);
    sum_states += ErrorOf(fit, trial)
                      .cwiseQuotient(fit.covariance.diagonal().cwiseSqrt())
                      .tail<12>()
                      .squaredNorm();
  }
  EXPECT_NEAR(sum_states / kDraws / 12.0, 1.0, 4.0 * std::sqrt(2.0 / kDraws / 6.0));
}

/// The trial as another system would give it: marker places, or poses, with noise.
std::vector<TrackedFrame> MocapFrames(const SyntheticTrial& trial, bool poses, double sigma,
                                      std::mt19937* random) {
  std::normal_distribution<double> noise(0.0, sigma);
  const auto error = [&] {
    return Eigen::Vector3d{noise(*random), noise(*random), noise(*random)};
  };
  const MarkerLayout layout = LayoutOf(trial.body);
  std::vector<TrackedFrame> frames;
  for (int k = 0; k < trial.num_frames; ++k) {
    TrackedFrame frame;
    frame.left_frame = k;
    frame.time = k / trial.frame_rate;
    const solver::FlightState<double> state = trial.StateAt(frame.time);
    frame.pose.found = true;
    frame.pose.pose = {state.p_WB, state.q_WB};
    frame.pose.covariance = 1e-8 * Eigen::Matrix<double, 6, 6>::Identity();
    if (poses) {
      const Eigen::Vector3d turn = 10.0 * error();
      PoseObservation pose{
          {state.p_WB + error(),
           Eigen::Quaterniond(Eigen::AngleAxisd(turn.norm(), turn.normalized())) * state.q_WB},
          sigma * sigma * Eigen::Matrix<double, 6, 6>::Identity()};
      pose.covariance.bottomRightCorner<3, 3>() *= 100.0;
      frame.pose_observation = pose;
    } else {
      for (int m = 0; m < static_cast<int>(layout.p_BM.size()); ++m) {
        const Eigen::Vector3d p_W =
            state.q_WB * layout.p_BM[static_cast<std::size_t>(m)] + state.p_WB;
        frame.points.push_back({m, p_W + error(), sigma * sigma * Eigen::Matrix3d::Identity()});
      }
    }
    frames.push_back(frame);
  }
  return frames;
}

/// A guess near the truth.
ImpactGuess GuessNear(const SyntheticTrial& trial) {
  ImpactGuess guess;
  guess.before.first = 13;
  guess.before.last = 36;
  guess.after.first = 37;
  guess.after.last = 59;
  guess.time = trial.impact_time + 1e-3;
  guess.state = trial.before;
  guess.state.v.x() += 0.05;
  guess.v_post = trial.v_post - Eigen::Vector3d(0.0, 0.0, 0.1);
  guess.w_post = 1.1 * trial.w_post;
  return guess;
}

// Truth: known states, noise of 0.1 mm (1 mrad of poses). No cameras take part.
TEST(FitImpactArcs, FitsMarkerPlacesAndPoses) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(42);
  for (const bool poses : {false, true}) {
    double sum = 0.0;
    constexpr int kDraws = 30;
    for (int draw = 0; draw < kDraws; ++draw) {
      const ImpactFit fit = FitImpactArcs(
          MocapFrames(trial, poses, 1e-4, &random), GuessNear(trial), LayoutOf(trial.body),
          trial.body.body.inertia, trial.gravity, calibration::RigCalibration{});
      ASSERT_TRUE(fit.usable) << fit.reason;
      EXPECT_EQ(fit.calibration_sensitivity.cols(), 0);
      EXPECT_TRUE(std::isnan(fit.arcs[0].rms_px));
      // Three coordinates each; 23 poses alone scatter by a tenth.
      EXPECT_NEAR(fit.arcs[0].rms_m, 1e-4 * std::sqrt(3.0), poses ? 0.7e-4 : 0.2e-4);
      sum += ErrorOf(fit, trial)
                 .cwiseQuotient(fit.covariance.diagonal().cwiseSqrt())
                 .tail<12>()
                 .squaredNorm();
    }
    EXPECT_NEAR(sum / kDraws / 12.0, 1.0, 4.0 * std::sqrt(2.0 / kDraws / 6.0)) << poses;
  }
}

/// A trial whose motion stays in x-z: the bar upright, its wide side towards the cameras.
SyntheticTrial PlanarTrial() {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.before.q_WB = Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitY()) *
                      Eigen::AngleAxisd(0.5 * std::numbers::pi, Eigen::Vector3d::UnitX());
  const Eigen::Vector3d down_B = trial.before.q_WB.conjugate() * Eigen::Vector3d(0, 0, -1);
  const Eigen::Vector3d lowest =
      trial.before.q_WB * solver::SupportPoint(trial.body.body.shape, down_B);
  trial.before.p_WB = {0.03, 0.01, -lowest.z()};
  for (Eigen::Vector3d* v : {&trial.before.v, &trial.v_post}) v->y() = 0.0;
  for (Eigen::Vector3d* w : {&trial.before.w, &trial.w_post}) *w = {0.0, w->y(), 0.0};
  return trial;
}

// Truth: a planar motion, seen by the left camera alone; the guess has the true plane.
TEST(FitImpactArcs, OneCameraIsEnoughInAPlane) {
  const SyntheticTrial trial = PlanarTrial();
  calibration::RigCalibration one_camera = trial.calibration;
  one_camera.cameras.resize(1);
  one_camera.covariance.setZero(18, 18);
  ArcFitOptions options;
  options.planar = true;
  std::mt19937 random(43);
  double sum = 0.0;
  constexpr int kDraws = 30;
  for (int draw = 0; draw < kDraws; ++draw) {
    auto frames = MakeTrackedFrames(trial, 0.05, &random);
    for (TrackedFrame& frame : frames) {
      std::erase_if(frame.observations, [](const MarkerObservation& o) { return o.side == 1; });
      const solver::FlightState<double> state = trial.StateAt(frame.time);
      frame.pose.pose = {state.p_WB, state.q_WB};
    }
    const ImpactFit fit = FitTrial(trial, frames, one_camera, options).fit;
    ASSERT_TRUE(fit.usable) << fit.reason;
    const ImpactError error = ErrorOf(fit, trial);
    for (const int held : {kPosition + 1, kRotation + 0, kRotation + 2, kV + 1, kW + 0, kW + 2,
                           kVPost + 1, kWPost + 0, kWPost + 2}) {
      EXPECT_NEAR(error[held], 0.0, 1e-9);
      EXPECT_EQ(fit.covariance(held, held), 0.0);
    }
    for (const int free : {kV + 0, kV + 2, kW + 1, kVPost + 0, kVPost + 2, kWPost + 1})
      sum += error[free] * error[free] / fit.covariance(free, free);
    EXPECT_LT((fit.arcs[0].gravity - trial.gravity).norm(), 0.1);
  }
  EXPECT_NEAR(sum / kDraws / 6.0, 1.0, 4.0 * std::sqrt(2.0 / kDraws / 4.0));
}

// Two ends of the lowest edge differ by microns in height; the impulse through one of them is the
// truth.
TEST(ChooseContact, TellsEquallyLowCornersApartByTheMomentum) {
  SyntheticTrial trial = MakeSyntheticTrial();
  impacts::ImpactRecord record;
  record.q_WB = Eigen::AngleAxisd(1e-5, Eigen::Vector3d::UnitX()) *
                Eigen::AngleAxisd(0.6, Eigen::Vector3d::UnitY());
  record.v = {0.3, 0.1, -2.0};
  record.w = {1.0, -0.5, 0.2};
  const solver::Body& body = trial.body.body;
  const Eigen::Vector3d down_B = record.q_WB.conjugate() * Eigen::Vector3d(0, 0, -1);
  const auto corners = solver::SupportCandidates(body.shape, down_B, 1e-3);
  ASSERT_GE(corners.size(), 2u);
  for (const Eigen::Vector3d& truth_B : corners) {
    const Eigen::Vector3d r = record.q_WB * truth_B, P(0.05, -0.02, 0.5);
    const Eigen::Matrix3d R = record.q_WB.toRotationMatrix();
    record.v_post = record.v + P / body.mass;
    record.w_post = record.w + R * body.inertia.inverse() * R.transpose() * r.cross(P);
    record.covariance = impacts::ImpactCovariance(1e-8 * impacts::ImpactCovariance::Identity());
    const ContactChoice choice = ChooseContact(record, body);
    EXPECT_FALSE(choice.ambiguous);
    EXPECT_LT((choice.candidates.front().r - r).norm(), 1e-12);
    EXPECT_LT(choice.candidates.front().momentum_chi2, 1e-6);
  }
}

}  // namespace
}  // namespace percuss::tracking
