// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Source of truth: drawn places and outlines of a ball whose motion is known.

#include "tracking/space/space_fit.h"

#include <gtest/gtest.h>

#include "tests/tracking/space/drawn_ball.h"

namespace percuss::tracking {
namespace {

/// Drag and duration of contacts of a table-tennis ball, known by a fifth to a third.
SpaceSetting KnownBall() {
  return {.drag = ValueWithSigma{0.12, 0.02}, .dwell = 0.001, .dwell_sigma = 0.0003};
}

// With what is known before drawn as it is known: drag, duration of contacts, tilt of the surface.
TEST(FitPlaces, IntervalsHoldTheTruth) {
  std::mt19937 random(21);
  std::normal_distribution<double> normal;
  ScoreSheet e, speed, time;
  for (int draw = 0; draw < 150; ++draw) {
    BouncingBall ball =
        BallInSpace(0.78, 0.12 + 0.02 * normal(random), 0.001 + 0.0003 * normal(random));
    ball.normal = Eigen::Vector3d(0.009 * normal(random), 0.009 * normal(random), 1.0).normalized();
    const SpaceFit fit = FitPlaces(DrawPlaces(ball, 120.0, 5e-4, &random), KnownBall());
    ASSERT_EQ(fit.fit.reason, "");
    ASSERT_EQ(fit.fit.bounces.size(), 3U);
    const BallMotionModel motion(ball, 0.0, 2.5);
    for (std::size_t k = 0; k < 3; ++k) {
      const BallContact& contact = motion.Contacts()[k];
      const double truth = -contact.after.dot(ball.normal) / contact.before.dot(ball.normal);
      const BounceEstimate& bounce = fit.fit.bounces[k];
      e.Add((bounce.e - truth) / fit.fit.Sigma(k, kBounceE));
      speed.Add((bounce.after - contact.after.norm()) / fit.fit.Sigma(k, kSpeedAfter));
      time.Add((bounce.time - contact.time) / fit.fit.Sigma(k, kBounceTime));
    }
  }
  // Bounces of one ball are correlated: some 300 independent ones, 95 +- 1.3 %.
  for (const ScoreSheet* sheet : {&e, &speed, &time}) {
    EXPECT_GT(sheet->Share(), 0.92);
    EXPECT_LT(sheet->Share(), 0.985);
    EXPECT_NEAR(sheet->Rms(), 1.0, 0.13);
  }
  RecordProperty("share_e", std::to_string(e.Share()));
  RecordProperty("share_speed", std::to_string(speed.Share()));
}

TEST(FitPlaces, IsTheSameInAnyFrame) {
  std::mt19937 random(5);
  const auto places = DrawPlaces(BallInSpace(0.8, 0.1, 0.001), 200.0, 2e-4, &random);
  const calibration::Pose turn{calibration::RotationFromVector({0.4, -1.1, 2.0}), {3.0, -1.0, 0.5}};
  std::vector<BallPlace> turned = places;
  for (BallPlace& one : turned) one.place = turn * one.place;
  const SpaceFit one = FitPlaces(places, {}), other = FitPlaces(turned, {});
  ASSERT_EQ(one.fit.reason + other.fit.reason, "");
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(one.fit.bounces[k].e, other.fit.bounces[k].e, 1e-4);
    EXPECT_NEAR(one.fit.Sigma(k, kBounceE), other.fit.Sigma(k, kBounceE), 1e-4);
  }
  EXPECT_NEAR((turn.R * one.fit.ball.normal - other.fit.ball.normal).norm(), 0.0, 1e-4);
  EXPECT_NEAR(one.rms, 2e-4, 2e-5);
}

TEST(FitPlaces, TakesWhatIsStated) {
  std::mt19937 random(6);
  const auto places = DrawPlaces(BallInSpace(0.8, 0.1, 0.001), 120.0, 1e-3, &random);
  const SpaceFit free = FitPlaces(places, {});
  const SpaceFit stated = FitPlaces(places, {.gravity = ValueWithSigma{9.80665, 0.001},
                                             .up = Eigen::Vector3d(0.0, 0.0, 2.0),
                                             .drag = ValueWithSigma{0.1, 0.005}});
  ASSERT_EQ(free.fit.reason + stated.fit.reason, "");
  EXPECT_LT(stated.fit.gravity.sigma, 0.0011);
  EXPECT_NEAR(stated.fit.gravity.value, 9.80665, 0.004);
  EXPECT_LT(stated.fit.drag.sigma, 0.0051);
  EXPECT_LT(stated.fit.Sigma(1, kBounceE), free.fit.Sigma(1, kBounceE));
  EXPECT_NEAR(free.fit.gravity.value, 9.80665, 4.0 * free.fit.gravity.sigma);
}

TEST(FitPlaces, LeavesOutliersOut) {
  std::mt19937 random(7);
  const BouncingBall ball = BallInSpace(0.8, 0.1, 0.001);
  auto places = DrawPlaces(ball, 120.0, 3e-4, &random);
  for (const std::size_t k : {10U, 50U, 77U, 90U}) places[k].place.z() += 0.05;
  const SpaceFit fit = FitPlaces(places, {});
  ASSERT_EQ(fit.fit.reason, "");
  const BallMotionModel motion(ball, 0.0, 2.5);
  ASSERT_EQ(fit.fit.bounces.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    const BallContact& contact = motion.Contacts()[k];
    const double truth = -contact.after.z() / contact.before.z();
    EXPECT_NEAR(fit.fit.bounces[k].e, truth, 4.0 * fit.fit.Sigma(k, kBounceE));
  }
  EXPECT_NEAR(fit.rms, 3e-4, 4e-5);
}

// Numbers of a simulation to six digits, one coordinate always 0: a fall of 0.4 m and two bounces
// in closed form.
TEST(FitPlaces, TakesExactPlacesInAPlane) {
  constexpr double kG = 9.80665, kHeight = 0.4, kE = 0.8;
  const double fall = std::sqrt(2.0 * kHeight / kG), first = kE * kG * fall;
  const auto digits = [](double value) { return 1e-6 * std::round(1e6 * value); };
  std::vector<BallPlace> places;
  for (int k = 0; k < 200; ++k) {
    const double t = 0.005 * k;
    double since = t - fall, speed = first, z = kHeight - 0.5 * kG * t * t;
    if (since > 2.0 * speed / kG) {
      since -= 2.0 * speed / kG;
      speed *= kE;
    }
    if (since > 0.0) z = speed * since - 0.5 * kG * since * since;
    places.push_back({t, {digits(0.1 * t), 0.0, digits(z)}, Eigen::Matrix3d::Identity()});
  }
  const SpaceFit fit =
      FitPlaces(places, {.up = Eigen::Vector3d::UnitZ(), .dwell = 1e-5, .dwell_sigma = 1e-6});
  ASSERT_EQ(fit.fit.reason, "");
  ASSERT_EQ(fit.fit.bounces.size(), 2U);
  EXPECT_GT(fit.fit.used.size(), places.size() - 12);
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_NEAR(fit.fit.bounces[k].e, kE, std::max(4.0 * fit.fit.Sigma(k, kBounceE), 1e-5));
}

/// Two cameras 0.6 m apart that look at the bounces from 1.3 m.
calibration::RigCalibration Rig() {
  calibration::RigCalibration rig;
  for (const double x : {-0.3, 0.3}) {
    calibration::CalibratedCamera one;
    one.name = x < 0.0 ? "left" : "right";
    one.camera = {.width = 1280, .height = 720};
    one.camera.intrinsics = {1100.0, 1100.0, 639.5, 359.5};
    const Eigen::Vector3d eye(x, -1.3, 0.4), target(0.0, 0.0, 0.25);
    calibration::Pose pose;
    const Eigen::Vector3d z = (target - eye).normalized();
    const Eigen::Vector3d right = z.cross(Eigen::Vector3d::UnitZ()).normalized();
    pose.R << right.transpose(), z.cross(right).transpose(), z.transpose();
    pose.t = -pose.R * eye;
    if (rig.cameras.empty()) {
      rig.world_from_first = pose.Inverse();
    } else {
      one.from_first = pose * rig.world_from_first;
    }
    rig.cameras.push_back(one);
  }
  const auto size = calibration::NumRigParameters(2);
  rig.covariance = Eigen::MatrixXd::Zero(size, size);
  return rig;
}

std::vector<BallSighting> DrawOutlines(const BouncingBall& ball, double radius,
                                       const calibration::RigCalibration& rig, int camera,
                                       double rate, double later, double sigma,
                                       std::mt19937* random) {
  std::normal_distribution<double> normal;
  const BallMotionModel motion(ball, -0.1, 2.5);
  const double end = motion.Contacts().back().time + 0.25;
  std::vector<BallSighting> outlines;
  for (int k = 0; k / rate < end; ++k) {
    const double t = k / rate + later;
    bool touches = false;
    for (const BallContact& contact : motion.Contacts())
      touches |= t > contact.time - 1e-3 && t < contact.time + ball.dwell + 1e-3;
    if (touches) continue;
    const BallImage image =
        ImageOfBall(rig.cameras[camera].camera,
                    Eigen::Vector3d(rig.CameraFromWorld(camera) * motion.At(t).place / radius));
    BallSighting seen{.frame = k, .time = k / rate};
    const double centre = std::hypot(sigma, 1.2e-3 * image.radius);
    seen.centre = image.centre + centre * Eigen::Vector2d(normal(*random), normal(*random));
    seen.radius = image.radius + std::hypot(sigma, 2e-3 * image.radius) * normal(*random);
    seen.covariance = sigma * sigma * Eigen::Matrix3d::Identity();
    outlines.push_back(seen);
  }
  return outlines;
}

// The clocks and the calibration are drawn as well, the latter by its covariance.
TEST(FitTwoViews, IntervalsHoldTheTruth) {
  constexpr double kRate = 60.0, kRadius = 0.02, kClock = 0.004;
  std::mt19937 random(31);
  std::normal_distribution<double> normal;
  calibration::RigCalibration known = Rig();
  Eigen::VectorXd sigma = Eigen::VectorXd::Zero(known.covariance.rows());
  for (int c = 0; c < 2; ++c) sigma.segment<4>(known.Places().Intrinsics(c)) << 2.0, 2.0, 1.0, 1.0;
  sigma.segment<6>(known.Places().CameraPose(1)) << 5e-4, 5e-4, 5e-4, 5e-4, 5e-4, 5e-4;
  known.covariance = sigma.cwiseAbs2().asDiagonal();
  ScoreSheet e, speed, radius, clock;
  for (int draw = 0; draw < 40; ++draw) {
    const BouncingBall ball =
        BallInSpace(0.78, 0.12 + 0.02 * normal(random), 0.001 + 0.0003 * normal(random));
    Eigen::VectorXd delta = sigma;
    for (double& one : delta) one *= normal(random);
    const calibration::RigCalibration rig = calibration::Perturbed(known, delta);
    const double later = kClock * normal(random);
    const auto left = DrawOutlines(ball, kRadius, rig, 0, kRate, 0.0, 0.04, &random);
    const auto right = DrawOutlines(ball, kRadius, rig, 1, kRate, later, 0.04, &random);
    const SpaceFit fit = FitTwoViews({left, {}}, {right, {}}, known, {0.0, kClock}, KnownBall());
    ASSERT_EQ(fit.fit.reason, "");
    ASSERT_EQ(fit.fit.bounces.size(), 3U);
    const BallMotionModel motion(ball, 0.0, 2.5);
    for (std::size_t k = 0; k < 3; ++k) {
      const BallContact& contact = motion.Contacts()[k];
      const double truth = -contact.after.dot(ball.normal) / contact.before.dot(ball.normal);
      e.Add((fit.fit.bounces[k].e - truth) / fit.fit.Sigma(k, kBounceE));
      speed.Add((fit.fit.bounces[k].after - contact.after.norm()) / fit.fit.Sigma(k, kSpeedAfter));
    }
    radius.Add((fit.radius.value - kRadius) / fit.radius.sigma);
    clock.Add((fit.clock_offset.value - later) / fit.clock_offset.sigma);
    EXPECT_LT(fit.clock_offset.sigma, 0.1 * kClock);
  }
  // Some 40 to 80 independent ones: 95 +- 3.4 %, rms 1 +- 0.11.
  for (const ScoreSheet* sheet : {&e, &speed, &radius, &clock}) {
    EXPECT_GT(sheet->Share(), 0.85);
    EXPECT_NEAR(sheet->Rms(), 1.0, 0.25);
  }
}

}  // namespace
}  // namespace percuss::tracking
