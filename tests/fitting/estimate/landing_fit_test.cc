// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Bodies that land on a face or an edge: which points touch, and the coefficients of the law of
// several points.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <string>

#include "base/math/geometry.h"
#include "fitting/estimate/coefficient_fit.h"
#include "fitting/fit_report.h"
#include "fitting/model/impact_model.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

constexpr double kLandingMu = 0.2, kLandingE = 0.5;

class LandingOn : public ::testing::TestWithParam<int> {};

TEST_P(LandingOn, TheRightPointsAreFound) {
  std::mt19937 random(1);
  const PreparedImpacts data =
      PrepareImpacts(NoisyLandings(random, kLandingMu, kLandingE, 60, GetParam()), Carton());
  int right = 0;
  for (const Impact& impact : data.impacts)
    right += std::max<int>(1, static_cast<int>(impact.geometry.touching.size())) == GetParam();
  EXPECT_GE(right, 59);
}

TEST_P(LandingOn, CoefficientsComeBack) {
  std::mt19937 random(2);
  const impacts::ImpactTable table = NoisyLandings(random, kLandingMu, kLandingE, 8, GetParam());
  const LawFit fit =
      FitCoefficients(table, Carton(), {.laws = {"multi-point"}, .num_threads = 1}).front();
  ASSERT_TRUE(fit.converged) << fit.message;
  const std::array<double, 2> truth = {kLandingMu, kLandingE};
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(fit.parameters[k].value, truth[k], 4.0 * fit.parameters[k].sigma)
        << fit.parameters[k].name;
    EXPECT_LT(fit.parameters[k].sigma, 0.02);
  }
  EXPECT_GT(fit.cost_probability, 0.001);
}

INSTANTIATE_TEST_SUITE_P(, LandingOn, ::testing::Values(1, 2, 4));

// A law of one point leaves most of a landing on a face unexplained.
TEST(FlatLanding, IsNoneOfOnePoint) {
  std::mt19937 random(3);
  const impacts::ImpactTable table = NoisyLandings(random, kLandingMu, kLandingE, 6, 4);
  const std::vector<LawFit> fits =
      FitCoefficients(table, Carton(), {.laws = {"stronge", "multi-point"}});
  EXPECT_GT(fits[0].velocity_error_mean, 20.0 * fits[1].velocity_error_mean);
  // Four points on a plane can give any impulse and any moment.
  EXPECT_GT(fits[0].error_split.data, 0.1);
  EXPECT_LT(fits[1].error_split.data, 1e-9);
  EXPECT_GE(fits[1].error_split.law, 0.0);
  EXPECT_TRUE(fits[1].same_as.empty());
}

TEST(CornerLanding, IsStrongesImpact) {
  std::mt19937 random(4);
  const impacts::ImpactTable table = NoisyLandings(random, kLandingMu, kLandingE, 6, 1);
  const std::vector<LawFit> fits =
      FitCoefficients(table, Carton(), {.laws = {"stronge", "multi-point"}});
  EXPECT_EQ(fits[1].same_as, "stronge");
  EXPECT_EQ(fits[1].parameters[0].value, fits[0].parameters[0].value);
}

// A face that stands off by a tenth of a millimetre strikes with all its corners unless it is said
// to be flatter.
TEST(FlatLanding, NeedsAFaceThatIsAsFlatAsStated) {
  std::mt19937 random(7);
  impacts::ImpactTable table = NoisyLandings(random, kLandingMu, kLandingE, 6, 4);
  for (impacts::ImpactRecord& record : table.impacts) {
    record.covariance->middleRows<3>(impacts::kRotation).setZero();
    record.covariance->middleCols<3>(impacts::kRotation).setZero();
    const Eigen::Vector3d edge = record.q_WB * Eigen::Vector3d::UnitX();
    record.q_WB = RotationFromVector(1e-3 * edge.cross(record.normal)) * record.q_WB;
  }
  solver::Body body = Carton();
  int flat = 0;
  for (const Impact& impact : PrepareImpacts(table, body).impacts)
    flat += impact.geometry.touching.size() == 4;
  EXPECT_GE(flat, 5);
  body.flatness = 1e-6;
  for (const Impact& impact : PrepareImpacts(table, body).impacts)
    EXPECT_LT(impact.geometry.touching.size(), 4u);
}

// Nobody has to know the name of the law.
TEST(FlatLanding, IsFittedAndExplainedUnasked) {
  std::mt19937 random(6);
  const PreparedImpacts data =
      PrepareImpacts(NoisyLandings(random, kLandingMu, kLandingE, 4, 4), Carton());
  const FitReport report =
      MakeFitReport(data, {.fit = {.laws = {"stronge"}}, .default_laws = true});
  ASSERT_EQ(report.laws.size(), 2u);
  EXPECT_EQ(report.laws[0].law, "multi-point");
  EXPECT_EQ(report.laws[0].trials[0].points.size(), 4u);
  EXPECT_EQ(report.impacts[0].points, 4);
  // Of the middle of the face.
  const Impact& first = data.impacts[0];
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& arm : first.geometry.touching) middle += 0.25 * arm;
  const auto normal_speed = [&](const Eigen::Vector3d& v, const Eigen::Vector3d& w) {
    return (v + w.cross(middle)).dot(first.record.normal);
  };
  EXPECT_NEAR(report.impacts[0].e_n.value,
              -normal_speed(first.record.v_post, first.record.w_post) /
                  normal_speed(first.record.v, first.record.w),
              1e-12);
  for (const AuditFinding& finding : report.audit) {
    if (finding.check == "momentum") EXPECT_TRUE(finding.ok) << finding.text;
  }
  EXPECT_TRUE(std::ranges::any_of(report.audit, [](const AuditFinding& finding) {
    return finding.text.starts_with("4 points struck together");
  }));
  EXPECT_EQ(MakeFitReport(data, {.fit = {.laws = {"stronge"}}}).laws.size(), 1u);
}

// Against differences of the whole impact, errors put into the measured state.
TEST(LinearizeImpact, FollowsSeveralPoints) {
  std::mt19937 random(5);
  const solver::Body body = Carton();
  const PreparedImpacts data =
      PrepareImpacts(NoisyLandings(random, kLandingMu, kLandingE, 5, 4), body);
  for (const Impact& impact : data.impacts) {
    ASSERT_EQ(impact.geometry.touching.size(), 4u);
    const std::array parameters = {kLandingMu, kLandingE};
    const ImpactLinearization linear =
        LinearizeImpact("multi-point", impact.record, impact.geometry, parameters);
    const auto after = [&](const Eigen::Vector3d& dv, const Eigen::Vector3d& dw) -> Vector6d {
      impacts::ImpactRecord moved = impact.record;
      moved.v += dv;
      moved.w += dw;
      ImpactGeometry geometry = CalcGeometry(moved, body);
      geometry.touching = impact.geometry.touching;
      return geometry.before + SolveLaw("multi-point", geometry, parameters).jump;
    };
    const Eigen::Vector3d none = Eigen::Vector3d::Zero();
    for (int axis = 0; axis < 3; ++axis) {
      const Eigen::Vector3d step = 1e-5 * Eigen::Vector3d::Unit(axis);
      const Vector6d by_v = (after(step, none) - after(-step, none)) / 2e-5;
      const Vector6d by_w = (after(none, step) - after(none, -step)) / 2e-5;
      EXPECT_LT((linear.v.col(axis) - by_v).norm(), 1e-2 * (1.0 + by_v.norm())) << axis;
      EXPECT_LT((linear.w.col(axis) - by_w).norm(), 1e-2 * (1.0 + by_w.norm())) << axis;
    }
    // A tilt is taken away again; of one that was there already, second orders remain.
    const Eigen::Vector3d tilt = impact.geometry.frame.col(0);
    EXPECT_LT((linear.rotation * tilt).norm(), 1e-4 * linear.v.norm());
  }
}

}  // namespace
}  // namespace percuss::fitting
