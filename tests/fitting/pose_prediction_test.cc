// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/pose_prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "solver/solve_impact.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

using Eigen::Vector3d;
using impacts::Heading;

constexpr double kPriorMu = 0.3, kPriorE = 0.5;
const GivenParameters kExactlyGiven = {{"mu", {kPriorMu, 0.0}}, {"e", {kPriorE, 0.0}}};

impacts::PosePriors PriorOf(const impacts::OrientationPrior& orientation,
                            const impacts::NormalPrior& normal = {}) {
  return {.orientations = {{"", orientation}}, .normal = normal};
}

/// Sigmas of a description: alike for all rows.
impacts::ImpactCovariance PlainCovariance(double rotation, double v, double w) {
  Eigen::Matrix<double, impacts::kImpactDimension, 1> sigma;
  sigma.setZero();
  sigma.segment<3>(impacts::kRotation).setConstant(rotation);
  for (const int place : {impacts::kV, impacts::kVPost}) sigma.segment<3>(place).setConstant(v);
  for (const int place : {impacts::kW, impacts::kWPost}) sigma.segment<3>(place).setConstant(w);
  return sigma.cwiseAbs2().asDiagonal();
}

/// What a law makes of an upright bar that falls on a plate tilted by `tilt` about y.
impacts::ImpactRecord FallenBar(double tilt, const Eigen::Quaterniond& q_WB, const Vector3d& v) {
  impacts::ImpactRecord record;
  record.trial = "fallen";
  record.normal = Vector3d(std::sin(tilt), 0.0, std::cos(tilt));
  record.q_WB = q_WB;
  record.v = v;
  record.r = q_WB * solver::SupportPoint(Bar().shape, -(q_WB.conjugate() * record.normal));
  const ImpactGeometry geometry = CalcGeometry(record, Bar());
  const Vector6d after =
      geometry.before +
      geometry.velocity_per_impulse *
          solver::SolveImpact("stronge", geometry.contact, std::array{kPriorMu, kPriorE}).impulse;
  record.v_post = after.head<3>();
  record.w_post = after.tail<3>();
  record.r_sigma.setConstant(0.155);  // not measured
  return record;
}

const Eigen::Quaterniond kUpright(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3d::UnitY()));
// One corner is clearly the lowest.
const Eigen::Quaterniond kOnCorner(Eigen::AngleAxisd(0.3, Vector3d::UnitX()) * kUpright *
                                   Eigen::AngleAxisd(0.4, Vector3d::UnitX()));

PosePrediction PredictOne(const impacts::ImpactRecord& record, const impacts::PosePriors& priors,
                          int num_draws = 2000) {
  const LawPosePredictions law =
      PredictOverPoses("stronge", PrepareImpacts({.impacts = {record}}, Bar()), kExactlyGiven,
                       priors, {.num_draws = num_draws});
  EXPECT_EQ(law.reason, "");
  return law.trials.at(0);
}

// Truth: the law itself, where everything is known.
TEST(PredictOverPoses, IsTheLawWherePoseAndStatesAreKnown) {
  impacts::ImpactRecord record = FallenBar(0.4, kOnCorner, {0.1, 0.05, -1.9});
  record.covariance = PlainCovariance(1e-6, 1e-6, 1e-5);
  const PosePrediction prediction = PredictOne(record, PriorOf({}));
  EXPECT_EQ(prediction.reason, "");
  EXPECT_EQ(prediction.approaching, 1.0);
  Vector6d after;
  after << record.v_post, record.w_post;
  for (int i = 0; i < 6; ++i) {
    const PredictedQuantity& predicted = prediction.prediction.velocity[i];
    EXPECT_NEAR(predicted.median, after[i], 1e-3) << kVelocityNames[i];
    EXPECT_LT(predicted.in95[1] - predicted.in95[0], 2e-3);
    EXPECT_EQ(predicted.measured, after[i]);
  }
  EXPECT_NEAR(prediction.prediction.dissipation.median, prediction.prediction.dissipation.measured,
              1e-3);
}

// Impacts drawn as the prior says, one each with its own pose, parameters and errors: 95 % of what
// is measured lies in the intervals. 100 impacts, so 95 +- 2.2 of the dissipations.
TEST(PredictOverPoses, HoldsWhatIsMeasured) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> angle(-std::numbers::pi, std::numbers::pi);
  constexpr double kTilt = 0.6, kRotation = 0.1, kNormal = 0.05;
  const GivenParameters given = {{"mu", {kPriorMu, 0.05}}, {"e", {kPriorE, 0.05}}};
  const impacts::PosePriors priors =
      PriorOf({.turned_about = Vector3d::UnitX()}, {.sigma = kNormal, .heading = Heading::kAny});
  impacts::ImpactTable table;
  constexpr int kImpacts = 100;
  for (int k = 0; k < kImpacts; ++k) {
    const Vector3d tilt(kRotation * normal(random), kRotation * normal(random),
                        kRotation * normal(random));
    const Eigen::Quaterniond q_WB = Eigen::AngleAxisd(tilt.norm(), tilt.normalized()) * kUpright *
                                    Eigen::AngleAxisd(angle(random), Vector3d::UnitX());
    impacts::ImpactRecord record = FallenBar(kTilt, q_WB, {0.0, 0.0, -1.9});
    const Eigen::Matrix3d frame = solver::ContactFrame(record.normal);
    const Vector3d n =
        Eigen::AngleAxisd(angle(random), Vector3d::UnitZ()) *
        (record.normal + kNormal * (normal(random) * frame.col(0) + normal(random) * frame.col(1)))
            .normalized();
    record.normal = n;
    record.r = q_WB * solver::SupportPoint(Bar().shape, -(q_WB.conjugate() * n));
    const ImpactGeometry geometry = CalcGeometry(record, Bar());
    const std::array parameters = {kPriorMu + 0.05 * normal(random),
                                   kPriorE + 0.05 * normal(random)};
    const Vector6d after =
        geometry.before + geometry.velocity_per_impulse *
                              solver::SolveImpact("stronge", geometry.contact, parameters).impulse;
    record.v_post = after.head<3>();
    record.w_post = after.tail<3>();
    record.covariance = PlainCovariance(kRotation, 0.05, 0.3);
    AddError(DrawNormal(random, *record.covariance), record);
    // What the table knows of the pose.
    record.normal = Vector3d(std::sin(kTilt), 0.0, std::cos(kTilt));
    record.q_WB = kUpright;
    record.r_sigma.setConstant(0.155);
    record.trial = std::to_string(k);
    table.impacts.push_back(record);
  }
  const LawPosePredictions law =
      PredictOverPoses("stronge", PrepareImpacts(table, Bar()), given, priors, {.num_draws = 2000});
  int dissipations = 0;
  std::array<int, 6> velocities{};
  for (const PosePrediction& trial : law.trials) {
    dissipations += IsInside(trial.prediction.dissipation);
    for (int i = 0; i < 6; ++i) velocities[i] += IsInside(trial.prediction.velocity[i]);
  }
  EXPECT_GE(dissipations, 88);
  EXPECT_LT(dissipations, kImpacts);
  for (int i = 0; i < 6; ++i) EXPECT_GE(velocities[i], 88) << kVelocityNames[i];
}

// The way in which the plate leans is not known before; the measured impulse shows it. Truth: the
// impact was made with the normal towards +x.
TEST(PredictOverPoses, TheMeasuredImpulseSaysWhichPose) {
  impacts::ImpactRecord record = FallenBar(0.6, kOnCorner, {0.0, 0.0, -1.9});
  record.covariance = PlainCovariance(0.02, 0.02, 0.2);
  const PosePrediction prediction =
      PredictOne(record, PriorOf({}, {.heading = Heading::kAny}), 20000);
  const PredictedQuantity& before = prediction.prediction.velocity[0];
  const PredictedQuantity& given = prediction.given_impulse.velocity[0];
  ASSERT_GT(record.v_post.x(), 0.2);
  EXPECT_LT(before.in95[0], -0.5 * record.v_post.x());  // symmetric: it may lean the other way
  EXPECT_GT(given.in95[0], 0.0);
  EXPECT_TRUE(IsInside(before));
  EXPECT_TRUE(IsInside(given));
  EXPECT_LT(prediction.given_impulse.num_draws, 20000.0);

  record.w_post = Vector3d(0.0, 0.0, 60.0);  // no impulse through any point of the bar does that
  EXPECT_EQ(PredictOne(record, PriorOf({})).given_impulse.num_draws, 0.0);
}

// Nothing that was measured after the impact is in the prediction.
TEST(PredictOverPoses, KnowsNothingOfTheStateAfter) {
  impacts::ImpactRecord record = FallenBar(0.6, kUpright, {0.0, 0.0, -1.9});
  record.covariance = PlainCovariance(0.1, 0.05, 0.3);
  const PosePrediction one = PredictOne(record, PriorOf({.any = true}));
  record.v_post = Vector3d(3.0, 2.0, 1.0);
  record.w_post = Vector3d(7.0, 8.0, 9.0);
  const PosePrediction other = PredictOne(record, PriorOf({.any = true}));
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(one.prediction.velocity[i].in95, other.prediction.velocity[i].in95) << i;
  EXPECT_EQ(one.prediction.dissipation.in95, other.prediction.dissipation.in95);
}

// A body that moves up and turns fast strikes in some poses alone.
TEST(PredictOverPoses, LeavesOutPosesWithoutAnImpact) {
  impacts::ImpactRecord record = FallenBar(0.0, Eigen::Quaterniond::Identity(), {0.0, 0.0, -0.1});
  record.v = Vector3d(0.0, 0.0, 0.3);
  record.w = Vector3d(0.0, 20.0, 0.0);
  record.covariance = PlainCovariance(0.1, 0.01, 0.1);
  const PosePrediction some = PredictOne(record, PriorOf({.any = true}));
  EXPECT_GT(some.approaching, 0.2);
  EXPECT_LT(some.approaching, 0.8);
  record.v = Vector3d(0.0, 0.0, 30.0);
  EXPECT_THAT(PredictOne(record, PriorOf({.any = true})).reason,
              ::testing::HasSubstr("in no pose"));
}

TEST(PredictOverPoses, SaysWhatIsMissing) {
  impacts::ImpactRecord record = FallenBar(0.2, kUpright, {0.0, 0.0, -1.9});
  record.covariance = PlainCovariance(0.1, 0.05, 0.3);
  const PreparedImpacts data = PrepareImpacts({.impacts = {record}}, Bar());
  EXPECT_EQ(PredictOverPoses("stronge", data, {{"mu", {0.3, 0.1}}}, PriorOf({})).reason,
            "a prediction needs e as well, such as --fix e=VALUE±SIGMA");
  EXPECT_EQ(PredictOverPoses("sun-planar", data, kExactlyGiven, PriorOf({})).reason,
            "the law is not for contacts in space");
  EXPECT_THROW(PredictOverPoses("stronge", data, kExactlyGiven, PriorOf({}), {.num_draws = 99}),
               std::invalid_argument);
  EXPECT_THROW(PredictOverPoses("strange", data, kExactlyGiven, PriorOf({})),
               std::invalid_argument);
}

}  // namespace
}  // namespace percuss::fitting
