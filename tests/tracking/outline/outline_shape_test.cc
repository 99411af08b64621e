// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: the ellipse that a sphere's cone of rays cuts from the picture, and a shutter
// that rolls over a moving disc.

#include "tracking/outline/outline_shape.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace percuss::tracking {
namespace {

TEST(OutlineShape, IsTheEllipseOfTheCone) {
  const double focal = 1200.0;
  const Eigen::Vector3d centre(0.3, -0.2, 1.0);  // [m], radius 0.02
  const double radius = 0.02;
  // Rays p with (p . c)^2 = |p|^2 (|c|^2 - r^2): p^T Q p = 0.
  const Eigen::Matrix3d Q = centre * centre.transpose() -
                            (centre.squaredNorm() - radius * radius) * Eigen::Matrix3d::Identity();
  const Eigen::Matrix2d A = Q.topLeftCorner<2, 2>();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen(A);
  const double ratio = std::sqrt(eigen.eigenvalues().cwiseAbs().maxCoeff() /
                                 eigen.eigenvalues().cwiseAbs().minCoeff());
  const Eigen::Vector2d offset = focal * centre.head<2>() / centre.z();
  const Eigen::Vector2d stretch =
      StretchOf(1.0 / (focal * focal), 0.0, offset, {0.0, 0.0}, {0.0, 1.0});
  EXPECT_NEAR((1.0 + stretch.norm()) / (1.0 - stretch.norm()), ratio, 2e-4);
  EXPECT_NEAR(0.5 * std::atan2(stretch.y(), stretch.x()), std::atan2(offset.y(), offset.x()), 1e-9);
}

// The area of the ellipse of the cone, over that of the same ball at the same depth straight ahead;
// of a linear map the determinant.
TEST(OutlineShape, GrowsAsTheAreaDoes) {
  const double focal = 1200.0, depth = 50.0;  // [px], [R]
  const Eigen::Vector3d centre(0.3 * depth, -0.2 * depth, depth);
  const double z2 = depth * depth - 1.0;
  const double area = std::sqrt(centre.squaredNorm() - 1.0) / z2 / std::sqrt(z2);
  const Eigen::Vector2d offset = focal * centre.head<2>() / depth, none(0.0, 0.0);
  const Eigen::Vector2d roll(0.6, 0.8), velocity(300.0, -2000.0);
  const double still = GrowthOf(1.0 / (focal * focal), 0.0, offset, none, roll);
  EXPECT_NEAR(still * still, area * z2, 1e-3);
  const double line_time = 1.5e-5;
  const Eigen::Matrix2d seen =
      Eigen::Matrix2d::Identity() + line_time * velocity * roll.transpose();
  const double rolling = GrowthOf(0.0, line_time, none, velocity, roll);
  EXPECT_NEAR(rolling * rolling, std::abs(seen(0, 0) * seen(1, 1) - seen(0, 1) * seen(1, 0)),
              1e-12);
}

TEST(OutlineShape, TellsFocalLengthAndShutter) {
  const double focal = 1400.0, line_time = 1.2e-5, sigma = 2e-3;
  const Eigen::Vector2d roll(0.0, 1.0);
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int inside = 0, draws = 0;
  for (; draws < 200; ++draws) {
    std::vector<MeasuredStretch> outlines;
    for (int k = 0; k < 60; ++k) {
      MeasuredStretch one;
      one.offset = {700.0 * uniform(random), 400.0 * uniform(random)};
      one.velocity = {300.0, 2500.0 * uniform(random)};
      one.stretch = StretchOf(1.0 / (focal * focal), line_time, one.offset, one.velocity, roll) +
                    sigma * Eigen::Vector2d(normal(random), normal(random));
      one.sigma = sigma;
      outlines.push_back(one);
    }
    const double usual = 1.0 / (1632.0 * 1632.0);
    const OutlineShape shape = FitOutlineShape(
        outlines, {.inverse_focal_squared = {usual, 0.6 * usual}, .line_time = {0.0, 1.5e-5}},
        roll);
    const double off = shape.inverse_focal_squared.value - 1.0 / (focal * focal);
    inside += std::abs(off) < 1.96 * shape.inverse_focal_squared.sigma;
    inside += std::abs(shape.line_time.value - line_time) < 1.96 * shape.line_time.sigma;
  }
  // 95 % of 400, within three of its standard deviations (4.4).
  EXPECT_GT(inside, 366);
  EXPECT_LT(inside, 394);
}

}  // namespace
}  // namespace percuss::tracking
