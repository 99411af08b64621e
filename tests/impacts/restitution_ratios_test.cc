// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Truth: closed forms of a homogeneous sphere under Coulomb's law and Newton's restitution, the
// energy that the fit's comparison computes by itself, and draws from the stated covariance.

#include "impacts/restitution_ratios.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "fitting/estimate/comparison.h"
#include "fitting/model/prepared_impacts.h"
#include "impacts/impact_files.h"
#include "tests/base/temporary_folder.h"

namespace percuss::impacts {
namespace {

using Eigen::Vector3d;
using percuss::testing::TemporaryFolder;

constexpr double kRadius = 0.05, kMass = 0.2;
constexpr double kRounding = 1e-12;

solver::Body Ball() {
  const solver::Sphere sphere{kRadius};
  return {sphere, kMass, solver::UniformInertia(sphere, kMass)};
}

/// A ball with the velocities v and w before an impact on a plane of this normal, and after it by
/// the law newton.
ImpactRecord BallImpact(const Vector3d& v, const Vector3d& w, double mu, double e,
                        const Vector3d& normal = Vector3d::UnitZ()) {
  ImpactRecord record;
  record.trial = "ball";
  record.normal = normal;
  record.r = -kRadius * normal;
  record.v = v;
  record.w = w;
  // A sphere keeps mass and gets 7/2 of the inverse mass along the surface; t and n do not couple.
  const Vector3d u = v + w.cross(record.r);
  const double push = -(1 + e) * kMass * u.dot(normal);
  const Vector3d slip = u - u.dot(normal) * normal;
  Vector3d friction = -2.0 / 7.0 * kMass * slip;
  if (friction.norm() > mu * push) friction *= mu * push / friction.norm();
  const Vector3d impulse = push * normal + friction;
  record.v_post = v + impulse / kMass;
  record.w_post = w + record.r.cross(impulse) / (0.4 * kMass * kRadius * kRadius);
  return record;
}

/// A covariance without any symmetry, of velocities known to some cm/s.
ImpactCovariance SomeCovariance(double scale) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd mix(kImpactDimension, kImpactDimension);
  for (double& entry : mix.reshaped()) entry = scale * normal(random);
  return mix * mix.transpose();
}

// R_t of a ball that slips all the time: v_t loses mu (1 + e) |v_n|.
TEST(RestitutionRatios, OfABallThatSlips) {
  const double mu = 0.2, e = 0.6;
  const auto ratios = CalcRestitutionRatios(BallImpact({3, 0, -2}, {0, 0, 0}, mu, e), Ball());
  EXPECT_NEAR(ratios.normal.value, e, kRounding);
  EXPECT_NEAR(ratios.tangential.value, 1 - mu * (1 + e) * 2.0 / 3.0, kRounding);
  EXPECT_NEAR(ratios.impact_speed.value, std::sqrt(13), kRounding);
  EXPECT_NEAR(ratios.impact_angle_deg.value, 180 / std::numbers::pi * std::atan2(2, 3), kRounding);
  EXPECT_TRUE(std::isnan(ratios.normal.sigma));
}

// A ball without spin that sticks rolls afterwards: 5/7 of its velocity along the surface is left,
// and of its energy 5/7 of that along the surface (translation and rotation) and e^2 of the rest.
TEST(RestitutionRatios, OfABallThatSticks) {
  const double e = 0.6;
  const auto ratios = CalcRestitutionRatios(BallImpact({0.3, 0.4, -2}, {0, 0, 0}, 1, e), Ball());
  EXPECT_NEAR(ratios.tangential.value, 5.0 / 7.0, kRounding);
  EXPECT_NEAR(ratios.speed.value, std::sqrt((e * e * 4 + 25.0 / 49.0 * 0.25) / 4.25), kRounding);
  EXPECT_NEAR(ratios.energy.value, (e * e * 4 + 5.0 / 7.0 * 0.25) / 4.25, kRounding);
}

// Backspin throws the ball back: along the surface it loses mu (1 + e) |v_n| = 1.28 of 1 m/s.
TEST(RestitutionRatios, ATangentialRatioBelowZeroIsABallThatComesBack) {
  const auto ratios = CalcRestitutionRatios(BallImpact({1, 0, -2}, {0, -200, 0}, 0.4, 0.6), Ball());
  EXPECT_NEAR(ratios.tangential.value, -0.28, kRounding);
}

TEST(RestitutionRatios, OfAVerticalDropHaveNoTangentialOne) {
  ImpactRecord record = BallImpact({0, 0, -2}, {0, 0, 0}, 0.4, 0.6);
  const auto exact = CalcRestitutionRatios(record, Ball());
  EXPECT_NEAR(exact.impact_angle_deg.value, 90, kRounding);
  EXPECT_NEAR(exact.normal.value, 0.6, kRounding);
  EXPECT_NEAR(exact.speed.value, 0.6, kRounding);
  EXPECT_NEAR(exact.energy.value, 0.36, kRounding);
  EXPECT_TRUE(std::isnan(exact.tangential.value));
  // Nor has a drop whose way along the surface is an error of the measurement: below three sigmas.
  record.covariance = ImpactCovariance::Identity() * 1e-4;
  record.v.x() = 0.029;
  EXPECT_TRUE(std::isnan(CalcRestitutionRatios(record, Ball()).tangential.value));
  EXPECT_TRUE(std::isnan(CalcRestitutionRatios(record, Ball()).tangential.sigma));
  record.v.x() = 0.031;
  EXPECT_FALSE(std::isnan(CalcRestitutionRatios(record, Ball()).tangential.value));
  // Where there is no way along the surface at all, the angle is as uncertain as in the worst one.
  record.v.x() = 0;
  (*record.covariance)(kV, kV) = 9e-4;
  EXPECT_NEAR(CalcRestitutionRatios(record, Ball()).impact_angle_deg.sigma,
              180 / std::numbers::pi * 0.03 / 2, kRounding);
}

// Turned with its plane, an impact is the same.
TEST(RestitutionRatios, DoNotDependOnTheSlope) {
  const Eigen::Quaterniond turn(Eigen::AngleAxisd(0.7, Vector3d(1, -2, 0.5).normalized()));
  ImpactRecord flat = BallImpact({3, 0.5, -2}, {4, 5, 6}, 0.2, 0.6);
  ImpactRecord slope = BallImpact(turn * flat.v, turn * flat.w, 0.2, 0.6, turn * flat.normal);
  flat.covariance = SomeCovariance(0.003);
  ImpactCovariance turned = ImpactCovariance::Zero();
  for (int k = 0; k < kImpactDimension; k += 3) turned.block<3, 3>(k, k) = turn.toRotationMatrix();
  slope.covariance = turned * *flat.covariance * turned.transpose();
  const auto a = CalcRestitutionRatios(flat, Ball()), b = CalcRestitutionRatios(slope, Ball());
  for (const RatioColumn& column : kRatioColumns) {
    EXPECT_NEAR((a.*column.value).value, (b.*column.value).value, 1e-10) << column.name;
    EXPECT_NEAR((a.*column.value).sigma, (b.*column.value).sigma, 1e-10) << column.name;
  }
}

/// A box that turns, thrown; its covariance is that of SomeCovariance.
ImpactRecord BoxImpact(const solver::Body& box) {
  ImpactRecord record;
  record.trial = "box";
  record.q_WB = Eigen::Quaterniond(0.8, 0.3, -0.2, 0.4).normalized();
  record.r =
      record.q_WB * solver::SupportPoint(box.shape, record.q_WB.conjugate() * -record.normal);
  record.v = {1.4, -0.6, -2.1};
  record.w = {3, -8, 5};
  record.v_post = {0.3, 0.7, 0.9};
  record.w_post = {-7, 9, 2};
  record.covariance = SomeCovariance(0.003);
  return record;
}

solver::Body Box() {
  const solver::Box shape{{0.3, 0.05, 0.02}};
  return {shape, kMass, solver::UniformInertia(shape, kMass)};
}

// The share of energy that a fit finds lost, with its sigma: the same from other code, with the
// errors of the inertia that trials share.
TEST(RestitutionRatios, EnergyAgreesWithTheDissipationOfTheFit) {
  const solver::Body box = Box();
  ImpactTable table{
      .impacts = {BoxImpact(box)},
      .calibration_covariance = Eigen::Matrix3d{{1, 0.3, 0}, {0.3, 1, 0.2}, {0, 0.2, 1}}};
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  ImpactRecord& record = table.impacts.front();
  record.calibration_sensitivity.resize(kImpactDimension, 3);
  for (double& entry : record.calibration_sensitivity.reshaped()) entry = 0.001 * normal(random);
  record.body_sensitivity.resize(kBodyDimension, 3);
  for (double& entry : record.body_sensitivity.reshaped()) entry = 0.02 * normal(random);
  // The covariance of a record is the whole: with what trials share.
  *record.covariance += record.calibration_sensitivity * table.calibration_covariance *
                        record.calibration_sensitivity.transpose();
  const auto impacts = fitting::PrepareImpacts(table, box);
  ASSERT_EQ(impacts.impacts.front().reason_unusable, "");
  const ValueWithSigma lost = fitting::CalcMeasuredDissipation(impacts.impacts.front());
  const auto kept = CalcRestitutionRatios(record, box, table.calibration_covariance).energy;
  EXPECT_NEAR(kept.value, 1 - lost.value, kRounding);
  EXPECT_NEAR(kept.sigma, lost.sigma, 1e-9 * lost.sigma);
  // And the errors of the inertia matter here.
  EXPECT_GT(std::abs(CalcRestitutionRatios(record, box).energy.sigma / lost.sigma - 1), 0.01);
}

// Errors drawn from the covariance: their spread is the sigma, to what 20000 draws tell (0.5 %) and
// what is left out of second order (errors of 1 % of the velocities: 1 %).
TEST(RestitutionRatios, SigmasAreTheSpreadOfDraws) {
  const solver::Body box = Box();
  const ImpactRecord truth = BoxImpact(box);
  const auto stated = CalcRestitutionRatios(truth, box);
  const Eigen::MatrixXd root = truth.covariance->llt().matrixL();
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  constexpr int kDraws = 20000;
  std::array<double, kRatioColumns.size()> sum{}, squares{}, covered{};
  for (int draw = 0; draw < kDraws; ++draw) {
    Eigen::VectorXd error(kImpactDimension);
    for (double& entry : error) entry = normal(random);
    error = root * error;
    ImpactRecord record = truth;
    const Vector3d turn = error.segment<3>(kRotation);
    record.q_WB = Eigen::AngleAxisd(turn.norm(), turn.normalized()) * truth.q_WB;
    record.v += error.segment<3>(kV);
    record.w += error.segment<3>(kW);
    record.v_post += error.segment<3>(kVPost);
    record.w_post += error.segment<3>(kWPost);
    const auto drawn = CalcRestitutionRatios(record, box);
    for (std::size_t k = 0; k < kRatioColumns.size(); ++k) {
      const auto value = kRatioColumns[k].value;
      const double off = (drawn.*value).value - (stated.*value).value;
      sum[k] += off;
      squares[k] += off * off;
      covered[k] += std::abs(off) < 1.96 * (drawn.*value).sigma ? 1 : 0;
    }
  }
  for (std::size_t k = 0; k < kRatioColumns.size(); ++k) {
    const double mean = sum[k] / kDraws, spread = std::sqrt(squares[k] / kDraws - mean * mean);
    EXPECT_NEAR((stated.*kRatioColumns[k].value).sigma / spread, 1, 0.02) << kRatioColumns[k].name;
    EXPECT_NEAR(covered[k] / kDraws, 0.95, 0.01) << kRatioColumns[k].name;
  }
}

TEST(RestitutionRatios, NeedWhatWasMeasured) {
  const solver::Body box = Box();
  ImpactRecord record = BoxImpact(box);
  (*record.covariance)(kWPost, kWPost) = kUnmeasuredSigma * kUnmeasuredSigma;
  const auto without_spin = CalcRestitutionRatios(record, box);
  EXPECT_TRUE(std::isnan(without_spin.energy.value));
  EXPECT_FALSE(std::isnan(without_spin.speed.value));
  record = BoxImpact(box);
  record.v.x() = kNaN;
  EXPECT_TRUE(std::isnan(CalcRestitutionRatios(record, box).impact_speed.value));
  record = BoxImpact(box);
  record.v.z() = 0.4;  // the mass centre leaves while a corner arrives
  EXPECT_TRUE(std::isnan(CalcRestitutionRatios(record, box).normal.value));
  EXPECT_LT(CalcRestitutionRatios(record, box).impact_angle_deg.value, 0);
  EXPECT_TRUE(std::isnan(CalcRestitutionRatios(BoxImpact(box), {}).energy.value));
}

// In a file: columns beside the others, empty where there is no ratio; read as they were written,
// and written once where a table that has them is written again.
TEST(RestitutionRatios, AreColumnsOfImpactsCsv) {
  const TemporaryFolder folder;
  const auto file = folder / "impacts.csv";
  const solver::Body box = Box();
  ImpactTable table{.impacts = {BoxImpact(box), BallImpact({0, 0, -2}, {0, 0, 0}, 0.4, 0.6)},
                    .calibration_covariance = {}};
  WriteImpactsCsv(table, {}, file, &box);
  const ImpactTable read = ReadImpacts(file);
  ASSERT_EQ(read.impacts.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto expected = CalcRestitutionRatios(table.impacts[i], box);
    const auto stated = StatedRatios(read.impacts[i]);
    for (const RatioColumn& column : kRatioColumns) {
      const ValueWithSigma &a = stated.*column.value, &b = expected.*column.value;
      EXPECT_TRUE(a.value == b.value || (std::isnan(a.value) && std::isnan(b.value)))
          << column.name << " " << a.value << " " << b.value;
      EXPECT_TRUE(a.sigma == b.sigma || (std::isnan(a.sigma) && std::isnan(b.sigma)))
          << column.name << " " << a.sigma << " " << b.sigma;
    }
  }
  EXPECT_EQ(read.impacts[1].extra.at("R_t"), "");
  EXPECT_EQ(read.impacts[0].v_post, table.impacts[0].v_post);
  WriteImpactsCsv(read, {}, file, &box);
  EXPECT_EQ(ReadImpacts(file).impacts[0].extra.size(), 12u);  // a column twice is an error
  EXPECT_TRUE(std::isnan(StatedRatios(table.impacts[0]).normal.value));
}

}  // namespace
}  // namespace percuss::impacts
