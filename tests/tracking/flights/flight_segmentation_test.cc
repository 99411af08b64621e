// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// What is flight and what is not, for motions that are known: nothing is fitted to pixels here.

#include "tracking/flights/flight_segmentation.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "tests/tracking/arcs/synthetic_trial.h"
#include "tests/tracking/flights/synthetic_motion.h"
#include "tracking/flights/torque_free.h"

namespace percuss::tracking {
namespace {

using State = solver::FlightState<double>;

/// A cube above the surface in front of the rig of MakeSyntheticTrial.
class FlightSegmentation : public testing::Test {
 protected:
  State Start(double height, const Eigen::Vector3d& v, const Eigen::Vector3d& w) const {
    State state;
    state.q_WB =
        Eigen::Quaterniond(Eigen::AngleAxisd(0.5, Eigen::Vector3d(1, 2, 0.5).normalized()));
    state.v = v;
    state.w = w;
    return WithLowestPointAt(cube_.body.shape, height, state);
  }

  struct Found {
    std::vector<TrackedFrame> frames;
    std::vector<FlightArc> arcs;
    std::vector<std::string> notes;
    std::vector<ImpactGuess> guesses;
    std::string reason;
  };
  Found Segment(const SyntheticMotion& motion, const ObservationOptions& options) {
    Found found;
    found.frames = Observe(motion, cube_, rig_, rig_, options, &random_);
    FindFlights(&found);
    return found;
  }

  void FindFlights(Found* found) const {
    found->arcs = FindFlightArcs(found->frames, gravity_);
    AddClearFlights(found->frames, cube_.body.shape, gravity_, {}, &found->arcs);
    found->notes = KeepTorqueFree(found->frames, cube_.body.inertia, gravity_, {}, &found->arcs);
    found->guesses =
        FindImpacts(found->frames, found->arcs, cube_.body.shape, gravity_, {}, &found->reason);
  }

  /// The flights on both sides of the one impact, at 120 Hz: the first begins at the release, up to
  /// `early` frames before it (what a frame before the release is off, is far below the noise) and
  /// `late` frames after it; none crosses the impact.
  void ExpectFlights(const Found& found, const SyntheticMotion& motion, double release,
                     double early, double late) {
    ASSERT_EQ(found.guesses.size(), 1u) << found.reason;
    const ImpactGuess& guess = found.guesses[0];
    const double impact = motion.impacts[0].time;
    EXPECT_NEAR(guess.time, impact, 1e-3);
    EXPECT_GE(guess.before.first, release * 120.0 - early);
    EXPECT_LE(guess.before.first, release * 120.0 + 1.0 + late);
    EXPECT_NEAR(guess.before.last, impact * 120.0 - 0.5, 1.5);
    EXPECT_NEAR(guess.after.first, impact * 120.0 + 0.5, 1.5);
  }

  std::mt19937 random_{51};
  const calibration::RigCalibration rig_ = MakeSyntheticTrial().calibration;
  const capture::MarkedBody cube_ = MarkedCube();
  const Eigen::Vector3d gravity_{0, 0, -9.80665};
};

TEST_F(FlightSegmentation, HeldStillThenDropped) {
  const State start = Start(0.15, {0, 0, 0}, {0, 0, 0});
  SyntheticMotion motion;
  AddCarry({}, start, 0.2003, &motion);
  AddFlight(cube_.body, gravity_, start, 0.2003, 0.6, {}, &motion);
  // At rest one frame before the release, a body is 0.3 mm off the parabola; two frames, 1.4 mm.
  ExpectFlights(Segment(motion, {}), motion, 0.2003, 1.5, 1.0);
}

// Phones store slow motion as 30 frames/s: the times are too long, gravity too small by the square.
TEST_F(FlightSegmentation, SlowMotionIsNamedWithTheTrueRate) {
  const State start = Start(0.15, {0, 0, 0}, {0, 0, 0});
  SyntheticMotion motion;
  AddCarry({}, start, 0.2003, &motion);
  AddFlight(cube_.body, gravity_, start, 0.2003, 0.6, {}, &motion);
  for (const int factor : {2, 4, 8}) {
    Found found;
    found.frames = Observe(motion, cube_, rig_, rig_, {}, &random_);
    for (TrackedFrame& frame : found.frames) frame.time *= factor;
    FindFlights(&found);
    EXPECT_TRUE(found.guesses.empty());
    EXPECT_THAT(found.reason,
                testing::HasSubstr("but at " + std::to_string(factor) + " times that"));
    EXPECT_THAT(found.reason, testing::HasSubstr("frame_rate: 120"));
  }
}

// Hands and actuators accelerate by up to 5 m/s^2, or shake; none is gravity.
TEST_F(FlightSegmentation, CarriedByAHandOrAnActuatorThenThrown) {
  const std::vector<Carry> carries = {
      {.acceleration = {0, 0, 5}},
      {.acceleration = {5, 0, 0}},
      {.acceleration = {0, 3, -4}},
      {.acceleration = {0, 0, -8}},  // near gravity, downwards
      {.acceleration = {0, 0, -1}, .shake = {0, 0, 0.004}, .shake_frequency = 30.0},
      {.acceleration = {2, 0, 0},
       .shake = {0.003, 0.003, 0.002},
       .shake_frequency = 40.0,
       .angular_acceleration = {20, -10, 5}}};
  for (std::size_t i = 0; i < carries.size(); ++i) {
    SCOPED_TRACE(i);
    const State start = Start(0.15, {0.2, 0.05, 0.1}, {1, -2, 0.5});
    SyntheticMotion motion;
    AddCarry(carries[i], start, 0.2003, &motion);
    AddFlight(cube_.body, gravity_, start, 0.2003, 0.7, {}, &motion);
    // 1.8 m/s^2 off gravity, as in one of them, are 0.6 mm off the parabola after three frames.
    ExpectFlights(Segment(motion, {}), motion, 0.2003, i == 3 ? 4.0 : 2.0, 1.0);
  }
}

TEST_F(FlightSegmentation, FingersThatSlipOverThreeFrames) {
  const State start = Start(0.15, {0, 0, 0}, {0, 0, 0});
  SyntheticMotion motion;
  const double begin = 0.2003, duration = 3.0 / 120.0;
  const State released = AddSlowRelease(start, begin, duration, gravity_, &motion);
  AddFlight(cube_.body, gravity_, released, begin + duration, 0.6, {}, &motion);
  // Two frames before the end of the slip the body is 0.3 mm off the parabola; three, 1 mm.
  ExpectFlights(Segment(motion, {}), motion, begin + duration, 2.5, 1.0);
}

TEST_F(FlightSegmentation, BouncesGiveOneImpactEachAndShareTheFlightBetween) {
  // A low restitution: the flight between the second and the third impact has some ten frames.
  const State start = Start(0.10, {0.1, 0.02, 0}, {0.5, 1.0, 0.2});
  SyntheticMotion motion;
  AddCarry({}, start, 0.1003, &motion);
  AddFlight(cube_.body, gravity_, start, 0.1003, 0.9,
            {.max_impacts = 3, .restitution = 0.75, .friction = 0.1}, &motion);
  ASSERT_EQ(motion.impacts.size(), 3u);
  const Found found = Segment(motion, {.num_frames = 96});
  ASSERT_EQ(found.guesses.size(), 3u) << found.reason;
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(found.guesses[i].time, motion.impacts[i].time, 2e-3) << i;
  EXPECT_EQ(found.guesses[0].after.first, found.guesses[1].before.first);
  EXPECT_EQ(found.guesses[1].after.last, found.guesses[2].before.last);
}

TEST_F(FlightSegmentation, RestingSlidingAndRollingAreNoFlight) {
  const State start = Start(0.0, {0.5, 0, 0}, {0, 0, 0});
  SyntheticMotion slide;  // slowed by friction, mu = 0.3
  AddCarry({.acceleration = {-2.9, 0, 0}}, start, 0.25, &slide);
  State rolling = start;
  rolling.w = {0, 8, 0};
  SyntheticMotion roll;  // over a bump
  AddCarry({.shake = {0, 0, 0.004}, .shake_frequency = 16.0}, rolling, 0.25, &roll);
  for (const SyntheticMotion* motion : {&slide, &roll}) {
    for (const double frame_rate : {60.0, 120.0, 240.0, 1000.0}) {
      const Found found = Segment(*motion, {.frame_rate = frame_rate, .num_frames = 60});
      EXPECT_TRUE(found.arcs.empty()) << frame_rate;
    }
  }
}

TEST_F(FlightSegmentation, SlidesOnAfterTheImpact) {
  const State start = Start(0.15, {0.3, 0, 0}, {0, 0, 0});
  SyntheticMotion motion;
  AddCarry({}, start, 0.1003, &motion);
  AddFlight(cube_.body, gravity_, start, 0.1003, 0.6, {}, &motion);
  const double impact = motion.impacts[0].time;
  motion.pieces.pop_back();
  State at_impact = motion.impacts[0].before;
  at_impact.v = {0.3, 0, 0};
  at_impact.w.setZero();
  SyntheticMotion on;
  AddCarry({.acceleration = {-2, 0, 0}}, at_impact, impact, &on);
  motion.pieces.push_back({impact, on.pieces.front().state});
  const Found found = Segment(motion, {});
  EXPECT_EQ(found.arcs.size(), 1u);
  EXPECT_TRUE(found.guesses.empty());
  EXPECT_THAT(found.reason, testing::HasSubstr("only one free flight"));
}

// Markers that turn away soon after the impact: three frames in which the cube is clear of the
// surface are a flight, two check nothing. Three frames of a slide at the height of the surface are
// none either.
TEST_F(FlightSegmentation, FewFramesAboveTheSurfaceAreFlight) {
  // On a corner right below its mass centre, and without friction, the cube bounces without a turn.
  State start;
  start.q_WB =
      Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d(1, 1, 1), Eigen::Vector3d::UnitZ());
  start.v = {0.1, 0.0, 0.0};
  start = WithLowestPointAt(cube_.body.shape, 0.15, start);
  SyntheticMotion motion;
  AddCarry({}, start, 0.1003, &motion);
  AddFlight(cube_.body, gravity_, start, 0.1003, 0.7, {.friction = 0.0}, &motion);
  const int impact = static_cast<int>(motion.impacts[0].time * 60.0);
  const Found whole = Segment(motion, {.frame_rate = 60.0, .num_frames = 27});
  ASSERT_EQ(whole.guesses.size(), 1u) << whole.reason;
  int first = impact + 1;  // in which the cube is clear of the surface
  while (motion.StateAt(first / 60.0).p_WB.z() < motion.impacts[0].before.p_WB.z() + 0.006) ++first;
  for (const int seen : {2, 3, 4}) {
    SCOPED_TRACE(seen);
    Found found = whole;
    for (TrackedFrame& frame : found.frames)
      frame.pose.found = frame.pose.found && frame.left_frame < first + seen;
    FindFlights(&found);
    if (seen < 3) {
      EXPECT_TRUE(found.guesses.empty());
      EXPECT_THAT(found.reason, testing::HasSubstr("frames show the body, at least 3 needed"));
    } else {
      ASSERT_EQ(found.guesses.size(), 1u) << found.reason;
      EXPECT_EQ(found.guesses[0].after.last, first + seen - 1);
      EXPECT_NEAR(found.guesses[0].time, motion.impacts[0].time, 1e-3);
    }
    for (TrackedFrame& frame : found.frames) {
      if (frame.left_frame > impact)
        frame.pose.pose.p_WB.z() -= LowestHeight(cube_.body.shape, frame.pose.pose);
    }
    FindFlights(&found);
    EXPECT_TRUE(found.guesses.empty());
  }
}

// Five frames at 1000 Hz bend by 0.02 mm under gravity: nobody can tell them from rest.
TEST_F(FlightSegmentation, FewFramesOfAFastCameraAreNotTakenForFlight) {
  const State start = Start(0.15, {0, 0, -1}, {0, 0, 0});
  SyntheticMotion motion;
  AddFlight(cube_.body, gravity_, start, 0.0, 0.1, {.max_impacts = 0}, &motion);
  EXPECT_TRUE(Segment(motion, {.frame_rate = 1000.0, .num_frames = 8}).arcs.empty());
  EXPECT_EQ(Segment(motion, {.frame_rate = 1000.0, .num_frames = 60}).arcs.size(), 1u);
}

TEST_F(FlightSegmentation, FlightThatLeavesTheImage) {
  const State start = Start(0.10, {1.5, 0, 0}, {0, 0, 0});
  SyntheticMotion motion;
  AddCarry({}, start, 0.1003, &motion);
  AddFlight(cube_.body, gravity_, start, 0.1003, 0.9, {}, &motion);
  const Found found = Segment(motion, {.num_frames = 100});
  ASSERT_EQ(found.guesses.size(), 1u) << found.reason;
  EXPECT_FALSE(found.frames.back().pose.found);
  EXPECT_TRUE(found.frames[static_cast<std::size_t>(found.arcs.back().last)].pose.found);
}

// The mass centre falls freely, but the body is turned as no free body turns: 60 rad/s^2.
TEST_F(FlightSegmentation, RotationTellsAHeldBodyFromAFreeOne) {
  const State start = Start(0.2, {0, 0, 0}, {1, 0, 0});
  SyntheticMotion held;
  AddCarry({.acceleration = gravity_, .angular_acceleration = {0, 60, 0}}, start, 0.25, &held);
  SyntheticMotion free;
  AddFlight(cube_.body, gravity_, start, 0.0, 0.5, {.max_impacts = 0}, &free);
  const ObservationOptions options{.num_frames = 24};
  const auto held_frames = Observe(held, cube_, rig_, rig_, options, &random_);
  auto arcs = FindFlightArcs(held_frames, gravity_);
  ASSERT_EQ(arcs.size(), 1u);
  const auto notes = KeepTorqueFree(held_frames, cube_.body.inertia, gravity_, {}, &arcs);
  EXPECT_THAT(notes, testing::ElementsAre(testing::HasSubstr("rotation is not torque-free")));
  EXPECT_TRUE(arcs.empty() || arcs[0].last - arcs[0].first < 12);
  const Found found = Segment(free, options);
  ASSERT_EQ(found.arcs.size(), 1u);
  EXPECT_TRUE(found.notes.empty());
}

// Truth: a tumbling bar, whose w is far from constant, is torque-free; the chi-square is that of
// the noise: 3 N - 6 within five sigmas.
TEST(TorqueFree, ChiSquareOfATumblingBarIsThatOfTheNoise) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(52);
  const auto frames = MakeTrackedFrames(trial, 0.05, &random);
  const RotationFit fit = FitTorqueFreeRotation(frames, 37, 59, trial.body.body.inertia, 1.0, 0.0);
  EXPECT_EQ(fit.degrees_of_freedom, 63);
  EXPECT_NEAR(fit.chi2, 63.0, 5.0 * std::sqrt(2.0 * 63.0));
  // Across the impact it is not.
  EXPECT_GT(FitTorqueFreeRotation(frames, 20, 59, trial.body.body.inertia, 1.0, 0.0).ReducedChi2(),
            100.0);
}

}  // namespace
}  // namespace percuss::tracking
