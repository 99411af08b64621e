// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/pose/mirror_image.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace percuss::tracking {
namespace {

using Eigen::Vector3d;
using MirroredState = solver::FlightState<double>;

/// A pixel is a millimetre at the origin, to which it looks along y from afar: rays are parallel to
/// 0.2 mrad.
View FarView() {
  constexpr double kAway = 1000.0;
  View view;
  view.camera.width = view.camera.height = 2000;
  view.camera.intrinsics = {1000.0 * kAway, 1000.0 * kAway, 1000.0, 1000.0};
  view.camera_from_world.R << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  view.camera_from_world.t = {0.0, 0.0, kAway};
  return view;
}

struct MirrorCase {
  MarkerLayout layout;
  std::vector<int> markers;
  MirroredState state;
};

/// Five markers in a plane that leans at random, and a body that moves and turns at random.
MirrorCase DrawCase(const Vector3d& middle_B, std::mt19937* random) {
  std::normal_distribution<double> normal(0.0, 1.0);
  const auto vector = [&](double size) -> Vector3d {
    const double x = normal(*random), y = normal(*random), z = normal(*random);
    return {size * x, size * y, size * z};
  };
  MirrorCase drawn;
  const Vector3d m = vector(1.0).normalized();
  Vector3d sum = Vector3d::Zero();
  for (int k = 0; k < 5; ++k) {
    const Vector3d place = vector(0.03);
    drawn.layout.p_BM.push_back(place - m.dot(place) * m);
    sum += drawn.layout.p_BM.back();
  }
  for (Vector3d& place : drawn.layout.p_BM) place += middle_B - sum / 5.0;
  drawn.markers.resize(5);
  std::iota(drawn.markers.begin(), drawn.markers.end(), 0);
  drawn.state.p_WB = vector(0.05);
  drawn.state.q_WB = Eigen::AngleAxisd(normal(*random), vector(1.0).normalized());
  drawn.state.v = vector(0.5);
  drawn.state.w = vector(3.0);
  return drawn;
}

double WorstPixel(const View& view, const MirrorCase& seen, const MirroredState& a,
                  const MirroredState& b) {
  double worst = 0.0;
  for (const Vector3d& p_B : seen.layout.p_BM) {
    worst = std::max(worst, (ProjectPoint(view, a.q_WB * p_B + a.p_WB)->pixel -
                             ProjectPoint(view, b.q_WB * p_B + b.p_WB)->pixel)
                                .norm());
  }
  return worst;
}

// Truth: the projection. What is left is of the order of size^2 / distance: 0.02 mm.
TEST(MirrorImage, LooksTheSameFromFarAway) {
  std::mt19937 random(171);
  const View view = FarView();
  for (int draw = 0; draw < 50; ++draw) {
    const MirrorCase seen = DrawCase({0.01, -0.02, 0.03}, &random);
    const MirroredState mirrored = MirrorImage(view, seen.layout, seen.markers, seen.state);
    EXPECT_LT(WorstPixel(view, seen, seen.state, mirrored), 0.02);
    EXPECT_GT(seen.state.q_WB.angularDistance(mirrored.q_WB), 1e-3);
    // And a moment later.
    const double moment = 1e-4;
    const auto later = [&](const MirroredState& state) {
      return solver::PropagateFlight<double>(state, Eigen::Matrix3d::Identity(), Vector3d::Zero(),
                                             moment);
    };
    EXPECT_LT(WorstPixel(view, seen, later(seen.state), later(mirrored)) -
                  WorstPixel(view, seen, seen.state, mirrored),
              2e-4);
  }
}

// Truth: a body whose moments of inertia are equal turns evenly, and so does its mirror image.
// While it flies half a metre the line of sight turns by 0.5 mrad: twice that of the markers' 6 cm.
TEST(MirrorImage, OfAnEvenTurnLooksTheSameAllTheTime) {
  std::mt19937 random(172);
  const View view = FarView();
  for (int draw = 0; draw < 20; ++draw) {
    const MirrorCase seen = DrawCase(Vector3d::Zero(), &random);
    const MirroredState mirrored = MirrorImage(view, seen.layout, seen.markers, seen.state);
    for (const double time : {-0.2, 0.3}) {
      const auto at = [&](const MirroredState& state) {
        return solver::PropagateFlight<double>(state, Eigen::Matrix3d::Identity(),
                                               Vector3d(0, 0, -9.81), time);
      };
      EXPECT_LT(WorstPixel(view, seen, at(seen.state), at(mirrored)), 0.1);
    }
  }
}

TEST(MirrorImage, OfItselfIsTheMotion) {
  std::mt19937 random(173);
  const View view = FarView();
  const MirrorCase seen = DrawCase({0.01, 0.02, 0.0}, &random);
  const MirroredState twice = MirrorImage(view, seen.layout, seen.markers,
                                          MirrorImage(view, seen.layout, seen.markers, seen.state));
  EXPECT_LT((twice.p_WB - seen.state.p_WB).norm(), 1e-12);
  EXPECT_LT(twice.q_WB.angularDistance(seen.state.q_WB), 1e-7);
  EXPECT_LT((twice.v - seen.state.v).norm(), 1e-12);
  EXPECT_LT((twice.w - seen.state.w).norm(), 1e-12);
}

TEST(MirroredMotions, KeepOnePoseAtTheImpact) {
  std::mt19937 random(174);
  const View view = FarView();
  const MirrorCase seen = DrawCase({0.01, 0.02, 0.0}, &random);
  MirroredState after = seen.state;
  after.v = {0.1, 0.2, 0.9};
  after.w = {-3.0, 7.0, 1.0};
  const std::vector<int> others = {1, 2, 4};
  const auto motions =
      MirroredMotions(view, seen.layout, seen.markers, others, {seen.state, after});
  ASSERT_EQ(motions.size(), 7u);
  for (const ImpactMotion& motion : motions) {
    EXPECT_LT((motion.before.p_WB - motion.after.p_WB).norm(), 1e-15);
    EXPECT_LT(motion.before.q_WB.angularDistance(motion.after.q_WB), 1e-7);
  }
}

}  // namespace
}  // namespace percuss::tracking
