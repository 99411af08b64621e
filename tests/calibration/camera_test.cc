// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/camera.h"

#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/calib3d.hpp>

namespace percuss::calibration {
namespace {

const Camera kCamera{
    .width = 1280,
    .height = 720,
    .intrinsics = {1043.0, 1046.5, 652.3, 349.1, -0.21, 0.08, 0.0009, -0.0006, 0.011}};

// Source of truth: OpenCV's projectPoints, the same model written by others.
TEST(Project, AgreesWithOpenCv) {
  const auto& c = kCamera.intrinsics;
  const cv::Mat k = (cv::Mat_<double>(3, 3) << c[0], 0, c[2], 0, c[1], c[3], 0, 0, 1);
  const cv::Mat distortion = (cv::Mat_<double>(1, 5) << c[4], c[5], c[6], c[7], c[8]);
  const Eigen::Vector3d p(0.31, -0.22, 0.9);
  std::vector<cv::Point2d> pixels;
  cv::projectPoints(std::vector<cv::Point3d>{{p.x(), p.y(), p.z()}}, cv::Mat::zeros(3, 1, CV_64F),
                    cv::Mat::zeros(3, 1, CV_64F), k, distortion, pixels);
  const Eigen::Vector2d pixel = Project(kCamera, p);
  EXPECT_NEAR(pixel.x(), pixels[0].x, 1e-9);
  EXPECT_NEAR(pixel.y(), pixels[0].y, 1e-9);
}

// Source of truth: the inverse of an inverse.
TEST(Unproject, InvertsProjectOverTheWholeImage) {
  for (int y = 0; y < kCamera.height; y += 37) {
    for (int x = 0; x < kCamera.width; x += 41) {
      const Eigen::Vector2d ray = Unproject(kCamera, Eigen::Vector2d(x, y));
      ASSERT_TRUE(ray.allFinite()) << x << " " << y;
      const Eigen::Vector2d pixel = Project(kCamera, ray.homogeneous());
      EXPECT_NEAR(pixel.x(), x, 1e-9);
      EXPECT_NEAR(pixel.y(), y, 1e-9);
    }
  }
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
