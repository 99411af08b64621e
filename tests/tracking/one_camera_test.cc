// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// One camera looks at a motion in space. Truth: known states; pixels come from OpenCV's projection
// (synthetic_trial.h).

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/labels/layout_search.h"
#include "tracking/pose/three_points.h"

namespace percuss::tracking {
namespace {

using ::testing::HasSubstr;

/// The bar with six markers, seen by the left camera alone.
SyntheticTrial SeenByOne() {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.calibration.cameras.resize(1);
  const int size = calibration::NumRigParameters(1);
  trial.calibration.covariance = Eigen::MatrixXd::Zero(size, size);
  return trial;
}

double WorstLabelOfOne(const SyntheticTrial& trial, double time,
                       const std::vector<MarkerObservation>& observations) {
  double worst = 0.0;
  const solver::FlightState<double> truth = trial.StateAt(time);
  for (const MarkerObservation& o : observations) {
    const Eigen::Vector3d& p_BM = trial.body.markers[static_cast<std::size_t>(o.marker)].p_BM;
    const Eigen::Vector2d pixel = OpenCvPixel(trial.calibration, 0, truth.q_WB * p_BM + truth.p_WB);
    worst = std::max(worst, (pixel - o.pixel).norm());
  }
  return worst;
}

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

TEST(SearchLayout, FindsABodyInSpaceByOneView) {
  const SyntheticTrial trial = SeenByOne();
  std::mt19937 random(82);
  const auto spots = MakeSpots(trial, {.noise_px = 0.1}, &random);
  for (const std::size_t k : {0u, 20u, 35u, 45u}) {
    const LabelledFrame frame =
        SearchLayout(ViewsOf(trial.calibration), LayoutOf(trial), {spots[0].frames[k].blobs, {}});
    ASSERT_TRUE(frame.found) << frame.reason;
    EXPECT_EQ(frame.observations.size(), 6u);
    EXPECT_LT(WorstLabelOfOne(trial, static_cast<double>(k) / 120.0, frame.observations), 0.6);
    const solver::FlightState<double> truth = trial.StateAt(static_cast<double>(k) / 120.0);
    EXPECT_LT(frame.pose.pose.q_WB.angularDistance(truth.q_WB), 0.05) << k;
  }
}

TEST(SearchLayout, SaysThatOneViewDoesNotShowTheLayout) {
  const SyntheticTrial trial = SeenByOne();
  std::mt19937 random(83);
  const auto spots = MakeSpots(trial, {.noise_px = 0.1}, &random);
  MarkerLayout wrong = LayoutOf(trial);
  for (std::size_t m = 0; m < wrong.p_BM.size(); ++m)
    wrong.p_BM[m].x() *= 0.5 + 0.2 * static_cast<double>(m);
  const LabelledFrame frame =
      SearchLayout(ViewsOf(trial.calibration), wrong, {spots[0].frames[20].blobs, {}});
  EXPECT_FALSE(frame.found);
  EXPECT_THAT(frame.reason, HasSubstr("16 spots, at most"));
}

TEST(LabelSpots, LabelsEveryFrameOfOneCameraInSpace) {
  const SyntheticTrial trial = SeenByOne();
  std::mt19937 random(84);
  std::string reason;
  const TrackedBody body{ViewsOf(trial.calibration), LayoutOf(trial), trial.body.body.inertia,
                         trial.gravity};
  const TrackedTrial tracked =
      LabelSpots(body, MakeSpots(trial, {.noise_px = 0.1}, &random), {}, {}, &reason);
  EXPECT_EQ(reason, "");
  ASSERT_EQ(tracked.frames.size(), 60u);
  for (const TrackedFrame& frame : tracked.frames) {
    EXPECT_TRUE(frame.pose.found) << frame.left_frame;
    EXPECT_GE(frame.observations.size(), 5u) << frame.left_frame;
    EXPECT_LT(WorstLabelOfOne(trial, frame.time, frame.observations), 0.6) << frame.left_frame;
  }
}

}  // namespace
}  // namespace percuss::tracking
