// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/targets/charuco.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "capture/video/tone.h"
#include "tests/calibration/targets/board_renderer.h"

namespace percuss::calibration {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Source of truth in all tests: the drawn board and Project.
const Camera kCamera{.width = 480,
                     .height = 360,
                     .intrinsics = {520.0, 523.0, 236.0, 181.0, -0.1, 0.03, 0.0006, -0.0004, 0.0}};
const Eigen::Vector3d kAhead(0.004, -0.007, 0.52);
const Eigen::Vector3d kTilt(0.3, -0.2, 0.0);

capture::Board Board(int columns, int rows) {
  return {.type = capture::Board::Type::kCharuco,
          .columns = columns,
          .rows = rows,
          .square = 0.03,
          .marker = 0.022,
          .dictionary = "DICT_5X5_100"};
}

BoardCorners Find(const cv::Mat& grey, const capture::Board& board,
                  capture::Tone::Kind tone = capture::Tone::Kind::kSrgb) {
  return FindCharuco(grey, capture::Linearise(grey, capture::LightOfGrey({.kind = tone})), board);
}

cv::Mat Picture(const capture::Board& board, const Pose& pose, const Scene& scene = {}) {
  return RenderPrint(kCamera, pose, PrintOf(board, scene), scene);
}

int CountSeen(const BoardCorners& corners) {
  return static_cast<int>(std::count_if(corners.pixels.begin(), corners.pixels.end(),
                                        [](const auto& pixel) { return pixel.allFinite(); }));
}

double WorstError(const BoardCorners& corners, const capture::Board& board, const Pose& pose) {
  const std::vector<Eigen::Vector3d> points = TargetPoints(board);
  double worst = 0.0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (!corners.pixels[k].allFinite()) continue;
    const Eigen::Vector2d truth = Project(kCamera, Eigen::Vector3d(pose * points[k]));
    worst = std::max(worst, (corners.pixels[k] - truth).norm());
  }
  return worst;
}

// 0.05 px: a few sigmas of the noise, and what the lens bends the edges.
TEST(FindCharuco, OrderAndPlacesAreThoseOfTheDrawnBoardHoweverItIsTurned) {
  for (const double turn : {0.0, 0.8, 1.6, 2.9, 4.4}) {
    const Pose pose = BoardInFront(Board(8, 6), turn, kTilt, kAhead);
    const BoardCorners found = Find(Picture(Board(8, 6), pose), Board(8, 6));
    ASSERT_TRUE(found.found) << found.reason;
    EXPECT_TRUE(found.order_known);
    EXPECT_EQ(CountSeen(found), 48) << turn;
    EXPECT_LT(WorstError(found, Board(8, 6), pose), 0.05) << turn;
  }
}

// Linear tone, so that the noise is the same everywhere as the covariance has it. What the model of
// two crossing edges does not fit counts as noise too, so the covariance may be too large, here by
// up to a factor of two; but not too small: 8 draws of 96 coordinates know the mean of chi-square
// to sqrt(2 / 768) = 5 %; the bound is three times that.
TEST(FindCharuco, StatedCovarianceIsNotSmallerThanTheSpreadOverDraws) {
  const capture::Board board = Board(8, 6);
  const Pose pose = BoardInFront(board, 0.3, kTilt, kAhead);
  const cv::Mat light = RenderLight(kCamera, pose, PrintOf(board, {}), {});
  const std::vector<Eigen::Vector3d> points = TargetPoints(board);
  double chi_square = 0.0, squares = 0.0;
  int count = 0;
  for (std::uint32_t draw = 0; draw < 8; ++draw) {
    const BoardCorners found = Find(Photograph(light, 2.0, draw, capture::Tone::Kind::kLinear),
                                    board, capture::Tone::Kind::kLinear);
    ASSERT_TRUE(found.found) << found.reason;
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (!found.pixels[k].allFinite()) continue;
      const Eigen::Vector2d error =
          found.pixels[k] - Project(kCamera, Eigen::Vector3d(pose * points[k]));
      chi_square += error.dot(found.covariances_px2[k].inverse() * error);
      squares += error.squaredNorm();
      count += 2;
    }
  }
  EXPECT_GT(count, 750);
  EXPECT_LT(std::sqrt(squares / count), 0.015);
  EXPECT_LT(chi_square / count, 1.15);
  EXPECT_GT(chi_square / count, 0.5);
}

TEST(FindCharuco, TellsBothPrintsOfEvenRowsOfSquares) {
  for (const int columns : {7, 8}) {
    for (const bool legacy : {false, true}) {
      const capture::Board board = Board(columns, 5);
      const Pose pose = BoardInFront(board, 0.3, kTilt, kAhead);
      const BoardCorners found = Find(Picture(board, pose, {.legacy = legacy}), board);
      ASSERT_TRUE(found.found) << found.reason;
      EXPECT_EQ(CountSeen(found), 5 * columns);
      EXPECT_LT(WorstError(found, board, pose), 0.05) << columns << " " << legacy;
    }
  }
}

TEST(FindCharuco, PartOfABoardIsEnough) {
  for (const int columns : {7, 8}) {
    for (const bool legacy : {false, true}) {
      // Of 9 columns of squares, the new print is told by its left end, the old one by its right.
      const capture::Board board = Board(columns, 5);
      const bool right_end = columns == 8 && legacy;
      const Pose pose = BoardInFront(board, 0.0, kTilt, {right_end ? -0.13 : 0.16, 0.0, 0.45});
      const BoardCorners found = Find(Picture(board, pose, {.legacy = legacy}), board);
      ASSERT_TRUE(found.found) << columns << " " << legacy << " " << found.reason;
      EXPECT_GE(CountSeen(found), 12);
      EXPECT_LT(CountSeen(found), 35);
      EXPECT_EQ(found.pixels.size(), 5U * static_cast<unsigned>(columns));
      EXPECT_LT(WorstError(found, board, pose), 0.05) << columns << " " << legacy;
      for (std::size_t k = 0; k < found.pixels.size(); ++k) {
        EXPECT_EQ(found.pixels[k].allFinite(), found.covariances_px2[k].allFinite());
      }
    }
  }
}

// Without that end of 9 columns of squares, every marker fits one square further on as well.
TEST(FindCharuco, RefusesAPartThatFitsBothPrintsUnlessToldWhich) {
  for (const bool legacy : {false, true}) {
    capture::Board board = Board(8, 5);
    const Pose pose = BoardInFront(board, 0.0, kTilt, {legacy ? 0.16 : -0.13, 0.0, 0.45});
    const cv::Mat grey = Picture(board, pose, {.legacy = legacy});
    const BoardCorners untold = Find(grey, board);
    EXPECT_FALSE(untold.found);
    EXPECT_THAT(untold.reason, HasSubstr("fit both ways"));
    board.legacy_pattern = legacy;
    const BoardCorners told = Find(grey, board);
    ASSERT_TRUE(told.found) << told.reason;
    EXPECT_GE(CountSeen(told), 12);
    EXPECT_LT(WorstError(told, board, pose), 0.05) << legacy;
  }
}

// All but the markers of one row are painted over: the corners around them lie on two lines, but
// which row it is depends on how the board was printed.
TEST(FindCharuco, RefusesMarkersOfOneRow) {
  const capture::Board board = Board(8, 5);
  const Pose pose = BoardInFront(board, 0.0, {0.0, 0.0, 0.0}, kAhead);
  cv::Mat grey = Picture(board, pose);
  const double above = Project(kCamera, Eigen::Vector3d(pose * Eigen::Vector3d(0, -0.03, 0))).y();
  const double below = Project(kCamera, Eigen::Vector3d(pose * Eigen::Vector3d(0, -0.06, 0))).y();
  grey.rowRange(0, static_cast<int>(above) - 6).setTo(90);
  grey.rowRange(static_cast<int>(below) + 6, grey.rows).setTo(90);
  const BoardCorners found = Find(grey, board);
  EXPECT_FALSE(found.found);
  EXPECT_THAT(found.reason, HasSubstr("markers of one row of squares do not tell where they are"));
}

// A patch around one corner is moved by 3 px.
TEST(FindCharuco, DropsACornerThatDoesNotFitItsNeighbours) {
  const capture::Board board = Board(8, 6);
  const Pose pose = BoardInFront(board, 0.1, kTilt, kAhead);
  cv::Mat grey = Picture(board, pose);
  const std::size_t place = 3 * 8 + 4;
  const Eigen::Vector2d corner =
      Project(kCamera, Eigen::Vector3d(pose * TargetPoints(board)[place]));
  const cv::Rect patch(static_cast<int>(corner.x()) - 9, static_cast<int>(corner.y()) - 9, 19, 19);
  grey(patch).clone().copyTo(grey(patch + cv::Point(3, 0)));
  const BoardCorners found = Find(grey, board);
  ASSERT_TRUE(found.found) << found.reason;
  EXPECT_FALSE(found.pixels[place].allFinite());
  EXPECT_GE(CountSeen(found), 45);
  EXPECT_LT(WorstError(found, board, pose), 0.05);
}

TEST(FindCharuco, SaysWhatItSawInstead) {
  const capture::Board board = Board(8, 6);
  const cv::Mat grey = Picture(board, BoardInFront(board, 0.1, kTilt, kAhead));
  cv::Mat mirrored;
  cv::flip(grey, mirrored, 1);
  EXPECT_THAT(Find(mirrored, board).reason, HasSubstr("in the mirrored picture"));

  capture::Board other = board;
  other.dictionary = "DICT_APRILTAG_36h11";
  EXPECT_THAT(Find(grey, other).reason,
              AllOf(HasSubstr("no markers"), HasSubstr("is the dictionary right?")));
  EXPECT_THAT(Find(grey, Board(8, 4)).reason,
              HasSubstr("more than the described 8 x 4 inner corners"));
  for (const int columns : {6, 7, 9, 10}) {
    const BoardCorners found = Find(grey, Board(columns, 6));
    EXPECT_FALSE(found.found) << columns;
    EXPECT_THAT(found.reason, HasSubstr("as on a board of 8 x 6 or more inner corners"));
  }
  EXPECT_EQ(DescribeOtherCharuco(grey, Board(5, 5)), "8 x 6 or more inner corners");
}

TEST(FindCharuco, ThrowsForABoardThatCannotBe) {
  const cv::Mat grey(60, 80, CV_8UC1, cv::Scalar(90)), light(60, 80, CV_32FC1, cv::Scalar(0.1));
  capture::Board board = Board(8, 6);
  board.marker = board.square;
  EXPECT_THROW(FindCharuco(grey, light, board), std::invalid_argument);
  board = Board(8, 6);
  board.dictionary = "DICT_9X9";
  EXPECT_THROW(FindCharuco(grey, light, board), std::invalid_argument);
  EXPECT_THROW(FindCharuco(grey, light, Board(1, 6)), std::invalid_argument);
  EXPECT_THROW(FindCharuco(grey, grey, Board(8, 6)), std::invalid_argument);
}

}  // namespace
}  // namespace percuss::calibration
