// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/targets/circle_grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "calibration/rig/disc_image.h"
#include "capture/video/tone.h"
#include "tests/calibration/targets/board_renderer.h"

namespace percuss::calibration {
namespace {

using testing::HasSubstr;
using CircleGridType = capture::Board::Type;

// Source of truth in all tests: the drawn discs and Project with DiscCentroidOffset.
const Camera kCircleGridCamera{
    .width = 480,
    .height = 360,
    .intrinsics = {520.0, 523.0, 236.0, 181.0, -0.2, 0.07, 0.0008, -0.0006, 0.0}};
const Eigen::Vector3d kCircleGridAhead(0.004, -0.007, 0.5);
const Eigen::Vector3d kCircleGridTilt(0.4, -0.3, 0.0);

capture::Board Board(CircleGridType type, int columns, int rows, double square, double diameter) {
  return {.type = type, .columns = columns, .rows = rows, .square = square, .diameter = diameter};
}

BoardCorners FindGrid(const cv::Mat& grey, const capture::Board& board) {
  return FindCircleGrid(grey, capture::Linearise(grey, capture::LightOfGrey({})), board);
}

cv::Mat CircleGridPicture(const capture::Board& board, const Pose& pose, const Scene& scene = {}) {
  return RenderPrint(kCircleGridCamera, pose, PrintOf(board, scene), scene);
}

std::vector<Eigen::Vector2d> Truth(const Camera& camera, const capture::Board& board,
                                   const Pose& pose) {
  std::vector<Eigen::Vector2d> truth;
  for (const Eigen::Vector3d& point : TargetPoints(board)) {
    truth.push_back(Project(camera, Eigen::Vector3d(pose * point)) +
                    DiscCentroidOffset(camera, pose, point, 0.5 * board.diameter));
  }
  return truth;
}

double WorstError(const BoardCorners& found, const std::vector<Eigen::Vector2d>& truth) {
  double worst = 0.0;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    worst = std::max(worst, (found.pixels[k] - truth[k]).norm());  // NaN is seen by the caller
  }
  return worst;
}

bool AllSeen(const BoardCorners& found) {
  for (const Eigen::Vector2d& pixel : found.pixels) {
    if (!pixel.allFinite()) return false;
  }
  return true;
}

struct Spread {
  double rms = 0.0, sigma = 0.0, chi_square = 0.0;  // the latter is the mean of one coordinate
};

Spread SpreadOverDraws(const capture::Board& board, const Scene& scene, double noise_grey) {
  const Pose pose = BoardInFront(board, 0.3, kCircleGridTilt, kCircleGridAhead);
  const cv::Mat light = RenderLight(kCircleGridCamera, pose, PrintOf(board, scene), scene);
  const std::vector<Eigen::Vector2d> truth = Truth(kCircleGridCamera, board, pose);
  double squares = 0.0, variances = 0.0, chi_square = 0.0;
  int count = 0;
  for (std::uint32_t draw = 0; draw < 10; ++draw) {
    const BoardCorners found = FindGrid(Photograph(light, noise_grey, draw), board);
    EXPECT_TRUE(found.found) << found.reason;
    if (!found.found) continue;
    for (std::size_t k = 0; k < truth.size(); ++k) {
      const Eigen::Vector2d error = found.pixels[k] - truth[k];
      squares += error.squaredNorm();
      variances += found.covariances_px2[k].trace();
      chi_square += error.dot(found.covariances_px2[k].inverse() * error);
      count += 2;
    }
  }
  return {std::sqrt(squares / count), std::sqrt(variances / count), chi_square / count};
}

// 10 draws of 60 or more coordinates know the mean of chi-square to 6 %; the band is four times
// that. About what is not noise: the light of sRGB pixels is noisier where it is brighter, which
// the two levels of noise follow only roughly on the outline.
TEST(FindCircleGrid, ErrorsAreAsLargeAsTheCovarianceSays) {
  struct Case {
    capture::Board board;
    Scene scene;
  };
  const std::vector<Case> cases = {
      {Board(CircleGridType::kCircles, 7, 6, 0.03, 0.015), {}},
      {Board(CircleGridType::kCircles, 7, 6, 0.03, 0.015), {.bright_discs = true}},
      {Board(CircleGridType::kCircles, 7, 6, 0.03, 0.007), {}},  // about 7 px
      {Board(CircleGridType::kAsymmetricCircles, 4, 9, 0.02, 0.017), {}},
      {Board(CircleGridType::kCircles, 7, 6, 0.03, 0.022), {.blur_px = 1.2, .falloff = 0.001}}};
  for (const double noise_grey : {1.0, 2.0}) {
    for (const Case& c : cases) {
      const Spread spread = SpreadOverDraws(c.board, c.scene, noise_grey);
      EXPECT_LT(spread.rms, 1.3 * spread.sigma) << c.board.diameter << " " << noise_grey;
      EXPECT_NEAR(spread.chi_square, 1.0, 0.25) << c.board.diameter << " " << noise_grey;
    }
  }
}

// Seen face on at a whole number of pixels per step, all discs lie alike on the pixel grid.
TEST(FindCircleGrid, CentroidsDoNotDependOnHowTheyLieOnThePixels) {
  const Camera camera{.width = 240, .height = 200, .intrinsics = {600.0, 600.0, 120.0, 100.0}};
  for (const double diameter : {0.006, 0.0107}) {
    const capture::Board board = Board(CircleGridType::kCircles, 7, 6, 0.02, diameter);
    for (const double phase : {0.0, 0.25, 0.5, 0.75}) {
      const Pose pose =
          BoardInFront(board, 0.0, {0.0, 0.0, 0.0}, {phase * 0.001, (phase + 0.15) * 0.001, 0.6});
      const Scene scene{.blur_px = 0.3, .noise_grey = 0.5};
      const BoardCorners found =
          FindGrid(RenderPrint(camera, pose, PrintOf(board, scene), scene), board);
      ASSERT_TRUE(found.found) << found.reason;
      const std::vector<Eigen::Vector2d> truth = Truth(camera, board, pose);
      Eigen::Vector2d bias = Eigen::Vector2d::Zero();
      for (std::size_t k = 0; k < truth.size(); ++k) bias += (found.pixels[k] - truth[k]) / 42.0;
      EXPECT_LT(bias.norm(), 0.01) << diameter << " " << phase;
    }
  }
}

// Light that changes by 0.3 % per pixel would move centroids of 23 px discs by 0.1 px.
TEST(FindCircleGrid, CentroidsDoNotFollowTheLight) {
  for (const bool bright : {false, true}) {
    const capture::Board board = Board(CircleGridType::kCircles, 7, 5, 0.035, 0.022);
    const Pose pose = BoardInFront(board, 0.0, {0.0, 0.0, 0.0}, kCircleGridAhead);
    const Scene scene{.noise_grey = 0.5, .falloff = 0.003, .bright_discs = bright};
    const BoardCorners found = FindGrid(CircleGridPicture(board, pose, scene), board);
    ASSERT_TRUE(found.found) << found.reason;
    const std::vector<Eigen::Vector2d> truth = Truth(kCircleGridCamera, board, pose);
    Eigen::Vector2d bias = Eigen::Vector2d::Zero();
    for (std::size_t k = 0; k < truth.size(); ++k) bias += (found.pixels[k] - truth[k]) / 35.0;
    EXPECT_LT(bias.norm(), 0.01) << bright;
  }
}

// Turned less than a quarter turn, columns point to the right; beyond, the other end is first.
TEST(FindCircleGrid, OrderOfSymmetricCirclesPointsToTheRight) {
  const capture::Board board = Board(CircleGridType::kCircles, 7, 5, 0.03, 0.015);
  for (const double turn : {0.0, 1.2, -1.2, 2.2, 3.1}) {
    const Pose pose = BoardInFront(board, turn, kCircleGridTilt, kCircleGridAhead);
    const BoardCorners found = FindGrid(CircleGridPicture(board, pose), board);
    ASSERT_TRUE(found.found) << found.reason;
    EXPECT_FALSE(found.order_known);
    ASSERT_TRUE(AllSeen(found));
    std::vector<Eigen::Vector2d> truth = Truth(kCircleGridCamera, board, pose);
    if (std::abs(turn) > 1.5) std::reverse(truth.begin(), truth.end());
    EXPECT_LT(WorstError(found, truth), 0.05) << turn;
    EXPECT_GT((found.pixels[6] - found.pixels[0]).x(), 0.0);
  }
}

TEST(FindCircleGrid, OrderOfASquareGridMayBeTurnedByQuarters) {
  const capture::Board board = Board(CircleGridType::kCircles, 5, 5, 0.03, 0.015);
  const Pose pose =
      BoardInFront(board, 1.4, kCircleGridTilt, kCircleGridAhead);  // columns nearly upwards
  const BoardCorners found = FindGrid(CircleGridPicture(board, pose), board);
  ASSERT_TRUE(found.found) << found.reason;
  EXPECT_FALSE(found.order_known);
  const Eigen::Vector2d along = found.pixels[4] - found.pixels[0];
  const Eigen::Vector2d down = found.pixels[20] - found.pixels[0];
  EXPECT_GT(along.x(), std::abs(along.y()));
  EXPECT_GT(along.x() * down.y() - along.y() * down.x(), 0.0);
}

TEST(FindCircleGrid, OrderOfAsymmetricCirclesIsKnownForOddRows) {
  const capture::Board board = Board(CircleGridType::kAsymmetricCircles, 4, 9, 0.02, 0.015);
  for (const double turn : {0.0, 0.8, 1.6, 3.0, 4.5}) {
    const Pose pose = BoardInFront(board, turn, kCircleGridTilt, kCircleGridAhead);
    const BoardCorners found = FindGrid(CircleGridPicture(board, pose), board);
    ASSERT_TRUE(found.found) << found.reason;
    EXPECT_TRUE(found.order_known);
    ASSERT_TRUE(AllSeen(found));
    EXPECT_LT(WorstError(found, Truth(kCircleGridCamera, board, pose)), 0.05) << turn;
  }
}

TEST(FindCircleGrid, OrderOfAsymmetricCirclesMayBeTurnedForEvenRows) {
  const capture::Board board = Board(CircleGridType::kAsymmetricCircles, 5, 8, 0.02, 0.015);
  for (const double turn : {0.3, 3.0}) {
    const Pose pose = BoardInFront(board, turn, kCircleGridTilt, kCircleGridAhead);
    const BoardCorners found = FindGrid(CircleGridPicture(board, pose), board);
    ASSERT_TRUE(found.found) << found.reason;
    EXPECT_FALSE(found.order_known);
    std::vector<Eigen::Vector2d> truth = Truth(kCircleGridCamera, board, pose);
    if (turn > 1.5) std::reverse(truth.begin(), truth.end());
    EXPECT_LT(WorstError(found, truth), 0.05) << turn;
  }
}

TEST(FindCircleGrid, SaysWhichOtherSizeItSaw) {
  const capture::Board board = Board(CircleGridType::kCircles, 7, 5, 0.03, 0.015);
  const cv::Mat grey =
      CircleGridPicture(board, BoardInFront(board, 0.2, kCircleGridTilt, kCircleGridAhead));
  for (const auto& [columns, rows] : {std::pair(6, 5), {7, 4}, {8, 5}, {3, 3}}) {
    const BoardCorners found =
        FindGrid(grey, Board(CircleGridType::kCircles, columns, rows, 0.03, 0.015));
    EXPECT_FALSE(found.found);
    EXPECT_THAT(found.reason, HasSubstr("; the picture shows 7 x 5 circles"));
  }
  // The same board, described by its other side.
  EXPECT_TRUE(FindGrid(grey, Board(CircleGridType::kCircles, 5, 7, 0.03, 0.015)).found);
}

// The picture cuts the last column through its discs: the others are a whole grid of 6 x 5.
TEST(FindCircleGrid, RefusesALargerGridThatThePictureCuts) {
  const capture::Board board = Board(CircleGridType::kCircles, 7, 5, 0.03, 0.02);
  const Pose pose = BoardInFront(board, 0.0, {0.0, 0.0, 0.0}, kCircleGridAhead);
  const double last = Truth(kCircleGridCamera, board, pose)[2 * 7 + 6].x();
  const cv::Mat cut =
      CircleGridPicture(board, pose).colRange(0, static_cast<int>(last) + 6).clone();
  const BoardCorners found = FindGrid(cut, Board(CircleGridType::kCircles, 6, 5, 0.03, 0.02));
  EXPECT_FALSE(found.found);
  EXPECT_EQ(found.reason, "the grid of circles has more than the described 6 x 5 circles");
}

// Neither a chessboard nor clutter is a grid of circles.
TEST(FindCircleGrid, FindsNothingElsewhere) {
  const capture::Board chessboard{.columns = 7, .rows = 5, .square = 0.03};
  const capture::Board board = Board(CircleGridType::kCircles, 7, 5, 0.03, 0.015);
  EXPECT_FALSE(FindGrid(CircleGridPicture(chessboard, BoardInFront(chessboard, 0.2, kCircleGridTilt,
                                                                   kCircleGridAhead)),
                        board)
                   .found);
  cv::Mat clutter(360, 480, CV_8UC1);
  cv::RNG random(3);
  random.fill(clutter, cv::RNG::UNIFORM, 0, 256);
  cv::GaussianBlur(clutter, clutter, {0, 0}, 2.5);
  cv::normalize(clutter, clutter, 0, 255, cv::NORM_MINMAX);
  EXPECT_FALSE(FindGrid(clutter, board).found);
}

TEST(FindCircleGrid, ThrowsForTooFewCircles) {
  const cv::Mat grey(60, 80, CV_8UC1, cv::Scalar(90)), light(60, 80, CV_32FC1, cv::Scalar(0.1));
  EXPECT_THROW(FindCircleGrid(grey, light, Board(CircleGridType::kCircles, 2, 5, 0.03, 0.02)),
               std::invalid_argument);
  EXPECT_THROW(
      FindCircleGrid(grey, light, Board(CircleGridType::kAsymmetricCircles, 4, 2, 0.03, 0.02)),
      std::invalid_argument);
  EXPECT_THROW(FindCircleGrid(light, light, Board(CircleGridType::kCircles, 4, 4, 0.03, 0.02)),
               std::invalid_argument);
}

}  // namespace
}  // namespace percuss::calibration
