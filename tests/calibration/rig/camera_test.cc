// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/rig/camera.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <opencv2/calib3d.hpp>
#include <vector>

namespace percuss::calibration {
namespace {

const Camera kCamera{
    .width = 1280,
    .height = 720,
    .intrinsics = {1043.0, 1046.5, 652.3, 349.1, -0.21, 0.08, 0.0009, -0.0006, 0.011}};

const Camera kRational{
    .width = 1280,
    .height = 720,
    .lens = LensModel::kRational,
    .intrinsics = {743.0, 746.5, 652.3, 349.1, 0.4, 0.08, 0.0009, -0.0006, 0.011, 0.7, 0.1, 0.02}};

const Camera kFisheye{.width = 1280,
                      .height = 960,
                      .lens = LensModel::kFisheye,
                      .intrinsics = {410.0, 412.0, 652.3, 471.1, 0.06, -0.012, 0.004, -0.0015}};

cv::Mat MatrixK(const Camera& camera) {
  const auto& c = camera.intrinsics;
  return (cv::Mat_<double>(3, 3) << c[0], 0, c[2], 0, c[1], c[3], 0, 0, 1);
}

// Source of truth: OpenCV's projectPoints, the same models written by others.
TEST(Project, AgreesWithOpenCv) {
  const Eigen::Vector3d p(0.31, -0.22, 0.9);
  const std::vector<cv::Point3d> points = {{p.x(), p.y(), p.z()}};
  const cv::Mat none = cv::Mat::zeros(3, 1, CV_64F);
  for (const Camera& camera : {kCamera, kRational, kFisheye}) {
    const std::vector<double> distortion(
        camera.intrinsics.begin() + 4,
        camera.intrinsics.begin() + 4 + std::ssize(DistortionNames(camera.lens)));
    std::vector<cv::Point2d> pixels;
    if (camera.lens == LensModel::kFisheye) {
      cv::fisheye::projectPoints(points, pixels, none, none, MatrixK(camera), distortion);
    } else {
      cv::projectPoints(points, none, none, MatrixK(camera), distortion, pixels);
    }
    const Eigen::Vector2d pixel = Project(camera, p);
    EXPECT_NEAR(pixel.x(), pixels[0].x, 1e-9);
    EXPECT_NEAR(pixel.y(), pixels[0].y, 1e-9);
  }
}

// Source of truth: central differences of Project, whose error is some 1e-7 of the value. Points
// near the axis test the series of the fisheye model.
TEST(ProjectWithDerivatives, AgreesWithDifferences) {
  for (const Camera& camera : {kCamera, kRational, kFisheye}) {
    for (const Eigen::Vector3d& p :
         {Eigen::Vector3d(0.31, -0.22, 0.9), Eigen::Vector3d(2e-6, 1e-6, 0.8),
          Eigen::Vector3d(-0.4, 0.5, 1.3)}) {
      const Projection projection = ProjectWithDerivatives(camera, p);
      EXPECT_LT((projection.pixel - Project(camera, p)).norm(), 1e-11);
      constexpr double kStep = 1e-6;
      for (int k = 0; k < 3; ++k) {
        const Eigen::Vector3d step = kStep * Eigen::Vector3d::Unit(k);
        const Eigen::Vector2d difference =
            (Project(camera, p + step) - Project(camera, p - step)) / (2.0 * kStep);
        EXPECT_LT((projection.by_point.col(k) - difference).norm(), 1e-5) << k;
      }
      const std::size_t num_free = 4 + DistortionNames(camera.lens).size();
      for (std::size_t k = 0; k < kNumIntrinsics; ++k) {
        Camera more = camera, less = camera;
        more.intrinsics[k] += kStep;
        less.intrinsics[k] -= kStep;
        const Eigen::Vector2d difference = (Project(more, p) - Project(less, p)) / (2.0 * kStep);
        const Eigen::Vector2d derivative =
            projection.by_intrinsics.col(static_cast<Eigen::Index>(k));
        EXPECT_LT((derivative - (k < num_free ? difference : Eigen::Vector2d(0, 0))).norm(), 1e-6)
            << k;
      }
    }
  }
}

// Source of truth: the inverse of an inverse.
TEST(Unproject, InvertsProjectOverTheWholeImage) {
  for (const Camera& camera : {kCamera, kRational, kFisheye}) {
    for (int y = 0; y < camera.height; y += 37) {
      for (int x = 0; x < camera.width; x += 41) {
        // A fisheye lens sees what lies behind it too, which no ray (x, y, 1) points to.
        const Eigen::Vector2d centre(camera.intrinsics[2], camera.intrinsics[3]);
        const double distance = (Eigen::Vector2d(x, y) - centre).norm();
        if (camera.lens == LensModel::kFisheye && distance > 600.0) continue;
        const Eigen::Vector2d ray = Unproject(camera, Eigen::Vector2d(x, y));
        ASSERT_TRUE(ray.allFinite()) << x << " " << y;
        const Eigen::Vector2d pixel = Project(camera, ray.homogeneous());
        EXPECT_NEAR(pixel.x(), x, 1e-9);
        EXPECT_NEAR(pixel.y(), y, 1e-9);
      }
    }
  }
}

// By hand: 90 degrees off the axis a (1 + k1 a^2 + ...) is 1.57 (1 + 0.148 - 0.073 + ...).
TEST(Unproject, IsNanBehindAFisheyeLens) {
  EXPECT_TRUE(std::isnan(Unproject(kFisheye, {kFisheye.intrinsics[2] + 800.0, 471.1}).x()));
  const Eigen::Vector2d centre(kFisheye.intrinsics[2], kFisheye.intrinsics[3]);
  EXPECT_EQ(Unproject(kFisheye, centre), Eigen::Vector2d(0.0, 0.0));
}

// With k1 alone the distorted radius r (1 + k1 r^2) is largest at r = 1/sqrt(-3 k1), where it is
// two thirds of that: no ray is seen further out, and just inside the ray is the one before the
// fold.
TEST(Unproject, IsNanBeyondTheFoldOfTheDistortion) {
  Camera camera = kCamera;
  camera.intrinsics = {1000.0, 1000.0, 640.0, 360.0, -0.3, 0.0, 0.0, 0.0, 0.0};
  const double fold = 1.0 / std::sqrt(0.9);
  const double edge_px = 1000.0 * fold * 2.0 / 3.0;
  const Eigen::Vector2d inside = Unproject(camera, {640.0 + 0.999 * edge_px, 360.0});
  EXPECT_GT(inside.x(), 0.9 * fold);
  EXPECT_LT(inside.x(), fold);
  EXPECT_TRUE(std::isnan(Unproject(camera, {640.0 + 1.001 * edge_px, 360.0}).x()));
  EXPECT_TRUE(std::isnan(Unproject(camera, {640.0, 360.0 - 1.3 * edge_px}).y()));
}

TEST(Unproject, IsNanForNan) {
  EXPECT_TRUE(std::isnan(Unproject(kCamera, {std::nan(""), 3.0}).x()));
}

// Source of truth: Rodrigues' formula by OpenCV.
TEST(RotationFromVector, AgreesWithOpenCvAndTakesZero) {
  const Eigen::Vector3d d(0.4, -1.1, 0.7);
  cv::Mat expected;
  const cv::Mat vector = (cv::Mat_<double>(3, 1) << d.x(), d.y(), d.z());
  cv::Rodrigues(vector, expected);
  const Eigen::Matrix3d R = RotationFromVector(d);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(R(r, c), expected.at<double>(r, c), 1e-14);
  }
  EXPECT_EQ(RotationFromVector(Eigen::Vector3d::Zero()), Eigen::Matrix3d::Identity());
}

}  // namespace
}  // namespace percuss::calibration
