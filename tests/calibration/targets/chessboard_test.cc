// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/targets/chessboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "capture/video/tone.h"
#include "tests/calibration/bundle/synthetic_rig.h"

namespace percuss::calibration {
namespace {

const Camera kChessboardCamera{
    .width = 480, .height = 360, .intrinsics = {520.0, 523.0, 236.0, 181.0}};

// The camera looks down on the printed side, z of the board towards it.
Pose BoardFromCamera(double turn, double tilt) {
  Pose camera_from_board;
  camera_from_board.R = RotationFromVector({tilt, 0.3 * tilt, 0.0}) *
                        Eigen::Vector3d(1.0, -1.0, -1.0).asDiagonal() *
                        RotationFromVector({0.0, 0.0, turn});
  const Eigen::Vector3d middle(0.1, -0.0625, 0.0);
  camera_from_board.t = Eigen::Vector3d(0.004, -0.007, 0.48) - camera_from_board.R * middle;
  return camera_from_board.Inverse();
}

BoardCorners Find(const cv::Mat& grey, int columns, int rows, bool quick = false) {
  const cv::Mat light = capture::Linearise(grey, capture::LightOfGrey(capture::Tone{}));
  return FindBoard(grey, light, {.columns = columns, .rows = rows, .square = kSyntheticSquare},
                   {.quick = quick});
}

// Source of truth: the drawn board. Its colours fix the order, so that corner (i, j) is at
// (square i, -square j, 0) in board axes however the camera is turned.
// The quick way uses another detector, which counts from another end.
TEST(FindBoard, OrderAndPlacesAreThoseOfTheDrawnBoardHoweverItIsTurned) {
  for (const double turn : {0.0, 0.6, 1.9, std::numbers::pi, 4.2, 5.5}) {
    const Pose board_from_camera = BoardFromCamera(turn, 0.4);
    const cv::Mat grey = RenderBoard(kChessboardCamera, board_from_camera, 9, 6);
    for (const bool quick : {false, true}) {
      const BoardCorners found = Find(grey, 9, 6, quick);
      ASSERT_TRUE(found.found) << turn << ": " << found.reason;
      EXPECT_TRUE(found.order_known);
      ASSERT_EQ(found.pixels.size(), 54U);
      for (int k = 0; k < 54; ++k) {
        const Eigen::Vector3d p_G(kSyntheticSquare * (k % 9), -kSyntheticSquare * (k / 9), 0.0);
        const Eigen::Vector2d truth = Project(kChessboardCamera, board_from_camera.Inverse() * p_G);
        // 0.05 px: 8-bit rounding and the pixels' square shape.
        EXPECT_LT((found.pixels[static_cast<std::size_t>(k)] - truth).norm(), 0.05)
            << turn << " " << quick << " corner " << k;
      }
    }
  }
}

// As on the floor of a small picture: squares of 9 px and, foreshortened, 4 px.
TEST(FindBoard, FindsSquaresOfAFewPixels) {
  Pose camera_from_board = BoardFromCamera(0.2, 1.05).Inverse();
  camera_from_board.t.z() += 1.0;
  const Pose board_from_camera = camera_from_board.Inverse();
  const BoardCorners found = Find(RenderBoard(kChessboardCamera, board_from_camera, 9, 6), 9, 6);
  ASSERT_TRUE(found.found) << found.reason;
  for (int k = 0; k < 54; ++k) {
    const Eigen::Vector3d p_G(kSyntheticSquare * (k % 9), -kSyntheticSquare * (k / 9), 0.0);
    const Eigen::Vector2d truth = Project(kChessboardCamera, camera_from_board * p_G);
    EXPECT_LT((found.pixels[static_cast<std::size_t>(k)] - truth).norm(), 0.1) << "corner " << k;
  }
}

TEST(FindBoard, TheFirstCornerIsAtTheBlackEndAlsoForATallBoard) {
  const Pose board_from_camera = BoardFromCamera(0.2, 0.3);
  Pose turned = board_from_camera;  // a 6 x 9 board: shift its middle to the place of the other
  turned.t += Eigen::Vector3d(-0.0375, -0.0375, 0.0);
  const BoardCorners found = Find(RenderBoard(kChessboardCamera, turned, 6, 9), 6, 9);
  ASSERT_TRUE(found.found) << found.reason;
  EXPECT_TRUE(found.order_known);
  EXPECT_LT((found.pixels[0] - Project(kChessboardCamera, turned.Inverse().t)).norm(), 0.05);
}

// Exchanged colours are the same board turned by half a turn.
TEST(FindBoard, ExchangedColoursMoveTheFirstCornerToTheOppositeOne) {
  const Pose board_from_camera = BoardFromCamera(0.2, 0.3);
  const BoardCorners plain = Find(RenderBoard(kChessboardCamera, board_from_camera, 9, 6), 9, 6);
  const BoardCorners inverted =
      Find(RenderBoard(kChessboardCamera, board_from_camera, 9, 6, true), 9, 6);
  ASSERT_TRUE(plain.found && inverted.found);
  EXPECT_LT((plain.pixels.front() - inverted.pixels.back()).norm(), 0.05);
}

// The order is then the one whose columns point to the right, rows clockwise from them. Of a square
// board with odd numbers the colours still tell quarter turns: square (-1, -1) is black.
TEST(FindBoard, WhereTheEndsCannotBeToldColumnsPointToTheRight) {
  struct Case {
    int columns, rows;
    double turn;
    bool half_turned;  // against the drawn order
  };
  for (const Case& c : {Case{8, 6, 0.1, false},
                        {8, 6, 2.6, true},
                        {7, 5, 0.5, false},
                        {7, 5, 3.3, true},
                        {5, 5, 1.2, false},
                        {5, 5, -1.2, false},
                        {5, 5, 2.2, true}}) {
    const Pose board_from_camera = BoardFromCamera(c.turn, 0.3);
    const BoardCorners found = Find(
        RenderBoard(kChessboardCamera, board_from_camera, c.columns, c.rows), c.columns, c.rows);
    ASSERT_TRUE(found.found) << c.columns << " " << c.rows << ": " << found.reason;
    EXPECT_FALSE(found.order_known);
    const auto truth = [&](int i, int j) -> Eigen::Vector2d {
      if (c.half_turned) {
        i = c.columns - 1 - i;
        j = c.rows - 1 - j;
      }
      const Eigen::Vector3d p_G(kSyntheticSquare * i, -kSyntheticSquare * j, 0.0);
      return Project(kChessboardCamera, board_from_camera.Inverse() * p_G);
    };
    EXPECT_LT((found.pixels[0] - truth(0, 0)).norm(), 0.05) << c.columns << " " << c.turn;
    EXPECT_LT(
        (found.pixels[static_cast<std::size_t>(c.columns) - 1] - truth(c.columns - 1, 0)).norm(),
        0.05)
        << c.columns << " " << c.turn;
  }
}

// With even numbers on both sides, a square board looks the same after quarter turns.
TEST(FindBoard, ASquareEvenBoardIsTurnedByQuarters) {
  const BoardCorners found =
      Find(RenderBoard(kChessboardCamera, BoardFromCamera(1.4, 0.3), 6, 6), 6, 6);
  ASSERT_TRUE(found.found) << found.reason;
  EXPECT_FALSE(found.order_known);
  const Eigen::Vector2d along = found.pixels[5] - found.pixels[0];
  const Eigen::Vector2d down = found.pixels[30] - found.pixels[0];
  EXPECT_GT(along.x(), std::abs(along.y()));
  EXPECT_GT(along.x() * down.y() - along.y() * down.x(), 0.0);
}

TEST(FindBoard, RefusesALargerAndASmallerBoardThanDescribed) {
  const cv::Mat grey = RenderBoard(kChessboardCamera, BoardFromCamera(0.1, 0.3), 9, 6);
  for (const auto& [columns, rows] :
       {std::pair(8, 6), {9, 5}, {9, 4}, {5, 6}, {7, 4}, {3, 4}, {10, 6}, {9, 7}}) {
    const BoardCorners found = Find(grey, columns, rows);
    EXPECT_FALSE(found.found) << columns << " x " << rows;
    EXPECT_THAT(found.reason, testing::HasSubstr(std::to_string(columns) + " x " +
                                                 std::to_string(rows) + " inner corners"));
  }
}

// Smudges over the corners of the last row of a 9 x 7 board leave a perfect 9 x 6 one; but the
// pattern goes on after it.
TEST(FindBoard, RefusesALargerBoardWhoseLastRowIsDamaged) {
  const Pose board_from_camera = BoardFromCamera(0.1, 0.3);
  cv::Mat grey = RenderBoard(kChessboardCamera, board_from_camera, 9, 7);
  for (int i = 0; i < 9; ++i) {
    const Eigen::Vector3d p_G(i * kSyntheticSquare, -6 * kSyntheticSquare, 0.0);
    const Eigen::Vector2d corner = Project(kChessboardCamera, board_from_camera.Inverse() * p_G);
    cv::circle(grey, cv::Point(static_cast<int>(corner.x()), static_cast<int>(corner.y())), 8,
               cv::Scalar(200), cv::FILLED);
  }
  const BoardCorners found = Find(grey, 9, 6);
  EXPECT_FALSE(found.found);
  EXPECT_EQ(found.reason, "the chessboard has more than the described 9 x 6 inner corners");
}

TEST(FindBoard, SaysThatThereIsNoBoard) {
  const BoardCorners found = Find(cv::Mat(360, 480, CV_8UC1, cv::Scalar(90)), 9, 6);
  EXPECT_FALSE(found.found);
  EXPECT_EQ(found.reason, "no chessboard of 9 x 6 inner corners found");
  EXPECT_TRUE(found.pixels.empty());
}

TEST(FindBoard, ThrowsForImagesOfAnotherKind) {
  const cv::Mat grey(360, 480, CV_8UC1, cv::Scalar(90)), light(360, 480, CV_32FC1);
  const capture::Board board{.columns = 9, .rows = 6, .square = 0.02};
  EXPECT_THROW(FindBoard(grey, grey, board), std::invalid_argument);
  EXPECT_THROW(FindBoard(grey, light(cv::Rect(0, 0, 10, 10)), board), std::invalid_argument);
  EXPECT_THROW(FindBoard(grey, light, {.columns = 2, .rows = 6, .square = 0.02}),
               std::invalid_argument);
}

TEST(FindGridSize, SeesTheSizeOfTheBoard) {
  const cv::Mat grey = RenderBoard(kChessboardCamera, BoardFromCamera(0.1, 0.3), 9, 6);
  const cv::Mat light = capture::Linearise(grey, capture::LightOfGrey(capture::Tone{}));
  const std::optional<GridSize> size = FindGridSize(grey, light);
  ASSERT_TRUE(size.has_value());
  EXPECT_EQ(size->columns, 9);
  EXPECT_EQ(size->rows, 6);
}

}  // namespace
}  // namespace percuss::calibration
