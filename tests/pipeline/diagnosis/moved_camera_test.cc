// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <random>
#include <vector>

#include "pipeline/diagnosis/camera_turn.h"
#include "pipeline/judgement/changed_calibration.h"
#include "pipeline/judgement/contact_heights.h"
#include "tests/tracking/arcs/synthetic_trial.h"

namespace percuss::pipeline {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

/// Spots of one picture, and of one that was taken after the camera was turned.
struct Scene {
  calibration::Camera camera = tracking::MakeSyntheticTrial().calibration.cameras[1].camera;
  Eigen::Matrix3d turn = calibration::RotationFromVector({0.012, -0.02, 0.005});
  std::vector<Vector2d> before, after;

  explicit Scene(int count, double noise_px = 0.05) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> x(0.15, 0.85);
    std::normal_distribution<double> noise(0.0, noise_px);
    for (int i = 0; i < count; ++i) {
      const Vector2d pixel(x(random) * camera.width, x(random) * camera.height);
      before.push_back(pixel);
      const Vector3d ray = calibration::Unproject(camera, pixel).homogeneous();
      after.push_back(calibration::Project(camera, turn * ray) +
                      Vector2d{noise(random), noise(random)});
    }
    std::ranges::shuffle(after, random);
  }
};

TEST(CameraTurn, IsFoundFromWhatStandsStill) {
  Scene scene(12);
  // Something that stood there before only, and something that was brought since.
  scene.before.emplace_back(300.0, 200.0);
  scene.after.emplace_back(700.0, 500.0);
  const auto turn = FindCameraTurn(scene.camera, scene.before, scene.after);
  ASSERT_TRUE(turn.has_value());
  EXPECT_EQ(turn->matched, 12);
  // Twelve spots of 0.05 px over some 300 px to either side.
  EXPECT_LT((turn->R - scene.turn).norm(), 4.0 * 0.05 / scene.camera.intrinsics[0]);
  EXPECT_NEAR(turn->moved_px, 0.023 * scene.camera.intrinsics[0], 5.0);
}

TEST(CameraTurn, IsNoneWhereFourSpotsAreNotTheSame) {
  Scene scene(12);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> x(0.15, 0.85);
  for (Vector2d& pixel : scene.after)
    pixel = {x(random) * scene.camera.width, x(random) * scene.camera.height};
  EXPECT_FALSE(FindCameraTurn(scene.camera, scene.before, scene.after).has_value());
  EXPECT_FALSE(FindCameraTurn(scene.camera, {}, scene.after).has_value());
}

TEST(ChangedCalibration, TurnsOneCameraAndLeavesTheOtherAndTheWorld) {
  const calibration::RigCalibration rig = tracking::MakeSyntheticTrial().calibration;
  const Eigen::Matrix3d turn = calibration::RotationFromVector({0.01, 0.02, -0.03});
  const Vector3d p_W(0.1, -0.05, 0.12);
  for (const std::size_t camera : {0u, 1u}) {
    const calibration::RigCalibration turned = WithCameraTurned(rig, camera, turn, 1e-4);
    for (const std::size_t other : {0u, 1u}) {
      const Vector3d was = rig.CameraFromWorld(other) * p_W;
      const Vector3d expected = other == camera ? Vector3d(turn * was) : was;
      EXPECT_LT((turned.CameraFromWorld(other) * p_W - expected).norm(), 1e-12);
    }
  }
}

TEST(ChangedCalibration, MovesTheWorld) {
  const calibration::RigCalibration rig = tracking::MakeSyntheticTrial().calibration;
  const Eigen::Matrix3d R = calibration::RotationFromVector({0.0, 0.3, 0.1});
  const Vector3d shift(0.01, 0.02, 0.03), p_W(0.1, -0.05, 0.12);
  const calibration::RigCalibration moved = WithWorldMoved(rig, R, shift);
  EXPECT_LT((moved.CameraFromWorld(1) * (R * p_W + shift) - rig.CameraFromWorld(1) * p_W).norm(),
            1e-12);
}

impacts::ImpactRecord Touching(double height) {
  impacts::ImpactRecord impact;
  impact.p_WB = {0.0, 0.0, 0.1};
  impact.r = {0.02, 0.0, height - 0.1};
  impact.calibration_sensitivity = Eigen::MatrixXd::Zero(impacts::kImpactDimension, 1);
  impact.body_sensitivity = Eigen::MatrixXd::Zero(impacts::kBodyDimension, 1);
  impact.body_sensitivity(2, 0) = 1.0;  // a length along the normal
  return impact;
}

// The sums against the joint covariance of all heights.
TEST(ContactHeights, SayWhatTheirJointCovarianceSays) {
  constexpr int kCount = 9, kShared = 3;
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  const auto draw = [&] { return normal(random); };
  const Eigen::VectorXd height = 2e-3 * Eigen::VectorXd::NullaryExpr(kCount, draw);
  const Eigen::MatrixXd by_shared = Eigen::MatrixXd::NullaryExpr(kCount, kShared, draw);
  const Eigen::MatrixXd root = 1e-3 * Eigen::MatrixXd::NullaryExpr(kShared, kShared - 1, draw);
  const Eigen::MatrixXd bench = root * root.transpose();
  ContactHeights heights;
  for (int i = 0; i < kCount; ++i) heights.Add(height[i], by_shared.row(i));
  EXPECT_EQ(heights.lowest, height.minCoeff());
  EXPECT_EQ(heights.highest, height.maxCoeff());
  Eigen::MatrixXd joint = Eigen::MatrixXd::Constant(kCount, kCount, 9e-6);  // the board
  joint.diagonal().array() += 2.25e-8;
  joint += by_shared * bench * by_shared.transpose();
  const Eigen::LDLT<Eigen::MatrixXd> solver(joint);
  const Eigen::MatrixXd cross = bench * by_shared.transpose();
  const HeightsExplained explained = heights.Explain(bench);
  EXPECT_NEAR(explained.chi_square, height.dot(solver.solve(height)), 1e-8 * explained.chi_square);
  EXPECT_LT((explained.change - cross * solver.solve(height)).norm(), 1e-9 * root.norm());
  EXPECT_LT((explained.covariance - bench + cross * solver.solve(cross.transpose())).norm(),
            1e-9 * bench.norm());
}

TEST(ContactHeights, MayShareTheThicknessOfTheBoardAndNothingElse) {
  const Eigen::MatrixXd known = Eigen::MatrixXd::Zero(1, 1);
  const auto complaint = [&](const std::vector<double>& heights, const Eigen::MatrixXd& bench) {
    std::vector<impacts::ImpactRecord> impacts;
    for (const double height : heights) impacts.push_back(Touching(height));
    return HeightComplaint(MeasureContactHeights(impacts), bench);
  };
  EXPECT_EQ(complaint({}, known), "");
  EXPECT_EQ(complaint({-0.004, -0.0041, -0.0039}, known), "");
  EXPECT_NE(complaint({-0.004, -0.0055, -0.0039}, known), "");
  EXPECT_NE(complaint({-0.02, -0.02}, known), "");
  // A length that nobody knows moves them all alike here.
  EXPECT_EQ(complaint({-0.02, -0.02}, Eigen::MatrixXd::Constant(1, 1, 1e-4)), "");
}

}  // namespace
}  // namespace percuss::pipeline
