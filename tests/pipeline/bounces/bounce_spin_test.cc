// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: a sphere's bounce with Coulomb friction in closed form (BounceOfBall).

#include "pipeline/bounces/bounce_spin.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>

#include "pipeline/bounces/bounce_clip.h"
#include "synthesis/ball/ball_motion.h"

namespace percuss::pipeline {
namespace {

constexpr double kSpinBallRadius = 0.02, kMu = 0.2;

/// One bounce on a surface whose normal is against the camera's y axis.
struct MadeBounce {
  tracking::BounceFit fit;
  tracking::BallSpin before, after;
  bool sticks = false;
};

tracking::BallSpin SpinOf(const Eigen::Vector3d& omega, double sigma) {
  tracking::BallSpin spin;
  spin.omega = omega;
  spin.covariance = sigma * sigma * Eigen::Matrix3d::Identity();
  return spin;
}

/// @param v, w  in axes of the camera, m/s and rad/s
MadeBounce Bounce(const Eigen::Vector3d& v, const Eigen::Vector3d& w) {
  synthesis::BallSpec spec;
  spec.mu = kMu;
  spec.surface_normal = -Eigen::Vector3d::UnitY();
  synthesis::BallState state;
  state.p = kSpinBallRadius * spec.surface_normal;
  state.v = v;
  state.w = w;
  const synthesis::BounceTruth truth = synthesis::BounceOfBall(spec, state, 0.8);
  MadeBounce made;
  made.sticks = truth.sticks;
  made.before = SpinOf(truth.before.w, 0.5);
  made.after = SpinOf(truth.after.w, 0.5);
  tracking::BounceFit& fit = made.fit;
  fit.ball.normal = spec.surface_normal;
  fit.ball.camera = {.width = 1920, .height = 1080};
  fit.ball.camera.intrinsics = {1500.0, 1500.0, 959.5, 539.5};
  fit.ball.first_contact = {0.0, 5.0, 60.0};
  const Eigen::Vector3d in = truth.before.v / kSpinBallRadius,
                        out = truth.after.v / kSpinBallRadius;
  fit.contacts = {{.time = 0.5, .place = fit.ball.first_contact, .before = in, .after = out}};
  const Eigen::Vector3d& n = fit.ball.normal;
  const Eigen::Vector3d slide = in - n * n.dot(in);
  fit.bounces = {{.time = 0.5,
                  .e = 0.8,
                  .before = in.norm(),
                  .after = out.norm(),
                  .normal_before = -n.dot(in),
                  .normal_after = n.dot(out),
                  .tangential_before = slide.norm(),
                  .tangential_after = out.dot(slide.normalized()),
                  .px_per_radius = 25.0}};
  fit.covariance = 0.01 * Eigen::MatrixXd::Identity(tracking::kNumBounceNumbers + 2,
                                                    tracking::kNumBounceNumbers + 2);
  return made;
}

BounceFriction Friction(const MadeBounce& made) {
  return FrictionOf(made.fit, 0, made.before, made.after);
}

TEST(FrictionOf, MuWhereTheContactSlides) {
  const MadeBounce made = Bounce({1.5, 2.0, 0.0}, {10.0, -5.0, -60.0});
  ASSERT_FALSE(made.sticks);
  const BounceFriction friction = Friction(made);
  EXPECT_STREQ(SlideName(friction.kind), "slides");
  EXPECT_NEAR(friction.mu.value, kMu, 1e-3);
  // Of dv_t / dv_n, dv_n = 180 R/s: 0.1 sqrt(2) / 180, a little more for dv_n itself.
  EXPECT_NEAR(friction.mu.sigma, 0.1 * std::sqrt(2.0) / 180.0, 5e-5);
}

// The impulse is against the velocity of the contact point, which spin turns out of the way.
TEST(FrictionOf, MuOfAnImpulseAcrossTheWay) {
  const MadeBounce made = Bounce({1.5, 2.0, 0.0}, {-60.0, 0.0, -40.0});
  ASSERT_FALSE(made.sticks);
  const BounceFriction friction = Friction(made);
  EXPECT_STREQ(SlideName(friction.kind), "slides");
  EXPECT_NEAR(friction.mu.value, kMu, 1e-3);
}

TEST(FrictionOf, ABoundWhereItSticks) {
  const MadeBounce made = Bounce({0.3, 2.0, 0.0}, {0.0, 0.0, 0.0});
  ASSERT_TRUE(made.sticks);
  const BounceFriction friction = Friction(made);
  EXPECT_STREQ(SlideName(friction.kind), "sticks");
  EXPECT_LT(friction.mu.value, kMu);
  EXPECT_GT(friction.mu.value, 0.01);
}

TEST(FrictionOf, ABoundWithoutSpin) {
  MadeBounce made = Bounce({6.0, 2.0, 0.0}, {0.0, 0.0, 0.0});
  made.after = {};
  made.after.reason = "the ball shows no pattern";
  const BounceFriction friction = Friction(made);
  EXPECT_STREQ(SlideName(friction.kind), "unknown");
  EXPECT_NEAR(friction.mu.value, kMu, 1e-3);
  EXPECT_TRUE(std::isnan(friction.spin_after[0].value));
}

// n is against y, t along x: b = n x t is z, into the picture. A ball that rolls to the right turns
// about +z of a camera with y down.
TEST(FrictionOf, ARollingBallSpinsAboutB) {
  MadeBounce made = Bounce({1.0, 2.0, 0.0}, {0.0, 0.0, 1.0 / kSpinBallRadius});
  const BounceFriction friction = Friction(made);
  EXPECT_NEAR(friction.spin_before[2].value, 50.0, 1e-9);
  EXPECT_NEAR(friction.mu.value, 0.0, 1e-9);  // its contact point rests
}

/// The first row of bounces.csv.
std::map<std::string, std::string> CellsByName(const BounceClip& clip) {
  std::istringstream csv(BouncesCsv(clip));
  std::string unit, names, row, name, cell;
  std::getline(csv, unit);
  std::getline(csv, names);
  std::getline(csv, row);
  EXPECT_EQ(std::ranges::count(names, ','), std::ranges::count(row, ','));
  std::map<std::string, std::string> cells;
  std::istringstream heads(names), values(row + ",");
  while (std::getline(heads, name, ',') && std::getline(values, cell, ',')) cells[name] = cell;
  return cells;
}

TEST(BouncesCsv, HasSpinAndFriction) {
  const MadeBounce made = Bounce({1.5, 2.0, 0.0}, {10.0, -5.0, -60.0});
  BounceClip clip;
  clip.fit = made.fit;
  clip.spins = {made.before, made.after};
  const auto cells = CellsByName(clip);
  const auto cell = [&](const char* name) { return cells.at(name); };
  EXPECT_EQ(cell("spin_before_n"), "5");
  EXPECT_EQ(cell("spin_before_t"), "10");
  EXPECT_EQ(cell("spin_before_b"), "-60");
  EXPECT_EQ(cell("spin_before_sigma"), "0.5");
  EXPECT_NEAR(std::stod(cell("mu")), kMu, 1e-3);
  EXPECT_EQ(cell("mu_kind"), "slides");
}

TEST(BouncesCsv, HasNoSpinWithoutAPattern) {
  MadeBounce made = Bounce({6.0, 2.0, 0.0}, {0.0, 0.0, 0.0});
  made.before = {};
  made.before.reason = "the ball shows no pattern";
  BounceClip clip;
  clip.fit = made.fit;
  clip.spins = {made.before, made.after};
  const auto cell = CellsByName(clip);
  for (const char* name : {"spin_before_n", "spin_before_t", "spin_before_b", "spin_before_sigma"})
    EXPECT_EQ(cell.at(name), "") << name;
  EXPECT_NE(cell.at("spin_after_b"), "");
  EXPECT_EQ(cell.at("mu_kind"), "unknown");
  clip.spins.clear();  // of a table of places
  EXPECT_EQ(CellsByName(clip).at("spin_after_b"), "");
}

TEST(SpinLine, SaysWhyThereIsNone) {
  tracking::BallSpin known = SpinOf({1.0, 2.0, 3.0}, 0.1), unknown;
  unknown.reason = "the ball shows no pattern";
  EXPECT_EQ(SpinLine({known, known}),
            "spin measured in all 2 flights, from the pattern of the ball");
  EXPECT_EQ(SpinLine({unknown, unknown}), "spin not measured: the ball shows no pattern");
  EXPECT_EQ(SpinLine({known, unknown}),
            "spin measured in 1 of 2 flights; flight 2: the ball shows no pattern");
}

}  // namespace
}  // namespace percuss::pipeline
