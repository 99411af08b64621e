// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>

#include "calibration/quality/residual_pattern.h"
#include "calibration/thesis/thesis_stereo.h"
#include "tests/base/kolmogorov.h"

namespace percuss::calibration::thesis {
namespace {

constexpr int kViews = 8, kColumns = 8, kRows = 6, kPoints = kColumns * kRows;
constexpr ImageSize kThesisResidualsImage = {1280, 720};

Target ThesisResidualsBoard() {
  Target target;
  for (int k = 0; k < kPoints; ++k)
    target.emplace_back(0.023 * (k % kColumns), 0.023 * (k / kColumns));
  return target;
}

Eigen::RowVector3d Point(const Target& target, int k) {
  return {target[k].x(), target[k].y(), 0.0};
}

std::vector<Pose> Poses() {
  std::mt19937 engine(11);
  std::uniform_real_distribution<double> u(-1.0, 1.0);
  std::vector<Pose> poses(kViews);
  for (Pose& pose : poses) {
    pose.R = (Eigen::AngleAxisd(0.6 * u(engine), Eigen::Vector3d::UnitX()) *
              Eigen::AngleAxisd(0.6 * u(engine), Eigen::Vector3d::UnitY()))
                 .toRotationMatrix();
    pose.t = Eigen::RowVector3d(0.15 * u(engine), 0.08 * u(engine), 0.5 + 0.1 * u(engine)) -
             Eigen::RowVector3d(0.08, 0.0575, 0.0) * pose.R;
  }
  return poses;
}

// The camera with one of its 7 + 6 parameters moved.
Camera Moved(Camera camera, int parameter, double step) {
  Intrinsics& c = camera.intrinsics;
  double* const lens[] = {&c.f_x, &c.f_y, &c.skew, &c.c_x, &c.c_y, &c.k1, &c.k2};
  if (parameter < 7) {
    *lens[parameter] += step;
  } else if (parameter < 10) {
    const Eigen::Vector3d axis = Eigen::Vector3d::Unit(parameter - 7);
    camera.pose.R = camera.pose.R * Eigen::AngleAxisd(step, axis).toRotationMatrix();
  } else {
    camera.pose.t[parameter - 10] += step;
  }
  return camera;
}

// Residuals of a calibration and its Jacobian by differences.
ResidualSet Residuals(const Target& target, const std::vector<View>& views,
                      const Calibration& calibration) {
  ResidualSet set;
  set.image_sizes = {{kThesisResidualsImage.width, kThesisResidualsImage.height}};
  set.jacobian.setZero(2 * kViews * kPoints, 7 + 6 * kViews);
  for (int v = 0; v < kViews; ++v) {
    const Camera camera = {calibration.intrinsics, calibration.poses[v]};
    for (int k = 0; k < kPoints; ++k) {
      const auto row = 2 * static_cast<Eigen::Index>(set.corners.size());
      const Eigen::RowVector3d point = Point(target, k);
      set.corners.push_back({.image = v,
                             .point = k,
                             .pixel = views[v][k],
                             .residual = views[v][k] - Project(camera, point)});
      for (int j = 0; j < 13; ++j) {
        const double step = j < 5 ? 1e-2 : 1e-5;
        set.jacobian.block<2, 1>(row, j < 7 ? j : j + 6 * v) =
            (Project(Moved(camera, j, step), point) - Project(Moved(camera, j, -step), point)) /
            (2.0 * step);
      }
    }
  }
  return set;
}

// Truth: noise of 0.2 px put through the calibration itself, not a linear one: p-values of the
// pattern tests are uniform (Kolmogorov's sqrt(n) D above 1.95 in 1 of 1000).
TEST(FindResidualPattern, HoldsForRealCalibrationsOfNoisyPixels) {
  constexpr int kDraws = 60;
  const Target target = ThesisResidualsBoard();
  const Intrinsics lens = {.f_x = 1060.0,
                           .f_y = 1070.0,
                           .skew = 0.0,
                           .c_x = 633.0,
                           .c_y = 366.0,
                           .k1 = 0.238,
                           .k2 = -0.597};
  std::mt19937 engine(1);
  std::normal_distribution<double> noise(0.0, 0.2);
  std::vector<std::vector<double>> p_values(3);
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<View> views(kViews);
    for (int v = 0; v < kViews; ++v) {
      for (int k = 0; k < kPoints; ++k) {
        views[v].push_back(Project({lens, Poses()[v]}, Point(target, k)) +
                           Eigen::Vector2d{noise(engine), noise(engine)});
      }
    }
    const Calibration calibration = Calibrate(target, views, kThesisResidualsImage);
    ASSERT_EQ(calibration.reason, "");
    const ResidualPattern pattern = FindResidualPattern(Residuals(target, views, calibration));
    EXPECT_EQ(pattern.redundancy, 2 * kViews * kPoints - 7 - 6 * kViews);
    EXPECT_NEAR(pattern.noise_px, calibration.pixel_sigma_px, 1e-6);
    p_values[0].push_back(pattern.image[0].test.p_value);
    p_values[1].push_back(pattern.radius[0].test.p_value);
    p_values[2].push_back(pattern.neighbours.p_value);
  }
  for (const auto& values : p_values) EXPECT_LT(testing::KolmogorovDistance(values), 1.95);
}

}  // namespace
}  // namespace percuss::calibration::thesis
