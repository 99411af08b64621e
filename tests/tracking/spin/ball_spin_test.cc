// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: patterns on a sphere in closed form, turned by a known spin.

#include "tracking/spin/ball_spin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "base/math/geometry.h"
#include "base/math/statistics.h"
#include "tracking/spin/spin_fit.h"
#include "tracking/spin/spin_search.h"

namespace percuss::tracking {
namespace {

using ::testing::HasSubstr;

/// Relative light of the pattern at a place of the ball.
using Pattern = std::function<double(const Eigen::Vector3d&)>;

/// Dark dots whose edges are as soft as those in a picture of a ball of 25 px.
Pattern Dots(int count) {
  const std::vector<Eigen::Vector3d> dots = SpreadOverSphere(count);
  return [dots](const Eigen::Vector3d& n) {
    double nearest = -1.0;
    for (const Eigen::Vector3d& dot : dots) nearest = std::max(nearest, dot.dot(n));
    const double inside = 0.15 - std::acos(std::min(1.0, nearest));
    return -0.85 * NormalCdf(inside / 0.04);
  };
}

struct Flight {
  Eigen::Vector3d omega = Eigen::Vector3d::Zero();
  double rate = 240.0;
  int frames = 40;
  double noise = 0.02;     // of single nodes
  double outline = 0.0;    // of the centre of each frame [R]
  double line_time = 0.0;  // per radius [s]
};

/// What a camera that looks along z sees of a ball of 25 px.
std::vector<BallLook> LooksOf(const Pattern& pattern, const Flight& flight, std::mt19937* random) {
  std::normal_distribution<double> normal;
  const Eigen::Matrix3d start =
      Eigen::Quaterniond(normal(*random), normal(*random), normal(*random), normal(*random))
          .normalized()
          .toRotationMatrix();
  std::vector<BallLook> looks;
  for (int k = 0; k < flight.frames; ++k) {
    BallLook& look = looks.emplace_back();
    look.time = k / flight.rate;
    look.camera_from_look = Eigen::Vector3d(1.0, -1.0, -1.0).asDiagonal();
    look.row_delay = {0.0, -flight.line_time};
    look.size = 55;
    const Eigen::Vector2d off = flight.outline * Eigen::Vector2d(normal(*random), normal(*random));
    for (int i = 0; i < look.size * look.size; ++i) {
      const Eigen::Vector2d node = look.NodeAt(i % look.size, i / look.size);
      look.values.push_back(static_cast<float>(kNaN));
      if (node.norm() > BallLook::kReach) continue;
      const Eigen::Vector2d at = node + off;
      const Eigen::Vector3d q(at.x(), at.y(), std::sqrt(1.0 - at.squaredNorm()));
      const double seen = look.time + look.row_delay.dot(node);
      const Eigen::Vector3d place =
          start * percuss::RotationFromVector(-flight.omega * seen).toRotationMatrix() *
          (look.camera_from_look * q);
      look.values.back() = static_cast<float>(pattern(place) + flight.noise * normal(*random));
    }
  }
  return looks;
}

Eigen::Vector3d DrawnAxis(std::mt19937* random) {
  std::normal_distribution<double> normal;
  return Eigen::Vector3d(normal(*random), normal(*random), normal(*random)).normalized();
}

double ChiSquareOf(const BallSpin& spin, const Eigen::Vector3d& truth) {
  const Eigen::MatrixXd covariance = spin.covariance;
  const Eigen::VectorXd off = spin.omega - truth;
  return off.dot(covariance.ldlt().solve(off));
}

TEST(EstimateSpin, FindsSlowAndFastSpinsAboutAnyAxis) {
  std::mt19937 random(7);
  // Not 0: dots on a spiral look the same after half a turn, so that rest and half a turn from
  // frame to frame are the same pictures.
  for (const double speed : {2.0, 5.0, 30.0, 90.0, 200.0}) {
    const Flight flight{.omega = speed * DrawnAxis(&random)};
    const BallSpin spin = EstimateSpin(LooksOf(Dots(12), flight, &random));
    ASSERT_EQ(spin.reason, "") << speed;
    EXPECT_LT((spin.omega - flight.omega).norm(), 0.002 * speed + 0.05) << speed;
    EXPECT_LT(ChiSquareOf(spin, flight.omega), ChiSquareQuantile(0.9999, 3)) << speed;
  }
}

// What frames do not share; EstimateSpin adds a share for what they do, which is not drawn here.
TEST(FitSpin, SigmasHoldTheTruth) {
  std::mt19937 random(11);
  constexpr int kDraws = 25;
  int inside = 0;
  double sum = 0.0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Flight flight{.omega = (20.0 + 3.0 * draw) * DrawnAxis(&random),
                        .frames = 24,
                        .noise = 0.05,
                        .outline = 0.005};
    const SpinFit fit = FitSpin(LooksOf(Dots(12), flight, &random), flight.omega);
    const BallSpin own{.omega = fit.omega, .covariance = fit.covariance};
    const double chi_square = ChiSquareOf(own, flight.omega);
    inside += chi_square < ChiSquareQuantile(0.95, 3);
    sum += chi_square;
  }
  // 95 +- 4.4 %; the mean of chi-square is 3 +- 0.5. Sigmas of few frames scatter themselves.
  EXPECT_GE(inside, 20);
  EXPECT_GT(sum / kDraws, 1.5);
  EXPECT_LT(sum / kDraws, 5.0);
}

TEST(EstimateSpin, ARollingShutterTurnsNothing) {
  std::mt19937 random(5);
  const Flight flight{.omega = {120.0, -60.0, 40.0}, .line_time = 4e-4};
  const BallSpin spin = EstimateSpin(LooksOf(Dots(12), flight, &random));
  ASSERT_EQ(spin.reason, "");
  EXPECT_LT((spin.omega - flight.omega).norm(), 0.002 * flight.omega.norm());
}

TEST(EstimateSpin, ABallWithoutPatternShowsNone) {
  std::mt19937 random(3);
  const Flight flight{.omega = {50.0, 0.0, 0.0}, .noise = 0.01};
  const BallSpin spin =
      EstimateSpin(LooksOf([](const Eigen::Vector3d&) { return 0.0; }, flight, &random));
  EXPECT_EQ(spin.reason, "the ball shows no pattern");
  EXPECT_TRUE(std::isnan(spin.omega.x()));
  EXPECT_TRUE(std::isnan(spin.covariance(0, 0)));
}

TEST(EstimateSpin, FewFramesAreNotEnough) {
  std::mt19937 random(3);
  const Flight flight{.omega = {50.0, 0.0, 0.0}, .frames = 4};
  EXPECT_EQ(EstimateSpin(LooksOf(Dots(12), flight, &random)).reason,
            "found 4 frames of the flight, allowed at least 5");
}

// Each frame shows another pattern, as of a ball of which nothing comes back.
TEST(EstimateSpin, APatternThatNeverComesBackTurnsTooFast) {
  std::mt19937 random(3);
  std::vector<BallLook> looks;
  for (int k = 0; k < 20; ++k) {
    const std::vector<BallLook> one = LooksOf(Dots(12), {.frames = 1}, &random);
    looks.push_back(one.front());
    looks.back().time = k / 240.0;
  }
  EXPECT_THAT(EstimateSpin(looks).reason, HasSubstr("turns too fast"));
}

// A spin of more than half a turn from frame to frame looks like one of less.
TEST(EstimateSpin, AnAliasIsTheSlowerSpin) {
  std::mt19937 random(9);
  const Eigen::Vector3d axis = Eigen::Vector3d(0.2, 0.1, 1.0).normalized();
  const double turn = 2.0 * std::numbers::pi * 60.0;
  const Flight flight{.omega = (turn - 40.0) * axis, .rate = 60.0, .frames = 20};
  const BallSpin spin = EstimateSpin(LooksOf(Dots(12), flight, &random));
  ASSERT_EQ(spin.reason, "");
  EXPECT_LT((spin.omega + 40.0 * axis).norm(), 0.5);
}

// Stripes from pole to pole repeat after 60 degrees: about that axis nothing tells 10 from 70.
TEST(EstimateSpin, APatternThatRepeatsItselfIsAmbiguous) {
  std::mt19937 random(4);
  const Pattern stripes = [](const Eigen::Vector3d& n) {
    return 0.4 * std::sin(6.0 * std::atan2(n.y(), n.x())) * (1.0 - n.z() * n.z());
  };
  // The pole stays where it is: the ball turns about it.
  std::vector<BallLook> looks;
  constexpr double kRate = 240.0, kSpin = 40.0;
  for (int k = 0; k < 24; ++k) {
    BallLook& look = looks.emplace_back();
    look.time = k / kRate;
    look.camera_from_look = Eigen::Vector3d(1.0, -1.0, -1.0).asDiagonal();
    look.size = 55;
    const Eigen::Matrix3d turn =
        Eigen::AngleAxisd(-kSpin * look.time, Eigen::Vector3d::UnitZ()).toRotationMatrix();
    for (int i = 0; i < look.size * look.size; ++i) {
      const Eigen::Vector2d node = look.NodeAt(i % look.size, i / look.size);
      look.values.push_back(static_cast<float>(kNaN));
      if (node.norm() > BallLook::kReach) continue;
      const Eigen::Vector3d q(node.x(), node.y(), std::sqrt(1.0 - node.squaredNorm()));
      look.values.back() = static_cast<float>(stripes(turn * (look.camera_from_look * q)));
    }
  }
  EXPECT_THAT(EstimateSpin(looks).reason, HasSubstr("several spins fit equally"));
}

}  // namespace
}  // namespace percuss::tracking
