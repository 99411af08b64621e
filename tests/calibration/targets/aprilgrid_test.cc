// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/targets/aprilgrid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "calibration/targets/target.h"
#include "capture/video/tone.h"
#include "tests/calibration/targets/board_renderer.h"

namespace percuss::calibration {
namespace {

using testing::HasSubstr;

// Source of truth in all tests: the drawn board and Project.
const Camera kGridCamera{
    .width = 640,
    .height = 480,
    .intrinsics = {700.0, 703.0, 316.0, 241.0, -0.1, 0.03, 0.0006, -0.0004, 0.0}};

capture::Board Kalibr(int columns, int rows) {
  return {.type = capture::Board::Type::kAprilGrid,
          .columns = 2 * columns,
          .rows = 2 * rows,
          .square = 0.04,
          .dictionary = "DICT_APRILTAG_36h11",
          .spacing = 0.3};
}

BoardCorners FindTags(const cv::Mat& grey, const capture::Board& board) {
  return FindTarget(grey, capture::Linearise(grey, capture::LightOfGrey({})), board);
}

cv::Mat GridPicture(const capture::Board& board, const Pose& pose, const Scene& scene = {}) {
  return RenderPrint(kGridCamera, pose, PrintOf(board, scene), scene);
}

Pose InFront(const capture::Board& board, double turn) {
  return BoardInFront(board, turn, {0.3, -0.2, 0.0}, {0.004, -0.007, 0.5});
}

struct GridErrors {
  int seen = 0;
  double worst = 0.0, rms = 0.0, normalised = 0.0;
};

GridErrors ErrorsOf(const BoardCorners& corners, const capture::Board& board, const Pose& pose) {
  const std::vector<Eigen::Vector3d> points = TargetPoints(board);
  GridErrors errors;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (!corners.pixels[k].allFinite()) continue;
    const Eigen::Vector2d truth = Project(kGridCamera, Eigen::Vector3d(pose * points[k]));
    const Eigen::Vector2d error = corners.pixels[k] - truth;
    ++errors.seen;
    errors.worst = std::max(errors.worst, error.norm());
    errors.rms += 0.5 * error.squaredNorm();
    errors.normalised += 0.5 * error.dot(corners.covariances_px2[k].inverse() * error);
  }
  errors.rms = std::sqrt(errors.rms / errors.seen);
  errors.normalised /= errors.seen;
  return errors;
}

// 0.1 px: a few sigmas of the noise, in corners of which the window is a few pixels wide.
TEST(FindAprilGrid, OrderAndPlacesAreThoseOfTheDrawnBoardHoweverItIsTurned) {
  const capture::Board board = Kalibr(4, 3);
  for (const double turn : {0.0, 0.8, 1.6, 2.9, 4.4}) {
    const Pose pose = InFront(board, turn);
    const BoardCorners found = FindTags(GridPicture(board, pose), board);
    ASSERT_TRUE(found.found) << found.reason;
    EXPECT_TRUE(found.order_known);
    const GridErrors errors = ErrorsOf(found, board, pose);
    EXPECT_GE(errors.seen, 44) << turn;
    EXPECT_LT(errors.worst, 0.1) << turn;
    EXPECT_LT(errors.rms, 0.03) << turn;
  }
}

// As FindCharuco's: linear tone, 8 draws of 96 coordinates, chi-square to 5 %, three times that.
TEST(FindAprilGrid, StatedCovarianceIsNotSmallerThanTheSpreadOverDraws) {
  const capture::Board board = Kalibr(4, 3);
  const Pose pose = InFront(board, 0.3);
  const cv::Mat light = RenderLight(kGridCamera, pose, PrintOf(board, {}), {});
  double chi_square = 0.0;
  for (std::uint32_t draw = 0; draw < 8; ++draw) {
    const cv::Mat grey = Photograph(light, 2.0, draw, capture::Tone::Kind::kLinear);
    const BoardCorners found = FindTarget(
        grey, capture::Linearise(grey, capture::LightOfGrey({capture::Tone::Kind::kLinear})),
        board);
    ASSERT_TRUE(found.found) << found.reason;
    chi_square += ErrorsOf(found, board, pose).normalised / 8.0;
  }
  EXPECT_LT(chi_square, 1.15);
  EXPECT_GT(chi_square, 0.4);
}

TEST(FindAprilGrid, PrintsMayBeTurned) {
  const capture::Board board = Kalibr(4, 3);
  const Pose pose = InFront(board, 0.3);
  for (const int turn : {1, 2, 3}) {
    const BoardCorners found = FindTags(GridPicture(board, pose, {.tag_turn = turn}), board);
    ASSERT_TRUE(found.found) << found.reason;
    EXPECT_LT(ErrorsOf(found, board, pose).worst, 0.1) << turn;
  }
}

TEST(FindAprilGrid, PartOfABoardIsEnough) {
  const capture::Board board = Kalibr(4, 3);
  const Pose pose = InFront(board, 0.3);
  cv::Mat grey = GridPicture(board, pose);
  grey(cv::Rect(0, 0, 330, 480)).setTo(60);
  const BoardCorners found = FindTags(grey, board);
  ASSERT_TRUE(found.found) << found.reason;
  const GridErrors errors = ErrorsOf(found, board, pose);
  EXPECT_GE(errors.seen, 8);
  EXPECT_LT(errors.seen, 40);
  EXPECT_LT(errors.worst, 0.1);
}

TEST(FindAprilGrid, SaysWhatItSeesInstead) {
  const capture::Board board = Kalibr(4, 3);
  const cv::Mat grey = GridPicture(board, InFront(board, 0.0));
  capture::Board other = board;
  other.dictionary = "DICT_7X7_50";
  EXPECT_THAT(FindTags(grey, other).reason, HasSubstr("is the dictionary right?"));
  const auto seen =
      FindOtherTarget(grey, capture::Linearise(grey, capture::LightOfGrey({})), Kalibr(6, 6));
  ASSERT_TRUE(seen);
  EXPECT_THAT(seen->description, HasSubstr("4 x 3 tags"));
  EXPECT_FALSE(FindTags(cv::Mat(480, 640, CV_8U, cv::Scalar(90)), board).found);
  capture::Board flat = board;
  flat.spacing = 0.0;
  EXPECT_THROW(FindTags(grey, flat), std::invalid_argument);
}

}  // namespace
}  // namespace percuss::calibration
