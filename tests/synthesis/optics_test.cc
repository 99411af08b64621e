// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: OpenCV's projectPoints, an implementation that shares no line with ours.

#include "synthesis/camera/optics.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <opencv2/calib3d.hpp>
#include <random>

namespace percuss::synthesis {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

Camera SomeCamera() {
  Camera camera{.width = 1280,
                .height = 720,
                .fx = 1060.4,
                .fy = 1043.2,
                .cx = 655.3,
                .cy = 347.6,
                .k1 = -0.236,
                .k2 = 0.097,
                .p1 = 0.0021,
                .p2 = -0.0017,
                .k3 = -0.011};
  camera.R_CW = LookAt({-0.1, -0.9, 0.5}, {0.05, 0.0, 0.1}, 0.2);
  camera.t_CW = -camera.R_CW * Vector3d(-0.1, -0.9, 0.5);
  return camera;
}

Vector2d ByOpenCv(const Camera& camera, const Vector3d& p_W) {
  const Vector3d p_C = camera.R_CW * p_W + camera.t_CW;
  const cv::Matx33d K(camera.fx, 0, camera.cx, 0, camera.fy, camera.cy, 0, 0, 1);
  const cv::Vec<double, 5> lens(camera.k1, camera.k2, camera.p1, camera.p2, camera.k3);
  std::vector<cv::Point2d> pixels;
  cv::projectPoints(std::vector<cv::Point3d>{{p_C.x(), p_C.y(), p_C.z()}}, cv::Vec3d(), cv::Vec3d(),
                    K, lens, pixels);
  return {pixels[0].x, pixels[0].y};
}

TEST(Optics, ProjectsAsOpenCvDoes) {
  const Camera camera = SomeCamera();
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-0.35, 0.35);
  int in_image = 0;
  for (int k = 0; k < 500; ++k) {
    const Vector3d p_W{place(random), place(random), 0.3 + place(random)};
    const auto pixel = Project(camera, p_W);
    ASSERT_TRUE(pixel);
    EXPECT_LT((*pixel - ByOpenCv(camera, p_W)).norm(), 1e-9);
    if (InImage(camera, *pixel)) ++in_image;
  }
  EXPECT_GT(in_image, 200);
}

TEST(Optics, ARayGoesThroughItsPixel) {
  const Camera camera = SomeCamera();
  for (double x = -0.5; x <= 1279.5; x += 80.0) {
    for (double y = -0.5; y <= 719.5; y += 72.0) {
      const auto ray = RayOf(camera, {x, y});
      ASSERT_TRUE(ray);
      const auto pixel = ProjectInCamera(camera, {ray->x(), ray->y(), 1.0});
      ASSERT_TRUE(pixel);
      EXPECT_LT((*pixel - Vector2d(x, y)).norm(), 1e-8);
    }
  }
}

// Inside a pixel rays are interpolated between the corners.
TEST(Optics, RaysInsideAPixelAreInterpolatedToAThousandth) {
  const Camera camera = SomeCamera();
  const PixelRays rays(camera);
  for (const int x : {0, 640, 1279}) {
    for (const int y : {0, 360, 719}) {
      const Vector2d middle = 0.25 * (rays.Corner(x, y) + rays.Corner(x + 1, y) +
                                      rays.Corner(x, y + 1) + rays.Corner(x + 1, y + 1));
      const auto pixel = ProjectInCamera(camera, {middle.x(), middle.y(), 1.0});
      ASSERT_TRUE(pixel);
      EXPECT_LT((*pixel - Vector2d(x, y)).norm(), 1e-3);
    }
  }
}

TEST(Optics, WhatTheLensCannotShowHasNoImage) {
  Camera camera = SomeCamera();
  EXPECT_FALSE(ProjectInCamera(camera, {0.1, 0.1, -1.0}));
  EXPECT_FALSE(ProjectInCamera(camera, {0.1, 0.1, 0.0}));
  camera.k1 = -0.5, camera.k2 = camera.k3 = 0.0;  // folds back at r^2 = 1 / 1.5
  EXPECT_TRUE(ProjectInCamera(camera, {0.7, 0.0, 1.0}));
  EXPECT_FALSE(ProjectInCamera(camera, {0.9, 0.0, 1.0}));
}

TEST(Optics, LookAtTurnsTheAxisToTheTargetAndKeepsTheHorizonLevel) {
  const Vector3d position(-0.3, -1.0, 0.7), target(0.1, 0.2, 0.05);
  const Eigen::Matrix3d R = LookAt(position, target, 0.0);
  EXPECT_LT((R * R.transpose() - Eigen::Matrix3d::Identity()).norm(), 1e-12);
  EXPECT_NEAR(R.determinant(), 1.0, 1e-12);
  const Vector3d seen = R * (target - position);
  EXPECT_NEAR(seen.head<2>().norm(), 0.0, 1e-12);
  EXPECT_GT(seen.z(), 0.0);
  EXPECT_NEAR((R * Vector3d::UnitZ()).x(), 0.0, 1e-12);
  EXPECT_LT((R * Vector3d::UnitZ()).y(), 0.0);  // up in W is up in the picture
  EXPECT_THROW(LookAt(position, position + Vector3d::UnitZ(), 0.0), std::invalid_argument);
}

}  // namespace
}  // namespace percuss::synthesis
