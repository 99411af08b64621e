// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Source of truth: drawn motions whose bounces are known.

#include "tracking/space/place_flights.h"

#include <gtest/gtest.h>

#include "tests/tracking/space/drawn_ball.h"

namespace percuss::tracking {
namespace {

TEST(CutPlaces, CutsAtBouncesAtAnyRate) {
  std::mt19937 random(2);
  for (const double rate : {60.0, 240.0, 1000.0}) {
    const BouncingBall ball = BallInSpace(0.8, 0.12, 0.001);
    const auto places = DrawPlaces(ball, rate, 3e-4, &random);
    const PlaceFlights cut = CutPlaces(places);
    ASSERT_EQ(cut.reason, "") << rate;
    ASSERT_EQ(cut.flights.size(), 4U) << rate;
    const BallMotionModel motion(ball, 0.0, 2.0);
    const BouncingBall guess = GuessBall(places, cut);
    const BallMotionModel guessed(guess, 0.0, 2.0);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(guessed.Contacts()[k].time, motion.Contacts()[k].time, 0.02) << rate;
    EXPECT_LT((cut.gravity - ball.gravity).norm(), 2.0) << rate;
  }
}

// Held for 0.4 s, four spikes, and a rest on the surface at the end.
TEST(CutPlaces, LeavesOutWhatIsNoFlight) {
  std::mt19937 random(4);
  const BouncingBall ball = BallInSpace(0.8, 0.0, 0.0);
  std::vector<BallPlace> places = DrawPlaces(ball, 200.0, 2e-4, &random);
  for (const std::size_t k : {20U, 100U, 130U, 160U}) places[k].place.y() += 0.2;
  const BallPlace first = places.front(), last = places.back();
  std::vector<BallPlace> all;
  std::normal_distribution<double> normal(0.0, 2e-4);
  const auto rest = [&](double time, const Eigen::Vector3d& place) {
    const Eigen::Vector3d noise(normal(random), normal(random), normal(random));
    all.push_back({time, place + noise, Eigen::Matrix3d::Identity()});
  };
  for (int k = 80; k > 0; --k) rest(first.time - 0.005 * k, first.place);
  all.insert(all.end(), places.begin(), places.end());
  for (int k = 1; k < 80; ++k)
    rest(last.time + 0.005 * k, Eigen::Vector3d(last.place.x(), last.place.y(), 0.02));
  const PlaceFlights cut = CutPlaces(all);
  ASSERT_EQ(cut.reason, "");
  ASSERT_EQ(cut.flights.size(), 4U);
  EXPECT_NEAR(all[cut.flights.front().first].time, first.time, 0.03);
  EXPECT_NEAR(all[cut.flights.back().last].time, last.time, 0.03);
}

TEST(CutPlaces, SaysThatThereIsNoBounce) {
  std::mt19937 random(4);
  std::vector<BallPlace> places = DrawPlaces(BallInSpace(0.8, 0.0, 0.0), 200.0, 2e-4, &random);
  places.resize(60);  // 0.3 s: before the first contact
  EXPECT_EQ(CutPlaces(places).reason,
            "found 1 smooth pieces of motion, allowed at least 2 flights of 5 places or more with "
            "one common acceleration and a bounce between them");
  places.resize(2);
  EXPECT_EQ(CutPlaces(places).reason, "found 2 places, allowed at least 10");
}

}  // namespace
}  // namespace percuss::tracking
