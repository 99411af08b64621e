// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/synchronisation/lag_search.h"

#include <gmock/gmock.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>

#include "tests/tracking/synchronisation/filmed_points.h"

namespace percuss::tracking {
namespace {

using ::testing::HasSubstr;

Views SyntheticViews() { return ViewsOf(MakeSyntheticTrial().calibration); }

/// Six points of a body that stands at `p` and is turned by `angle` about a slanted axis.
std::vector<Eigen::Vector3d> BodyAt(const Eigen::Vector3d& p, double angle) {
  const Eigen::AngleAxisd turn(angle, Eigen::Vector3d(0.3, 0.9, 0.2).normalized());
  std::vector<Eigen::Vector3d> points;
  for (const Eigen::Vector3d& p_B :
       {Eigen::Vector3d(0.11, 0.01, -0.03), Eigen::Vector3d(-0.09, 0.02, 0.04),
        Eigen::Vector3d(0.03, -0.02, 0.045), Eigen::Vector3d(-0.05, 0.03, -0.02),
        Eigen::Vector3d(0.07, -0.03, 0.01), Eigen::Vector3d(-0.01, 0.015, -0.05)})
    points.push_back(turn * p_B + p);
  return points;
}

// Truth: when the videos were begun. Clips of 240 frames/s that begin up to 1.6 s apart and share
// the drop; markers hidden, so that a third of them or more has no motion; ten still spots; global
// and rolling shutters, of which the search is not told.
TEST(FindLag, FindsVideosThatBegunSecondsApart) {
  std::mt19937 random(81);
  for (const double line_time : {0.0, 10e-6}) {
    SyntheticTrial trial = MakeSyntheticTrial();
    trial.frame_rate = 240.0;
    trial.num_frames = 600;
    trial.release_time += 1.65;
    trial.impact_time += 1.65;
    trial.line_time = line_time;
    trial.right_offset = 0.37 / trial.frame_rate;
    const auto whole = MakeSpots(trial, {.noise_px = 0.1, .hidden_fraction = 0.15}, &random);
    for (const int apart : {-380, -201, -3, 0, 77, 310}) {
      const auto spots = WithoutFirstFrames(whole, {std::max(0, -apart), std::max(0, apart)});
      const LagEstimate lag = FindLag(ViewsOf(trial.calibration), spots);
      ASSERT_TRUE(lag.found) << apart << ": " << lag.reason;
      EXPECT_LT(lag.doubt, 1e-4);
      // Rows some tens of pixels apart in the two views are read half a millisecond apart.
      EXPECT_NEAR((lag.candidates[0].offset - trial.right_offset) * trial.frame_rate, apart,
                  line_time > 0.0 ? 0.4 : 0.1);
    }
  }
}

// Ten spots per picture that are somewhere else in the next one, and half of the markers hidden at
// some time in three frames.
TEST(FindLag, IsNotLedAstrayByFalseSpots) {
  std::mt19937 random(82);
  FilmedPoints film{.points = [](double t) {
    return BodyAt({0.05 + 0.1 * std::sin(5.0 * t), 0.0, 0.2 + 0.1 * std::sin(7.7 * t)}, 2.0 * t);
  }};
  film.hidden_fraction = 0.2;
  film.false_spots = 10;
  for (const double apart : {-0.61, 0.213, 0.5}) {
    film.start = {0.7, 0.7 + apart};
    const LagEstimate lag = FindLag(SyntheticViews(), Film(film, &random));
    ASSERT_TRUE(lag.found) << apart << ": " << lag.reason;
    EXPECT_NEAR(lag.candidates[0].offset, apart, 0.1 / film.frame_rate);
    EXPECT_GT(lag.candidates[0].share, 0.3);
    EXPECT_LT(lag.candidates[0].distance_px, 0.3);
  }
}

// A rolling shutter that is known shows no shift.
TEST(FindLag, CountsRowsOfAKnownRollingShutter) {
  std::mt19937 random(83);
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.line_time = 15e-6;
  const auto spots = MakeSpots(trial, {.noise_px = 0.05}, &random);
  const LagEstimate lag = FindLag(ViewsOf(trial.calibration), spots, {.line_time = {15e-6, 15e-6}});
  ASSERT_TRUE(lag.found) << lag.reason;
  EXPECT_NEAR(lag.candidates[0].offset * trial.frame_rate, 0.0, 0.03);
  EXPECT_LT(lag.candidates[0].distance_px, 0.2);
}

// A camera of 1000 frames/s: spots that fall by less than a pixel from frame to frame move all the
// same.
TEST(FindLag, LooksAtEveryEighthFrameOfAFastCamera) {
  std::mt19937 random(84);
  FilmedPoints film{.points = [](double t) {
    return BodyAt({0.05 + 0.05 * std::sin(6.0 * t), 0.0, 0.2 + 0.08 * std::sin(8.0 * t)}, t);
  }};
  film.frame_rate = 1000.0;
  film.num_frames = {500, 500};
  film.start = {0.3, 0.417};
  const LagEstimate lag = FindLag(SyntheticViews(), Film(film, &random));
  ASSERT_TRUE(lag.found) << lag.reason;
  EXPECT_NEAR(lag.candidates[0].offset, 0.117, 0.5e-3);
}

TEST(FindLag, SaysThatNothingMoves) {
  std::mt19937 random(85);
  FilmedPoints film{.points = [](double) { return BodyAt({0.05, 0.0, 0.2}, 0.3); }};
  film.false_spots = 5;
  const LagEstimate lag = FindLag(SyntheticViews(), Film(film, &random));
  EXPECT_FALSE(lag.found);
  EXPECT_THAT(lag.reason, HasSubstr("at least 30 are needed"));
}

// Along the base of the two cameras every epipolar line maps to itself.
TEST(FindLag, SaysThatTheMotionDoesNotShowTheTime) {
  const Views views = SyntheticViews();
  const Eigen::Vector3d along =
      (views[1].camera_from_world.Inverse().t - views[0].camera_from_world.Inverse().t)
          .normalized();
  std::mt19937 random(86);
  FilmedPoints film{.points = [&](double t) {
    return BodyAt(Eigen::Vector3d(0.05, 0.0, 0.15) + 0.15 * std::sin(4.0 * t) * along, 0.4);
  }};
  film.start = {0.0, 0.05};
  const LagEstimate lag = FindLag(views, Film(film, &random));
  EXPECT_FALSE(lag.found);
  EXPECT_THAT(lag.reason, HasSubstr("along their epipolar lines"));
}

// A body that turns with a period of 30 frames: all lags that differ by that are as good.
TEST(FindLag, NamesTwoLagsOfAMotionThatRepeatsItself) {
  std::mt19937 random(87);
  FilmedPoints film{.points = [](double t) {
    return BodyAt({0.05, 0.0, 0.2}, 2.0 * std::numbers::pi * 4.0 * t);
  }};
  film.start = {0.0, 5.0 / 120.0};
  const LagEstimate lag = FindLag(SyntheticViews(), Film(film, &random));
  EXPECT_FALSE(lag.found);
  ASSERT_GE(lag.candidates.size(), 2U);
  for (const LagCandidate& candidate : {lag.candidates[0], lag.candidates[1]}) {
    const double turns = (candidate.offset * 120.0 - 5.0) / 30.0;
    EXPECT_NEAR(turns, std::round(turns), 0.01);
  }
  EXPECT_THAT(lag.reason, HasSubstr("frames explain it about equally well"));
}

// The left video ends when the right one begins.
TEST(FindLag, FindsNoLagOfVideosThatShareNothing) {
  for (const unsigned seed : {88U, 89U, 90U}) {
    std::mt19937 random(seed);
    const SyntheticTrial trial = MakeSyntheticTrial();
    auto spots = MakeSpots(trial, {.noise_px = 0.1}, &random);
    spots[0].frames.resize(36);
    spots = WithoutFirstFrames(std::move(spots), {0, 36});
    const LagEstimate lag = FindLag(ViewsOf(trial.calibration), spots);
    EXPECT_FALSE(lag.found) << lag.candidates[0].offset * trial.frame_rate;
  }
}

// What max_doubt promises. Truth: two bodies that have nothing to do with each other, each thrown
// with a velocity, a spin and at a time of its own. One in ten thousand may be taken for one body.
TEST(FindLag, PairsNoBodiesThatHaveNothingInCommon) {
  std::mt19937 random(91);
  std::normal_distribution<double> normal;
  for (int draw = 0; draw < 60; ++draw) {
    std::array<std::array<VideoSpots, 2>, 2> films;
    for (auto& one : films) {
      const Eigen::Vector3d v(0.5 * normal(random), 0.2 * normal(random), 1.0 + normal(random));
      const double spin = 5.0 * normal(random), start = 0.1 * normal(random);
      FilmedPoints film{.points = [=](double time) {
        const double t = time - start;
        Eigen::Vector3d p = Eigen::Vector3d(0.0, 0.0, 0.2) + t * v;
        p.z() = 0.05 + std::abs(p.z() - 4.9 * t * t);  // bounces
        return BodyAt(p, spin * t);
      }};
      film.num_frames = {40, 40};
      one = Film(film, &random);
    }
    const LagEstimate lag = FindLag(SyntheticViews(), {films[0][0], films[1][1]});
    EXPECT_FALSE(lag.found) << draw << ": doubt " << lag.doubt;
  }
}

}  // namespace
}  // namespace percuss::tracking
