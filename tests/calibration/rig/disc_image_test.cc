// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/rig/disc_image.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

namespace percuss::calibration {
namespace {

constexpr int kNumRadii = 1000, kNumAngles = 64;

Pose Tilted(double tilt, double distance) {
  return {.R = RotationFromVector({tilt, 0.4 * tilt, 0.3}) *
               Eigen::Vector3d(1.0, -1.0, -1.0).asDiagonal(),
          .t = {0.11, 0.06, distance}};
}

// The image of each small patch of the disc, weighed by its area in the image.
Eigen::Vector2d BruteForceOffset(const Camera& camera, const Pose& pose,
                                 const Eigen::Vector3d& centre, double radius) {
  const auto pixel = [&](const Eigen::Vector2d& p) -> Eigen::Vector2d {
    return Project(camera, Eigen::Vector3d(pose * (centre + Eigen::Vector3d(p.x(), p.y(), 0.0))));
  };
  const Eigen::Vector2d middle = pixel(Eigen::Vector2d::Zero());
  double area = 0.0;
  Eigen::Vector2d moment = Eigen::Vector2d::Zero();
  const double step = 1e-6;
  for (int r = 0; r < kNumRadii; ++r) {
    for (int a = 0; a < kNumAngles; ++a) {
      const double size = radius * (r + 0.5) / kNumRadii;
      const double angle = 2.0 * std::numbers::pi * a / kNumAngles;
      const Eigen::Vector2d p(size * std::cos(angle), size * std::sin(angle));
      Eigen::Matrix2d jacobian;
      jacobian << pixel(p + Eigen::Vector2d(step, 0.0)) - pixel(p - Eigen::Vector2d(step, 0.0)),
          pixel(p + Eigen::Vector2d(0.0, step)) - pixel(p - Eigen::Vector2d(0.0, step));
      const double weight = std::abs(jacobian.determinant()) * size;
      area += weight;
      moment += weight * (pixel(p) - middle);
    }
  }
  return moment / area;
}

// Source of truth: the integral over the disc, summed by brute force; its own error is about
// 1 / 1000^2 of the offset, which is at most 12 px.
TEST(DiscCentroidOffset, IsTheCentroidOfTheImageAlsoThroughADistortingLens) {
  for (const double k1 : {0.0, -0.3}) {
    const Camera camera{.width = 1280,
                        .height = 720,
                        .intrinsics = {1000.0, 1010.0, 640.0, 360.0, k1, 0.1, 0.002, -0.001, 0.02}};
    for (const double tilt : {0.0, 0.5, 1.1}) {
      for (const double radius : {0.004, 0.02, 0.06}) {
        const Eigen::Vector3d centre(0.03, -0.02, 0.0);
        const Eigen::Vector2d offset =
            DiscCentroidOffset(camera, Tilted(tilt, 0.4), centre, radius);
        const Eigen::Vector2d truth = BruteForceOffset(camera, Tilted(tilt, 0.4), centre, radius);
        EXPECT_LT((offset - truth).norm(), 1e-4)
            << k1 << " " << tilt << " " << radius << ": " << truth.transpose();
      }
    }
  }
}

// Without distortion the image is an ellipse, whose centre is that of the dual conic (R. Hartley,
// A. Zisserman, Multiple View Geometry, 2004, 8.2): the image of c + r^2 / c_z (n_z n - e_z).
TEST(DiscCentroidOffset, IsThatOfTheEllipseWithoutDistortion) {
  const Camera camera{.width = 1280, .height = 720, .intrinsics = {1000.0, 1010.0, 640.0, 360.0}};
  const Pose pose = Tilted(0.8, 0.5);
  const double radius = 0.03;
  const Eigen::Vector3d n = pose.R.col(2);
  const Eigen::Vector3d shift = n * n.z() - Eigen::Vector3d::UnitZ();
  const Eigen::Vector2d truth =
      Project(camera, Eigen::Vector3d(pose.t + radius * radius / pose.t.z() * shift)) -
      Project(camera, pose.t);
  EXPECT_GT(truth.norm(), 0.5);
  EXPECT_LT((DiscCentroidOffset(camera, pose, Eigen::Vector3d::Zero(), radius) - truth).norm(),
            1e-8);
}

}  // namespace
}  // namespace percuss::calibration
