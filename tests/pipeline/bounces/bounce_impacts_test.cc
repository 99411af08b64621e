// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: bounces made up of a known e, with errors drawn from their joint covariance; the
// mean by generalised least squares, which knows nothing of impacts.

#include "pipeline/bounces/bounce_impacts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/math/common_value.h"
#include "base/math/covariance_root.h"
#include "capture/experiment/experiment_body.h"
#include "fitting/estimate/coefficient_fit.h"
#include "impacts/impact_columns.h"
#include "impacts/impact_files.h"
#include "pipeline/bounces/bounce_batch.h"
#include "pipeline/bounces/bounce_speed.h"
#include "tests/base/temporary_folder.h"

namespace percuss::pipeline {
namespace {

using tracking::kNumBounceNumbers;

constexpr double kRadius = 0.02;  // [m]

struct Truth {
  double e = 0.8;
  double slope = 0.0;  ///< of e, per m/s of the normal speed
  int bounces = 5;
  double tangential = 0.3;  ///< [m/s]
};

/// Errors as a clip has them: of each flight's speed, of all speeds in common, and of t and t'.
/// Those of the speed after a bounce and before the next are the same flight's.
Eigen::MatrixXd RootOfErrors(const tracking::BounceFit& fit) {
  const auto n = std::ssize(fit.bounces);
  Eigen::MatrixXd root = Eigen::MatrixXd::Zero(kNumBounceNumbers * n + 2, 3 * n + 3);
  constexpr double kFlight = 0.3, kOwn = 0.1, kCommon = 0.004;  // [R/s], [R/s], relative
  for (Eigen::Index k = 0; k < n; ++k) {
    const tracking::BounceEstimate& bounce = fit.bounces[k];
    const Eigen::Index row = kNumBounceNumbers * k;
    auto before = root.row(row + tracking::kNormalBefore);
    auto after = root.row(row + tracking::kNormalAfter);
    before[k] = kFlight;
    after[k + 1] = kFlight;
    after[n + 2 + k] = kOwn;
    before[n + 1] = kCommon * bounce.normal_before;
    after[n + 1] = kCommon * bounce.normal_after;
    root(row + tracking::kTangentialBefore, 2 * n + 2 + k) = 0.2;
    root(row + tracking::kTangentialAfter, 2 * n + 2 + k) = 0.1;
    root.row(row + tracking::kBounceE) = (after - bounce.e * before) / bounce.normal_before;
    root.row(row + tracking::kSpeedBefore) = before;
    root.row(row + tracking::kSpeedAfter) = after;
  }
  return root;
}

tracking::BounceFit TrueFit(const Truth& truth) {
  tracking::BounceFit fit;
  double speed = 3.0 / kRadius;
  fit.ball.normal = -Eigen::Vector3d::UnitY();
  fit.ball.gravity = 9.80665 / kRadius * Eigen::Vector3d::UnitY();
  for (int k = 0; k < truth.bounces; ++k) {
    tracking::BounceEstimate& bounce = fit.bounces.emplace_back();
    bounce.time = 0.3 * k;
    bounce.e = truth.e + truth.slope * speed * kRadius;
    bounce.normal_before = speed;
    bounce.normal_after = speed *= bounce.e;
    bounce.tangential_before = truth.tangential / kRadius;
    bounce.tangential_after = 0.9 * bounce.tangential_before;
    fit.contacts.push_back({.time = bounce.time});
    fit.contacts.back().before = {bounce.tangential_before, bounce.normal_before, 0.0};
    fit.contacts.back().after = {bounce.tangential_after, -bounce.normal_after, 0.0};
  }
  const Eigen::MatrixXd root = RootOfErrors(fit);
  fit.covariance = root * root.transpose();
  return fit;
}

/// The same clip as measured once.
tracking::BounceFit Drawn(const tracking::BounceFit& truth, std::mt19937* random) {
  std::normal_distribution<double> normal;
  const Eigen::MatrixXd root = RootOfErrors(truth);
  Eigen::VectorXd draw(root.cols());
  for (double& one : draw) one = normal(*random);
  const Eigen::VectorXd error = root * draw;
  tracking::BounceFit fit = truth;
  for (std::size_t k = 0; k < fit.bounces.size(); ++k) {
    tracking::BounceEstimate& bounce = fit.bounces[k];
    const auto row = static_cast<Eigen::Index>(k) * kNumBounceNumbers;
    bounce.normal_before += error[row + tracking::kNormalBefore];
    bounce.normal_after += error[row + tracking::kNormalAfter];
    bounce.tangential_before += error[row + tracking::kTangentialBefore];
    bounce.tangential_after += error[row + tracking::kTangentialAfter];
    bounce.e = bounce.normal_after / bounce.normal_before;
  }
  const Eigen::MatrixXd measured = RootOfErrors(fit);
  fit.covariance = measured * measured.transpose();
  return fit;
}

impacts::ImpactTable TableOf(const tracking::BounceFit& fit) {
  const ClipBounces clip{.name = "ball", .fit = &fit, .radius = {kRadius, 0.0001}};
  return ImpactsOfBounces(std::span(&clip, 1), true);
}

fitting::LawFit FitOf(const impacts::ImpactTable& table, const char* law = "stronge") {
  fitting::FitOptions options;
  options.laws = {law};
  options.cross_validate = options.split_error = false;
  options.num_threads = 1;
  return fitting::FitCoefficients(table, BodyOfBall(kRadius, {}), options).front();
}

fitting::ParameterEstimate Find(const fitting::LawFit& fit, const std::string& name) {
  for (const auto& one : fit.parameters) {
    if (one.name == name) return one;
  }
  return {};
}

CommonValue MeanOf(const tracking::BounceFit& fit) {
  const auto n = std::ssize(fit.bounces);
  Eigen::VectorXd e(n), speed(n);
  Eigen::MatrixXd covariance(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    e[i] = fit.bounces[i].e;
    speed[i] = fit.bounces[i].normal_before;
    for (Eigen::Index j = 0; j < n; ++j)
      covariance(i, j) = fit.covariance(i * kNumBounceNumbers + tracking::kBounceE,
                                        j * kNumBounceNumbers + tracking::kBounceE);
  }
  return FitCommonValue(e, covariance, speed);
}

TEST(ImpactsOfBounces, FitGivesTheMeanOfTheClipAndLeavesFrictionOpen) {
  std::mt19937 random(1);
  const tracking::BounceFit truth = TrueFit({});
  for (int round = 0; round < 5; ++round) {
    const tracking::BounceFit fit = Drawn(truth, &random);
    const CommonValue mean = MeanOf(fit);
    if (mean.scatter > 0.0) continue;  // drawn by chance; the fit has another way to say so
    for (const char* law : {"stronge", "newton", "poisson"}) {
      const fitting::LawFit result = FitOf(TableOf(fit), law);
      ASSERT_TRUE(result.converged) << result.message;
      EXPECT_EQ(result.num_used, 5);
      const auto e = Find(result, "e");
      EXPECT_NEAR(e.value, mean.mean.value, 0.1 * mean.mean.sigma) << law;
      EXPECT_NEAR(e.sigma / result.interval_scale, mean.mean.sigma, 0.05 * mean.mean.sigma) << law;
      EXPECT_EQ(Find(result, "mu").status, fitting::ParameterStatus::kUnidentified) << law;
    }
  }
}

TEST(ImpactsOfBounces, IntervalsOfTheFitHoldTheTruthIn95Of100Clips) {
  std::mt19937 random(2);
  const tracking::BounceFit truth = TrueFit({});
  constexpr int kDraws = 300;
  int held = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const auto e = Find(FitOf(TableOf(Drawn(truth, &random)), "newton"), "e");
    held += e.ci95[0] <= 0.8 && 0.8 <= e.ci95[1];
  }
  // Binomial: 285 +- 3.8; a misfit by chance widens intervals, never narrows them.
  EXPECT_GE(held, 273);
  EXPECT_LE(held, 297);
}

TEST(ImpactsOfBounces, FileHoldsTheSameAndTheBodyReadsBack) {
  const testing::TemporaryFolder folder;
  const impacts::ImpactTable table = TableOf(TrueFit({}));
  impacts::WriteImpactsJson(
      table, {.format = impacts::kImpactFormat, .command = "percuss bounce", .input_hashes = {}},
      folder / kImpactsFile);
  const impacts::ImpactTable read = impacts::ReadImpacts(folder / kImpactsFile);
  ASSERT_EQ(read.impacts.size(), 5U);
  EXPECT_EQ(read.impacts[1].trial, "ball-2");
  EXPECT_EQ(read.impacts[1].extra.at("clip"), "ball");
  EXPECT_EQ(*read.impacts[1].covariance, *table.impacts[1].covariance);
  EXPECT_NEAR(read.impacts[0].v.z(), -3.0, 1e-12);
  EXPECT_NEAR(read.impacts[0].v_post.z(), 2.4, 1e-12);
  EXPECT_NEAR(read.impacts[0].gravity.z(), -9.80665, 1e-9);
  folder.Write("body.yaml", BodyYaml({kRadius, 0.0001}, {.mass = {0.0027, 0.0001}}));
  const capture::MarkedBody body = capture::ReadBody(folder / "body.yaml");
  EXPECT_NEAR(body.body.inertia(0, 0), 0.4 * 0.0027 * kRadius * kRadius, 1e-12);
  EXPECT_DOUBLE_EQ(body.sigma.length, 0.0001);
  EXPECT_DOUBLE_EQ(body.sigma.inertia, 0.5);
}

// A ball that slides to the end: t' = t - mu (1 + e) n, and the spin about b gains as much over
// 2/5 R; the spin about n says nothing.
TEST(ImpactsOfBounces, SpinsOfATableGiveFriction) {
  constexpr double kMu = 0.15, kE = 0.8, kSpinSigma = 0.5;
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  int held = 0, held_e = 0;
  constexpr int kDraws = 60;
  for (int draw = 0; draw < kDraws; ++draw) {
    tracking::BounceFit truth = TrueFit({.e = kE, .bounces = 2, .tangential = 10.0});
    std::vector<tracking::BallSpin> spins(3);
    spins[0].omega = Eigen::Vector3d(0.0, 20.0, 0.0);  // about n, which points along -y
    for (std::size_t k = 0; k < 2; ++k) {
      tracking::BounceEstimate& bounce = truth.bounces[k];
      const double loss = kMu * (1.0 + kE) * bounce.normal_before;
      if (k == 1) bounce.tangential_before = truth.bounces[0].tangential_after;
      bounce.tangential_after = bounce.tangential_before - loss;
      // b = n x t = -y x x = z.
      spins[k + 1].omega = spins[k].omega + Eigen::Vector3d(0.0, 0.0, loss / 0.4);
    }
    const tracking::BounceFit drawn = Drawn(truth, &random);
    tracking::BounceFit fit = drawn;  // in metres, as a table has it
    fit.covariance *= kRadius * kRadius;
    for (std::size_t k = 0; k < 2; ++k) {
      tracking::BounceEstimate& bounce = fit.bounces[k];
      for (double* speed : {&bounce.normal_before, &bounce.normal_after, &bounce.tangential_before,
                            &bounce.tangential_after})
        *speed *= kRadius;
      fit.contacts[k].before = {bounce.tangential_before, bounce.normal_before, 0.0};
      fit.contacts[k].after = {bounce.tangential_after, -bounce.normal_after, 0.0};
    }
    for (tracking::BallSpin& spin : spins) {
      spin.covariance = kSpinSigma * kSpinSigma * Eigen::Matrix3d::Identity();
      for (double& one : spin.omega) one += kSpinSigma * normal(random);
    }
    const ClipBounces table{
        .name = "ball", .fit = &fit, .radius = {kRadius, 1e-5}, .metric = true, .spins = spins};
    const impacts::ImpactTable impacts = ImpactsOfBounces(std::span(&table, 1), true);
    EXPECT_NEAR(impacts.impacts[1].w_post.y(), spins[2].omega.z(), 1e-9);
    EXPECT_NEAR(impacts.impacts[1].w.z(), -spins[1].omega.y(), 1e-9);
    const fitting::LawFit result = FitOf(impacts);
    ASSERT_TRUE(result.converged) << result.message;
    const auto mu = Find(result, "mu"), e = Find(result, "e");
    EXPECT_EQ(mu.status, fitting::ParameterStatus::kIdentified);
    held += mu.ci95[0] <= kMu && kMu <= mu.ci95[1];
    held_e += e.ci95[0] <= kE && kE <= e.ci95[1];
  }
  // Binomial: 57 +- 1.7.
  EXPECT_GE(held, 52);
  EXPECT_GE(held_e, 52);
}

TEST(ImpactsOfBounces, NeedARadius) {
  const tracking::BounceFit fit = TrueFit({});
  const ClipBounces clip{.name = "ball", .fit = &fit, .radius = {}};
  EXPECT_THROW(ImpactsOfBounces(std::span(&clip, 1), true), std::invalid_argument);
}

TEST(ImpactsOfBounces, OneScaleIsSharedByClips) {
  const tracking::BounceFit fit = TrueFit({.bounces = 2});
  const std::vector<ClipBounces> clips(2, {.name = "a", .fit = &fit, .radius = {kRadius, 0.001}});
  const auto between = [&](bool one_scale) {
    const impacts::ImpactTable table = ImpactsOfBounces(clips, one_scale);
    return (table.impacts[0].calibration_sensitivity *
            table.impacts[2].calibration_sensitivity.transpose())(impacts::kV + 2, impacts::kV + 2);
  };
  EXPECT_NEAR(between(true), std::pow(3.0 * 0.05, 2), 1e-9);
  EXPECT_NEAR(between(false), 0.0, 1e-15);
}

// One of the errors of a clip is one that all clips have in common.
TEST(ImpactsOfBounces, WhatIsKnownBeforeIsWrongInAllClips) {
  tracking::BounceFit fit = TrueFit({.bounces = 2});
  fit.shared = Eigen::MatrixXd::Zero(fit.covariance.rows(), tracking::kNumSharedErrors);
  fit.shared.col(tracking::kSharedDwell) = RootOfErrors(fit).col(1);  // of the flight between
  const std::vector<ClipBounces> clips(2, {.name = "a", .fit = &fit, .radius = {kRadius, 0.0}});
  const impacts::ImpactTable table = ImpactsOfBounces(clips, true);
  const auto covariance = [&](std::size_t one, std::size_t other) {
    return (table.impacts[one].calibration_sensitivity *
            table.impacts[other].calibration_sensitivity.transpose())(impacts::kVPost + 2,
                                                                      impacts::kVPost + 2);
  };
  const Eigen::Index first = tracking::kNormalAfter, second = first + kNumBounceNumbers;
  const double all = kRadius * kRadius * fit.covariance(first, first);
  EXPECT_NEAR(covariance(0, 0), all, 1e-6 * all);
  const double shared = kRadius * fit.shared(first, tracking::kSharedDwell);
  EXPECT_GT(std::abs(shared), 0.1 * std::sqrt(all));
  EXPECT_NEAR(covariance(0, 2), shared * shared, 1e-6 * all);
  const double later = kRadius * fit.shared(second, tracking::kSharedDwell);
  EXPECT_NEAR(covariance(0, 3), shared * later, 1e-6 * all);
}

TEST(MeanOfClips, WhatAllShareStays) {
  const std::vector<Eigen::VectorXd> shared(4, Eigen::VectorXd::Constant(1, 0.0015));
  const CommonValue mean =
      MeanOfClips(std::vector<ValueWithSigma>(4, {0.8, 0.0025}), {1, 2, 3, 4}, shared);
  EXPECT_NEAR(mean.mean.sigma, std::hypot(0.0015, 0.002 / 2.0), 1e-9);
}

TEST(FitSpeedModels, FindsAnEThatFallsWithSpeed) {
  std::mt19937 random(3);
  const tracking::BounceFit fit = Drawn(TrueFit({.e = 0.9, .slope = -0.05, .bounces = 7}), &random);
  const auto speed = FitSpeedModels(TableOf(fit), BodyOfBall(kRadius, {}));
  ASSERT_TRUE(speed.reason.empty()) << speed.reason;
  EXPECT_NE(speed.models.front().name, "constant");
  EXPECT_EQ(speed.models.size(), 4U);
  const SpeedModel* line = speed.Find("linear-normal");
  ASSERT_NE(line, nullptr);
  ASSERT_EQ(line->coefficients.size(), 2U);
  const ValueWithSigma slope = line->coefficients[1].value;
  EXPECT_EQ(line->coefficients[1].name, "e.slope");
  EXPECT_NEAR(slope.value, -0.05, 3.0 * slope.sigma);
  EXPECT_LT(slope.sigma, 0.01);
  EXPECT_THAT(SpeedLine(speed), ::testing::HasSubstr("e changes with speed between"));
  ASSERT_EQ(line->e.size(), 7U);
  EXPECT_NEAR(line->e[0], 0.75, 0.01);
}

TEST(FitSpeedModels, OneEIsConstantInMostClips) {
  std::mt19937 random(4);
  int constant = 0;
  for (int draw = 0; draw < 40; ++draw) {
    const tracking::BounceFit fit = Drawn(TrueFit({.bounces = 7}), &random);
    const auto speed = FitSpeedModels(TableOf(fit), BodyOfBall(kRadius, {}));
    constant += speed.models.front().name == "constant";
  }
  // AICc asks of a second coefficient 5 of chi-square more at seven bounces: one clip in 40, for
  // each of three models that are nearly the same.
  EXPECT_GE(constant, 34);
}

TEST(FitSpeedModels, SaysWhyThreeBouncesAreNotEnough) {
  const auto speed = FitSpeedModels(TableOf(TrueFit({.bounces = 3})), BodyOfBall(kRadius, {}));
  EXPECT_EQ(SpeedLine(speed), "whether e changes with speed is not known: 3 bounces, needed are 4");
}

TEST(MeanOfClips, ClipsThatDifferScatter) {
  const CommonValue same = MeanOfClips({{0.80, 0.002}, {0.801, 0.002}, {0.799, 0.002}}, {1, 2, 3});
  EXPECT_EQ(same.scatter, 0.0);
  EXPECT_NEAR(same.mean.sigma, 0.002 / std::sqrt(3.0), 1e-9);
  const CommonValue apart = MeanOfClips({{0.80, 0.002}, {0.85, 0.002}, {0.75, 0.002}}, {1, 2, 3});
  EXPECT_NEAR(apart.scatter, 0.05, 0.001);
  EXPECT_GT(apart.mean.sigma, 0.05 / std::sqrt(3.0));
  EXPECT_TRUE(std::isnan(MeanOfClips({}, {}).mean.value));
  EXPECT_DOUBLE_EQ(MeanOfClips({{0.8, 0.01}}, {1}).mean.value, 0.8);
}

}  // namespace
}  // namespace percuss::pipeline
