// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: drawn tracks of a ball that is held, falls and bounces.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tracking/ball/ball_track.h"

namespace percuss::tracking {
namespace {

constexpr double kGravity = 12000.0, kFall = 0.4;  // [px/s^2], [s]

/// Height above the lowest place, t seconds after it was let go; e = 0.8. @param bounce so far
double HeightAt(double t, int* bounce) {
  double speed = kGravity * kFall, begin = kFall;
  *bounce = 0;
  if (t < kFall) return 0.5 * kGravity * (kFall * kFall - std::max(0.0, t) * std::max(0.0, t));
  while (true) {
    speed *= 0.8;
    ++*bounce;
    const double flight = 2.0 * speed / kGravity, at = t - begin;
    if (at < flight) return speed * at - 0.5 * kGravity * at * at;
    begin += flight;
  }
}

TEST(CutIntoFlights, AtAnyFrameRateABallAtRestDoesNotHop) {
  constexpr double kHeld = 0.4, kEnd = 2.2;
  for (const double rate : {30.0, 60.0, 120.0, 240.0, 480.0, 960.0}) {
    std::mt19937 random(3);
    std::normal_distribution<double> noise(0.0, 0.05);
    BallTrack track;
    std::vector<int> truth;
    for (int k = 0; k / rate < kEnd; ++k) {
      const double t = k / rate - kHeld;
      TrackPoint& point = track.points.emplace_back();
      int bounce = 0;
      point.frame = k;
      point.time = k / rate;
      point.radius = 24.0;
      point.centre = {300.0 + 200.0 * std::max(0.0, t) + noise(random),
                      900.0 - HeightAt(t, &bounce) + noise(random)};
      truth.push_back(bounce);
    }
    CutIntoFlights(&track);
    EXPECT_EQ(track.flights.size(), static_cast<std::size_t>(truth.back() + 1)) << rate;
    EXPECT_NEAR(track.acceleration.y(), kGravity, 0.02 * kGravity) << rate;
    for (std::size_t k = 0; k < track.flights.size(); ++k) {
      // Within a frame of the bounce.
      EXPECT_EQ(truth[track.flights[k].first + 1], static_cast<int>(k)) << rate;
      EXPECT_EQ(truth[track.flights[k].last - 1], static_cast<int>(k)) << rate;
    }
  }
}

// Seen from above, a ball is larger the higher it is, and its acceleration in the picture with it:
// no parabola fits all of a long flight.
TEST(CutIntoFlights, PerspectiveDoesNotPartFlights) {
  constexpr double kEnd = 1.9, kHighest = 0.5 * kGravity * kFall * kFall, kNearer = 0.2;
  for (const double rate : {60.0, 240.0, 480.0}) {
    BallTrack track;
    int bounces = 0;
    for (int k = 0; k / rate < kEnd; ++k) {
      const double t = k / rate, height = HeightAt(t, &bounces);
      const double larger = 1.0 / (1.0 - kNearer * height / kHighest);
      TrackPoint& point = track.points.emplace_back();
      point.frame = k;
      point.time = t;
      point.radius = 24.0 * larger;
      point.centre = {300.0 + 200.0 * t * larger, 900.0 - height * larger};
    }
    CutIntoFlights(&track);
    EXPECT_EQ(track.flights.size(), static_cast<std::size_t>(bounces + 1)) << rate;
  }
}

// Near the ground a ball and its shadow are one thing for some frames of a fast camera.
TEST(CutIntoFlights, PiecesNearTheGroundDoNotPartFlights) {
  constexpr double kRate = 480.0, kEnd = 1.5;
  std::mt19937 random(4);
  std::normal_distribution<double> noise(0.0, 0.05);
  BallTrack track;
  for (int k = 0; k / kRate < kEnd; ++k) {
    const double t = k / kRate;
    int bounce = 0;
    const double height = HeightAt(t, &bounce);
    TrackPoint& point = track.points.emplace_back();
    point.frame = k;
    point.time = t;
    point.radius = 24.0;
    point.centre = {300.0 + 200.0 * t + noise(random), 900.0 - height + noise(random)};
    // What is found then is the middle of both, which moves otherwise.
    if (height < 60.0) point.centre += Eigen::Vector2d(40.0, 20.0 - 0.5 * (60.0 - height));
  }
  CutIntoFlights(&track);
  EXPECT_NEAR(track.acceleration.y(), kGravity, 0.02 * kGravity);
  ASSERT_EQ(track.flights.size(), 3U);
  for (int k = 0; k < 3; ++k) {
    for (const int i : {track.flights[k].first, track.flights[k].last}) {
      int bounce = 0;
      EXPECT_GT(HeightAt(track.points[i].time, &bounce), 50.0) << k;
      EXPECT_EQ(bounce, k);
    }
  }
}

}  // namespace
}  // namespace percuss::tracking
