// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: discs drawn pixel by pixel.

#include "tracking/ball/moving_things.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace percuss::tracking {
namespace {

constexpr double kThreshold = 6.0, kLeastArea = 6.0;

cv::Mat Ground() { return {60, 80, CV_8UC1, cv::Scalar(100)}; }

/// @param grey  of the disc, by the height over its centre in radii
void DrawDisc(const Eigen::Vector2d& centre, double radius, const std::function<int(double)>& grey,
              cv::Mat* picture) {
  for (int y = 0; y < picture->rows; ++y) {
    for (int x = 0; x < picture->cols; ++x) {
      if ((Eigen::Vector2d(x, y) - centre).norm() < radius)
        picture->at<unsigned char>(y, x) =
            static_cast<unsigned char>(grey((centre.y() - y) / radius));
    }
  }
}

void ExpectDisc(const MovingThing& thing, const Eigen::Vector2d& centre, double radius) {
  EXPECT_LT((thing.centre - centre).norm(), 0.5);
  EXPECT_NEAR(thing.short_axis, radius, 0.6);
  EXPECT_NEAR(thing.long_axis, radius, 0.6);
  EXPECT_GT(thing.Roundness(), 0.9);
}

// Lit from above before a ground that is as bright as its middle.
TEST(FindWholeThings, TakesHalvesForABall) {
  cv::Mat picture = Ground();
  DrawDisc(
      {30.0, 25.0}, 9.0,
      [](double high) { return std::abs(high) < 0.2 ? 100
                               : high > 0.0         ? 125
                                                    : 80; }, &picture);
  const auto things = FindWholeThings(picture, Ground(), kThreshold, kLeastArea);
  ASSERT_EQ(things.size(), 1U);
  ExpectDisc(things[0], {30.0, 25.0}, 9.0);
  EXPECT_EQ(FindMovingThings(picture, Ground(), kThreshold, kLeastArea).size(), 2U);
}

TEST(FindWholeThings, TakesTheFaintPartOfABall) {
  cv::Mat picture = Ground();
  DrawDisc(
      {30.0, 25.0}, 9.0, [](double high) { return high > 0.0 ? 125 : 105; }, &picture);
  const auto things = FindWholeThings(picture, Ground(), kThreshold, kLeastArea);
  ASSERT_EQ(things.size(), 1U);
  ExpectDisc(things[0], {30.0, 25.0}, 9.0);
}

TEST(FindWholeThings, LeavesWhatIsFaintAllOver) {
  cv::Mat picture = Ground();
  DrawDisc(
      {30.0, 25.0}, 9.0, [](double) { return 105; }, &picture);
  EXPECT_TRUE(FindWholeThings(picture, Ground(), kThreshold, kLeastArea).empty());
}

// Two balls side by side, and one above its flat shadow.
TEST(FindWholeThings, KeepsApartWhatIsNoRounderTogether) {
  const auto bright = [](double) { return 150; };
  cv::Mat picture = Ground();
  DrawDisc({20.0, 25.0}, 9.0, bright, &picture);
  DrawDisc({40.0, 25.0}, 9.0, bright, &picture);
  const auto balls = FindWholeThings(picture, Ground(), kThreshold, kLeastArea);
  ASSERT_EQ(balls.size(), 2U);
  for (const MovingThing& ball : balls) EXPECT_GT(ball.Roundness(), 0.9);

  picture = Ground();
  DrawDisc({30.0, 20.0}, 9.0, bright, &picture);
  picture.rowRange(32, 36).colRange(22, 40).setTo(80);
  const auto things = FindWholeThings(picture, Ground(), kThreshold, kLeastArea);
  ASSERT_EQ(things.size(), 2U);
  ExpectDisc(things[0], {30.0, 20.0}, 9.0);
}

}  // namespace
}  // namespace percuss::tracking
