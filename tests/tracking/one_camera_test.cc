// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// One camera looks at a motion in space or in the plane y = 0 of W. Truth: known states; pixels
// come from OpenCV's projection (synthetic_trial.h).

#include <gmock/gmock.h>

#include <cmath>
#include <random>
#include <string>

#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/labels/layout_search.h"
#include "tracking/pose/three_points.h"

namespace percuss::tracking {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// The bar with six markers, seen by the left camera alone.
SyntheticTrial SeenByOne() {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.calibration.cameras.resize(1);
  const int size = calibration::NumRigParameters(1);
  trial.calibration.covariance = Eigen::MatrixXd::Zero(size, size);
  return trial;
}

struct OneCamera {
  const char* name;
  SyntheticTrial (*make)();
  std::size_t num_markers;
};

class OneCameraTrial : public ::testing::TestWithParam<OneCamera> {
 protected:
  const SyntheticTrial trial_ = GetParam().make();
  const std::size_t num_markers_ = GetParam().num_markers;
};

// Markers on one line, which in space would leave the turn about it open, are enough in the plane.
INSTANTIATE_TEST_SUITE_P(Motions, OneCameraTrial,
                         ::testing::Values(OneCamera{"InSpace", SeenByOne, 6},
                                           OneCamera{"InThePlane", MakePlanarTrial, 4}),
                         [](const auto& info) { return info.param.name; });

// Truth: directions computed from the pose.
TEST(PosesOfThreePoints, TheTrueOneIsAmongThem) {
  std::mt19937 random(81);
  std::normal_distribution<double> normal(0.0, 1.0);
  const auto vector = [&]() -> Eigen::Vector3d {
    const double x = normal(random), y = normal(random), z = normal(random);
    return {x, y, z};
  };
  int most = 0;
  for (int draw = 0; draw < 1000; ++draw) {
    const std::array<Eigen::Vector3d, 3> p_B = {0.1 * vector(), 0.1 * vector(), 0.1 * vector()};
    const Eigen::Vector3d axis = vector();
    const BodyPose truth{
        Eigen::Vector3d(0, 0, 1.5) + 0.2 * vector(),
        Eigen::Quaterniond(Eigen::AngleAxisd(3.0 * normal(random), axis.normalized()))};
    std::array<Eigen::Vector3d, 3> directions;
    for (std::size_t i = 0; i < 3; ++i)
      directions[i] = (truth.q_WB * p_B[i] + truth.p_WB).normalized();
    const std::vector<BodyPose> poses = PosesOfThreePoints(directions, p_B);
    most = std::max(most, static_cast<int>(poses.size()));
    double nearest = 1.0;
    for (const BodyPose& pose : poses) {
      nearest = std::min(
          nearest, (pose.p_WB - truth.p_WB).norm() + 0.1 * pose.q_WB.angularDistance(truth.q_WB));
    }
    // Where two poses meet, what rounding does to the roots is its square root.
    EXPECT_LT(nearest, 1e-4) << draw;
  }
  EXPECT_EQ(most, 4);
}

TEST(PosesOfThreePoints, PointsOnALineHaveNone) {
  const std::array<Eigen::Vector3d, 3> line = {Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(1, 0, 0),
                                               Eigen::Vector3d(2, 0, 0)};
  const std::array<Eigen::Vector3d, 3> seen = {Eigen::Vector3d(0, 0, 1),
                                               Eigen::Vector3d(0.1, 0, 1).normalized(),
                                               Eigen::Vector3d(0.2, 0, 1).normalized()};
  EXPECT_TRUE(PosesOfThreePoints(seen, line).empty());
}

TEST_P(OneCameraTrial, FindsTheMarkersAmongClutter) {
  std::mt19937 random(82);
  const auto spots = MakeSpots(trial_, {.noise_px = 0.1}, &random);
  for (const std::size_t k : {0u, 20u, 35u, 45u}) {
    const LabelledFrame frame =
        SearchLayout(ViewsOf(trial_.calibration), LayoutOf(trial_), {spots[0].frames[k].blobs, {}});
    ASSERT_TRUE(frame.found) << frame.reason;
    EXPECT_EQ(frame.observations.size(), num_markers_);
    const double time = static_cast<double>(k) / 120.0;
    EXPECT_LT(WorstLabel(trial_, time, frame.observations), 0.6);
    EXPECT_LT(frame.pose.pose.q_WB.angularDistance(trial_.StateAt(time).q_WB), 0.05) << k;
  }
}

TEST_P(OneCameraTrial, SaysThatTheLayoutIsNotThere) {
  std::mt19937 random(83);
  const auto spots = MakeSpots(trial_, {.noise_px = 0.1}, &random);
  MarkerLayout wrong = LayoutOf(trial_);
  for (std::size_t m = 0; m < wrong.p_BM.size(); ++m)
    wrong.p_BM[m].x() *= 0.5 + 0.2 * static_cast<double>(m);
  const LabelledFrame frame =
      SearchLayout(ViewsOf(trial_.calibration), wrong, {spots[0].frames[20].blobs, {}});
  EXPECT_FALSE(frame.found);
  EXPECT_THAT(frame.reason, AllOf(HasSubstr(std::to_string(num_markers_ + 10) + " spots, "),
                                  HasSubstr("at most")));
}

TEST_P(OneCameraTrial, HasLabelsInEveryFrame) {
  std::mt19937 random(84);
  std::string reason;
  const TrackedTrial tracked =
      LabelTrial(trial_, MakeSpots(trial_, {.noise_px = 0.1}, &random), &reason);
  EXPECT_EQ(reason, "");
  EXPECT_EQ(tracked.num_frames, (std::array<int, 2>{60, 0}));
  ASSERT_EQ(tracked.frames.size(), 60u);
  for (const TrackedFrame& frame : tracked.frames) {
    EXPECT_TRUE(frame.pose.found) << frame.left_frame;
    EXPECT_GE(frame.observations.size(), num_markers_ - 1) << frame.left_frame;
    EXPECT_LT(WorstLabel(trial_, frame.time, frame.observations), 0.6) << frame.left_frame;
  }
}

}  // namespace
}  // namespace percuss::tracking
