// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// The outline of a body in pictures. Source of truth: closed forms, and pictures drawn here by
// filling the projected corners of a box.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/math/geometry.h"
#include "capture/video/tone.h"
#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/layout/outline_fit.h"
#include "tracking/layout/silhouette.h"

namespace percuss::tracking {
namespace {

const solver::Box kBox{{0.12, 0.05, 0.03}};

std::vector<Eigen::Vector3d> CornersOf(const solver::Box& box) {
  std::vector<Eigen::Vector3d> corners;
  for (int k = 0; k < 8; ++k) {
    const Eigen::Vector3d signs(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
    corners.push_back(0.5 * signs.cwiseProduct(box.size));
  }
  return corners;
}

double Cross(const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
  return a.x() * b.y() - a.y() * b.x();
}

/// Convex hull, by Andrew's monotone chain.
std::vector<Eigen::Vector2d> Hull(std::vector<Eigen::Vector2d> points) {
  std::ranges::sort(points, [](const auto& a, const auto& b) {
    return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y();
  });
  std::vector<Eigen::Vector2d> hull;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t start = hull.size();
    for (const auto& p : points) {
      while (hull.size() >= start + 2 &&
             Cross(hull.back() - hull[hull.size() - 2], p - hull[hull.size() - 2]) <= 0.0)
        hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::ranges::reverse(points);
  }
  return hull;
}

/// Distance inside of the hull, negative outside.
double Inside(const std::vector<Eigen::Vector2d>& hull, const Eigen::Vector2d& p) {
  double least = 1e9;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Eigen::Vector2d along = (hull[(i + 1) % hull.size()] - hull[i]).normalized();
    least = std::min(least, Cross(along, p - hull[i]));
  }
  return least;
}

/// What a camera sees of a box darker than its surround, in light.
PicturePart Draw(const View& view, const BodyPose& pose, const solver::Box& box,
                 std::mt19937* random) {
  std::vector<Eigen::Vector2d> corners;
  for (const Eigen::Vector3d& p : CornersOf(box))
    corners.push_back(ProjectPoint(view, pose.q_WB * p + pose.p_WB)->pixel);
  const std::vector<Eigen::Vector2d> hull = Hull(corners);
  Eigen::Vector2d low = hull.front(), high = low;
  for (const auto& p : hull) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  PicturePart part;
  part.corner = {std::floor(low.x()) - 20.0, std::floor(low.y()) - 20.0};
  const Eigen::Vector2d size = high - part.corner + Eigen::Vector2d(20.0, 20.0);
  part.luma.create(static_cast<int>(size.y()), static_cast<int>(size.x()), CV_8UC1);
  std::normal_distribution<double> noise(0.0, 1.0);
  constexpr int kSub = 4;
  for (int y = 0; y < part.luma.rows; ++y) {
    for (int x = 0; x < part.luma.cols; ++x) {
      const Eigen::Vector2d centre = part.corner + Eigen::Vector2d(x, y);
      const double inside = Inside(hull, centre);
      double share = inside > 1.0 ? 1.0 : 0.0;
      if (std::abs(inside) <= 1.0) {
        for (int k = 0; k < kSub * kSub; ++k) {
          const Eigen::Vector2d offset((k % kSub + 0.5) / kSub - 0.5,
                                       (k / kSub + 0.5) / kSub - 0.5);
          share += Inside(hull, centre + offset) > 0.0 ? 1.0 / (kSub * kSub) : 0.0;
        }
      }
      const double grey = 150.0 - 110.0 * share + noise(*random);
      part.luma.at<unsigned char>(y, x) = cv::saturate_cast<unsigned char>(grey);
    }
  }
  return part;
}

std::array<float, 256> LinearLight() {
  return capture::LightOfGrey({.kind = capture::Tone::Kind::kLinear});
}

TEST(Outline, OfASphereIsACone) {
  const View view = ViewsOf(MakeSyntheticTrial().calibration)[0];
  const BodyPose pose{{0.05, 0.02, 0.15}, Eigen::Quaterniond::Identity()};
  constexpr double kRadius = 0.06;
  const auto outline = Outline(solver::Sphere{kRadius}, pose, view, 3.0);
  ASSERT_GT(outline.size(), 50U);
  const Eigen::Vector3d axis = pose.p_WB - view.Centre();
  for (const OutlinePoint& point : outline) {
    const Eigen::Vector3d ray = point.p_B + pose.p_WB - view.Centre();
    const double angle = std::acos(ray.normalized().dot(axis.normalized()));
    // A chord between directions one degree apart lies within 4e-5 of the radius.
    EXPECT_NEAR(angle, std::asin(kRadius / axis.norm()), 1e-4 * kRadius / axis.norm());
    EXPECT_NEAR(ray.normalized().dot(point.normal_B), 0.0, 1e-3);
  }
}

TEST(Outline, OfABoxIsTheHullOfItsCorners) {
  const View view = ViewsOf(MakeSyntheticTrial().calibration)[1];
  const BodyPose pose{{0.05, 0.02, 0.15}, Eigen::Quaterniond(0.8, 0.3, -0.4, 0.3).normalized()};
  std::vector<Eigen::Vector2d> corners;
  for (const Eigen::Vector3d& p : CornersOf(kBox))
    corners.push_back(ProjectPoint(view, pose.q_WB * p + pose.p_WB)->pixel);
  const auto hull = Hull(corners);
  const auto outline = Outline(kBox, pose, view, 3.0);
  ASSERT_GT(outline.size(), 50U);
  for (const OutlinePoint& point : outline) {
    EXPECT_NEAR(Inside(hull, point.pixel), 0.0, 0.1);  // the lens bends edges
    EXPECT_GT(Inside(hull, point.pixel - 3.0 * point.normal), 0.0);
    EXPECT_LT(Inside(hull, point.pixel + 3.0 * point.normal), 0.0);
  }
}

TEST(FindEdge, OfADrawnBoxWithinAFewHundredthsOfAPixel) {
  std::mt19937 random(1);
  const View view = ViewsOf(MakeSyntheticTrial().calibration)[0];
  const BodyPose pose{{0.05, 0.02, 0.15}, Eigen::Quaterniond(0.8, 0.3, -0.4, 0.3).normalized()};
  const PicturePart picture = Draw(view, pose, kBox, &random);
  int found = 0, all = 0;
  double sum = 0.0;
  for (const OutlinePoint& point : Outline(kBox, pose, view, 3.0)) {
    ++all;
    const Eigen::Vector2d beside = point.pixel + 1.3 * point.normal;
    const auto edge = FindEdge(picture, LinearLight(), beside, point.normal, 6.0);
    if (!edge) continue;
    ++found;
    EXPECT_NEAR(edge->offset, -1.3, 0.5);  // nearest to a corner
    EXPECT_GT(edge->step, 0.0);
    sum += edge->offset + 1.3;
  }
  EXPECT_GT(found, 0.8 * all);
  EXPECT_NEAR(sum / found, 0.0, 0.03);
}

TEST(FindEdge, NotInAFlatPicture) {
  PicturePart flat{cv::Mat(40, 40, CV_8UC1), Eigen::Vector2d::Zero()};
  std::mt19937 random(1);
  std::normal_distribution<double> noise(100.0, 2.0);
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 40; ++x)
      flat.luma.at<unsigned char>(y, x) = cv::saturate_cast<unsigned char>(noise(random));
  }
  int found = 0;
  for (int k = 0; k < 20; ++k)
    found += FindEdge(flat, LinearLight(), {12.0 + 0.7 * k, 20.0}, {0.0, 1.0}, 6.0).has_value();
  EXPECT_EQ(found, 0);
}

/// Pictures of both cameras of a box that turns.
struct DrawnBox {
  std::vector<View> views = ViewsOf(MakeSyntheticTrial().calibration);
  std::vector<BodyPicture> pictures;

  /// @param X_BO where the markers would have the body, in its true frame
  DrawnBox(int count, const solver::Box& box, const BodyPose& X_BO) {
    std::mt19937 random(7);
    for (int k = 0; k < count; ++k) {
      const Eigen::Vector3d turn(0.5 + 0.6 * k, 0.3 * k, 0.4 - 0.5 * k);
      const BodyPose truth{{0.05, 0.02, 0.15}, RotationFromVector(turn)};
      for (int side = 0; side < 2; ++side) {
        BodyPicture picture;
        picture.trial = k;
        picture.side = side;
        picture.picture = Draw(views[static_cast<std::size_t>(side)], truth, box, &random);
        picture.pose = {truth.p_WB + truth.q_WB * X_BO.p_WB, truth.q_WB * X_BO.q_WB};
        pictures.push_back(picture);
      }
    }
  }
};

// The markers' frame is off by 2 mm and a degree: the outline says where it should be.
TEST(FitOutline, FindsTheFrameOfABox) {
  const BodyPose X_BO{{0.0015, -0.0011, 0.0008}, RotationFromVector({0.01, -0.012, 0.008})};
  const DrawnBox drawn(6, kBox, X_BO);
  const OutlineFit fit = FitOutline(kBox, drawn.pictures, drawn.views, LinearLight(), {});
  ASSERT_EQ(fit.reason, "");
  const Eigen::Vector3d shift = X_BO.p_WB + X_BO.q_WB * fit.X_OB.p_WB;
  const double angle = (X_BO.q_WB * fit.X_OB.q_WB).angularDistance(Eigen::Quaterniond::Identity());
  EXPECT_LT(shift.norm(), 5e-5);
  EXPECT_LT(angle, 1e-3);
  EXPECT_GT(fit.share, 0.7);
  EXPECT_LT(fit.rms_px, 0.3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_LT(std::abs(shift[i]), 4.0 * std::sqrt(fit.covariance(3 + i, 3 + i)));
    EXPECT_LT(std::sqrt(fit.covariance(3 + i, 3 + i)), 2e-4);
  }
}

// Lengths that were typed wrong move no side more than the other.
TEST(FitOutline, WrongLengthsDoNotMoveTheFrame) {
  const DrawnBox drawn(6, kBox, {});
  const solver::Box typed{kBox.size + Eigen::Vector3d(6e-4, -5e-4, 4e-4)};
  const OutlineFit fit = FitOutline(typed, drawn.pictures, drawn.views, LinearLight(), {});
  ASSERT_EQ(fit.reason, "");
  EXPECT_LT(fit.X_OB.p_WB.norm(), 5e-5);
}

TEST(FitOutline, SaysThatTheShapeIsAnother) {
  const DrawnBox drawn(6, kBox, {});
  const solver::Box typed{kBox.size + Eigen::Vector3d(0.012, 0.01, -0.01)};
  const OutlineFit fit = FitOutline(typed, drawn.pictures, drawn.views, LinearLight(), {});
  EXPECT_THAT(fit.reason, ::testing::MatchesRegex("the outline of the shape misses the edges in 12 "
                                                  "pictures by .* px: check its lengths"));
}

TEST(FitOutline, SaysThatNothingWasSeen) {
  DrawnBox drawn(2, kBox, {});
  for (BodyPicture& picture : drawn.pictures) picture.picture.luma.setTo(90);
  const OutlineFit fit = FitOutline(kBox, drawn.pictures, drawn.views, LinearLight(), {});
  EXPECT_THAT(fit.reason,
              ::testing::MatchesRegex(
                  "the outline of the body was found at 0 of [0-9]+ places in 4 pictures"));
}

}  // namespace
}  // namespace percuss::tracking
