// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/tags/coded_pose.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

namespace percuss::tracking {
namespace {

/// Two tags on faces of a cube, corners alone.
MarkerLayout TwoTags() {
  MarkerLayout layout;
  layout.first_corner = 0;
  constexpr double kHalf = 0.015, kFace = 0.03;
  for (const auto& [a, b] : {std::pair(-1, 1), {1, 1}, {1, -1}, {-1, -1}}) {
    layout.p_BM.emplace_back(kHalf * a, kHalf * b, kFace);
    layout.normal_B.push_back(Eigen::Vector3d::UnitZ());
  }
  for (const auto& [a, b] : {std::pair(-1, 1), {1, 1}, {1, -1}, {-1, -1}}) {
    layout.p_BM.emplace_back(kHalf * a, -kFace, kHalf * b);
    layout.normal_B.push_back(-Eigen::Vector3d::UnitY());
  }
  return layout;
}

/// A camera a metre in front of the origin, looking along +y.
View FrontView(double x) {
  View view;
  view.camera.width = 1280;
  view.camera.height = 720;
  view.camera.intrinsics = {1000.0, 1000.0, 639.5, 359.5, 0.0, 0.0, 0.0, 0.0, 0.0};
  view.camera_from_world.R << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  view.camera_from_world.t = {-x, 0.0, 1.0};
  return view;
}

std::vector<Blob> SeenCorners(const View& view, const MarkerLayout& layout, const BodyPose& pose,
                              int first, int count, double noise, std::mt19937* random) {
  std::normal_distribution<double> error(0.0, noise);
  std::vector<Blob> blobs;
  for (int m = first; m < first + count; ++m) {
    Blob& blob = blobs.emplace_back();
    blob.centre = ProjectMarker(view, layout, m, pose)->pixel +
                  Eigen::Vector2d(error(*random), error(*random));
    blob.covariance = noise * noise * Eigen::Matrix2d::Identity();
    blob.marker = m;
  }
  return blobs;
}

double Angle(const BodyPose& a, const BodyPose& b) { return a.q_WB.angularDistance(b.q_WB); }

TEST(PoseFromCodes, OneTagInOneViewIsEnough) {
  std::mt19937 random(1);
  const MarkerLayout layout = TwoTags();
  const Views views = {FrontView(0.0), FrontView(0.3)};
  const BodyPose truth{
      {0.02, 0.01, 0.03},
      Eigen::Quaterniond(Eigen::AngleAxisd(0.5, Eigen::Vector3d(1, 0.3, 0.6).normalized()))};
  for (const std::size_t side : {0U, 1U}) {
    std::array<std::vector<Blob>, 2> blobs;
    blobs[side] = SeenCorners(views[side], layout, truth, 4, 4, 0.02, &random);
    const auto pose = PoseFromCodes(views, layout, blobs, nullptr);
    ASSERT_TRUE(pose);
    EXPECT_LT((pose->p_WB - truth.p_WB).norm(), 5e-3) << side;
    EXPECT_LT(Angle(*pose, truth), 0.05) << side;
  }
}

TEST(PoseFromCodes, AStrangersPrintOfATagIsOutvoted) {
  std::mt19937 random(2);
  const MarkerLayout layout = TwoTags();
  const Views views = {FrontView(0.0), FrontView(0.3)};
  const BodyPose truth{{0.0, 0.0, 0.0},
                       Eigen::Quaterniond(Eigen::AngleAxisd(0.6, Eigen::Vector3d::UnitX()))};
  const BodyPose other{{0.2, 0.0, 0.1}, Eigen::Quaterniond::Identity()};
  std::array<std::vector<Blob>, 2> blobs;
  blobs[0] = SeenCorners(views[0], layout, other, 4, 4, 0.02, &random);  // on the wall
  for (const int first : {0, 4}) {
    const auto seen = SeenCorners(views[0], layout, truth, first, 4, 0.02, &random);
    blobs[0].insert(blobs[0].end(), seen.begin(), seen.end());
  }
  blobs[1] = SeenCorners(views[1], layout, truth, 0, 8, 0.02, &random);
  const auto pose = PoseFromCodes(views, layout, blobs, nullptr);
  ASSERT_TRUE(pose);
  // The strangers still pull, each with the robust threshold of a pixel, a millimetre here: the
  // gates of the labels that follow leave them out.
  EXPECT_LT((pose->p_WB - truth.p_WB).norm(), 2e-3);
  EXPECT_LT(Angle(*pose, truth), 0.03);
}

// A small tag that is seen nearly face on looks the same from two sides, to a few hundredths of a
// pixel: where the body was a frame ago decides.
TEST(PoseFromCodes, WhereTheBodyWasDecidesBetweenTwoPoses) {
  std::mt19937 random(3);
  const MarkerLayout layout = TwoTags();
  const Views views = {FrontView(0.0)};
  int right = 0;
  constexpr int kDraws = 40;
  for (int draw = 0; draw < kDraws; ++draw) {
    const double tilt = draw % 2 == 0 ? 0.12 : -0.12;
    const BodyPose truth{{0.0, 0.0, 0.0},
                         Eigen::Quaterniond(Eigen::AngleAxisd(tilt, Eigen::Vector3d::UnitX()))};
    std::array<std::vector<Blob>, 2> blobs;
    blobs[0] = SeenCorners(views[0], layout, truth, 4, 4, 0.05, &random);
    BodyPose near = truth;
    near.q_WB = Eigen::Quaterniond(Eigen::AngleAxisd(0.8 * tilt, Eigen::Vector3d::UnitX()));
    const auto pose = PoseFromCodes(views, layout, blobs, &near);
    ASSERT_TRUE(pose);
    right += Angle(*pose, truth) < 0.12;
  }
  EXPECT_GE(right, kDraws - 2);
}

TEST(PoseFromCodes, WithoutAWholeTagThereIsNone) {
  std::mt19937 random(4);
  const MarkerLayout layout = TwoTags();
  const Views views = {FrontView(0.0)};
  std::array<std::vector<Blob>, 2> blobs;
  EXPECT_FALSE(PoseFromCodes(views, layout, blobs, nullptr));
  blobs[0] = SeenCorners(views[0], layout, {}, 4, 3, 0.02, &random);
  EXPECT_FALSE(PoseFromCodes(views, layout, blobs, nullptr));
}

}  // namespace
}  // namespace percuss::tracking
