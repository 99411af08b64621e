// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: boards at known poses.

#include "calibration/board_video/view_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "calibration/targets/target_points.h"
#include "tests/calibration/targets/board_renderer.h"

namespace percuss::calibration {
namespace {

using ::testing::ElementsAre;

Candidate At(double place, double error_px) {
  return {.place = Eigen::VectorXd::Constant(1, place), .error_px = error_px};
}

TEST(ChooseViews, TakesWhatIsDifferentAndAtRest) {
  // The sharpest, the far end, and of two in the middle the one at rest.
  const std::vector<Candidate> candidates = {At(0.0, 0.0), At(0.5, 2.0), At(0.52, 0.05),
                                             At(1.0, 0.1)};
  EXPECT_THAT(ChooseViews(candidates, 3, 0.1), ElementsAre(0, 2, 3));
}

TEST(ChooseViews, EndsWhereNothingIsNew) {
  const std::vector<Candidate> candidates = {At(0.0, 0.0), At(0.001, 0.0), At(1.0, 0.0),
                                             At(1.001, 0.0)};
  EXPECT_EQ(ChooseViews(candidates, 4, 0.1).size(), 2U);
  EXPECT_TRUE(ChooseViews({}, 4, 0.1).empty());
}

TEST(ViewCoordinates, TellPlaceDistanceTiltAndTurn) {
  const capture::Board board{.columns = 9, .rows = 6, .square = 0.025};
  const std::vector<Eigen::Vector3d> points = TargetPoints(board);
  const auto coordinates = [&](double turn, const Eigen::Vector3d& tilt, double distance) {
    const Pose pose = BoardInFront(board, turn, tilt, {0.1 * distance, 0.0, distance});
    std::vector<Eigen::Vector2d> rays;
    for (const Eigen::Vector3d& point : points) rays.push_back((pose * point).hnormalized());
    return ViewCoordinates(rays, points, 0.5);
  };
  const Eigen::VectorXd straight = coordinates(0.0, Eigen::Vector3d::Zero(), 1.0);
  ASSERT_EQ(straight.size(), 7);
  EXPECT_NEAR(straight[0], 0.2, 1e-6);
  EXPECT_NEAR(straight[2], 0.0, 1e-6);
  EXPECT_NEAR(coordinates(0.0, Eigen::Vector3d::Zero(), 2.0)[2], std::log(2.0), 1e-6);
  // The normal, (0, 0, -1) turned about x.
  EXPECT_NEAR(coordinates(0.0, {0.4, 0.0, 0.0}, 1.0)[4], 1.5 * std::sin(0.4), 1e-6);
  EXPECT_NEAR(straight[5], 0.5, 1e-6);
  EXPECT_NEAR(std::abs(coordinates(0.5, Eigen::Vector3d::Zero(), 1.0)[6]), 0.5 * std::sin(0.5),
              1e-6);
  EXPECT_EQ(ViewCoordinates(std::vector<Eigen::Vector2d>(points.size(),
                                                         Eigen::Vector2d::Constant(std::nan(""))),
                            points, 0.5)
                .size(),
            0);
}

}  // namespace
}  // namespace percuss::calibration
