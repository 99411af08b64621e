// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/targets/target.h"

#include <gtest/gtest.h>

#include <opencv2/core.hpp>

namespace percuss::calibration {
namespace {

using TargetType = capture::Board::Type;

TEST(TargetPoints, AreRowByRowWithRowsTowardsMinusY) {
  for (const TargetType type :
       {TargetType::kChessboard, TargetType::kCharuco, TargetType::kCircles}) {
    const std::vector<Eigen::Vector3d> points =
        TargetPoints({.type = type, .columns = 4, .rows = 3, .square = 0.5});
    ASSERT_EQ(points.size(), 12U);
    EXPECT_EQ(points[0], Eigen::Vector3d(0.0, 0.0, 0.0));
    EXPECT_EQ(points[3], Eigen::Vector3d(1.5, 0.0, 0.0));
    EXPECT_EQ(points[5], Eigen::Vector3d(0.5, -0.5, 0.0));
    EXPECT_EQ(points[11], Eigen::Vector3d(1.5, -1.0, 0.0));
  }
}

// OpenCV's calibration sample: ((2 j + i mod 2) square, i square) for disc j of row i.
TEST(TargetPoints, OfAsymmetricCirclesShiftEveryOtherRow) {
  const std::vector<Eigen::Vector3d> points = TargetPoints(
      {.type = TargetType::kAsymmetricCircles, .columns = 4, .rows = 11, .square = 0.5});
  ASSERT_EQ(points.size(), 44U);
  EXPECT_EQ(points[3], Eigen::Vector3d(3.0, 0.0, 0.0));
  EXPECT_EQ(points[4], Eigen::Vector3d(0.5, -0.5, 0.0));
  EXPECT_EQ(points[8], Eigen::Vector3d(0.0, -1.0, 0.0));
  EXPECT_EQ(points[43], Eigen::Vector3d(3.0, -5.0, 0.0));
}

TEST(FindTarget, SaysWhichTargetWasLookedFor) {
  const cv::Mat grey(240, 320, CV_8UC1, cv::Scalar(90)), light(240, 320, CV_32FC1, cv::Scalar(0.1));
  capture::Board board{.columns = 5,
                       .rows = 4,
                       .square = 0.02,
                       .marker = 0.01,
                       .dictionary = "DICT_4X4_50",
                       .diameter = 0.01};
  const auto reason = [&](TargetType type) {
    board.type = type;
    const BoardCorners found = FindTarget(grey, light, board);
    EXPECT_FALSE(found.found);
    EXPECT_TRUE(found.pixels.empty());
    EXPECT_FALSE(FindOtherTarget(grey, light, board).has_value());
    return found.reason;
  };
  EXPECT_EQ(reason(TargetType::kChessboard), "no chessboard of 5 x 4 inner corners found");
  EXPECT_EQ(reason(TargetType::kCharuco),
            "no ChArUco board of 5 x 4 inner corners with markers of DICT_4X4_50 found: no "
            "markers, 0 other quadrilaterals seen; is the dictionary right?");
  EXPECT_EQ(reason(TargetType::kCircles), "no grid of 5 x 4 circles found");
  EXPECT_EQ(reason(TargetType::kAsymmetricCircles), "no asymmetric grid of 5 x 4 circles found");
}

}  // namespace
}  // namespace percuss::calibration
