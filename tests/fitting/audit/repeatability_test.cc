// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/audit/repeatability.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/math/statistics.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

// Glucose in serum, material A, eight laboratories: the example of ASTM E691, data and results as
// NIST prints them with Dataplot (GLUCOSE.DAT).
std::vector<ResultGroup> Glucose() {
  return {{"1", {41.03, 41.45, 41.37}}, {"2", {41.17, 42.00, 41.15}}, {"3", {41.01, 40.68, 42.66}},
          {"4", {39.37, 42.37, 42.63}}, {"5", {41.88, 41.19, 41.32}}, {"6", {43.28, 40.50, 42.28}},
          {"7", {41.08, 41.27, 39.02}}, {"8", {43.36, 42.65, 41.72}}};
}

TEST(Repeatability, GlucoseOfTheStandard) {
  const Precision precision = CalcPrecision(Glucose());
  EXPECT_NEAR(precision.mean, 41.5183, 5e-5);
  EXPECT_NEAR(precision.sigma_means, 0.6061, 5e-5);
  EXPECT_NEAR(precision.repeatability, 1.0632, 5e-5);
  EXPECT_NEAR(precision.reproducibility, 1.0632, 5e-5);
  EXPECT_EQ(precision.between, 0.0);
  EXPECT_NEAR(precision.h_critical, 2.15, 0.005);
  for (const GroupPrecision& group : precision.groups) EXPECT_NEAR(group.k_critical, 2.06, 0.005);
  // h and k of the first and the last laboratory, by hand from their means 41.2833 and 42.5767.
  EXPECT_NEAR(precision.groups[0].h, (41.28333 - 41.51833) / 0.6061, 0.001);
  EXPECT_NEAR(precision.groups[7].h, (42.57667 - 41.51833) / 0.6061, 0.001);
  EXPECT_NEAR(precision.groups[0].k, 0.22301 / 1.0632, 0.001);
}

// By hand: means 1 and 3 with n = 2 each, s_i = sqrt(2) d: s_r^2 = (0.02 + 0.08) / 2 = 0.05,
// variance of the means 2, s_L^2 = 2 - 0.05 / 2.
TEST(Repeatability, TwoGroupsByHand) {
  const Precision precision = CalcPrecision({{"a", {0.9, 1.1}}, {"b", {2.8, 3.2}}, {"none", {}}});
  ASSERT_EQ(precision.groups.size(), 2U);
  EXPECT_NEAR(precision.repeatability, std::sqrt(0.05), 1e-12);
  EXPECT_NEAR(precision.between, std::sqrt(1.975), 1e-12);
  EXPECT_NEAR(precision.reproducibility, std::sqrt(2.025), 1e-12);
  EXPECT_TRUE(std::isnan(precision.h_critical));
}

// ISO 5725-2 for groups of 1, 2 and 3 values by hand.
TEST(Repeatability, GroupsOfDifferentSizeByHand) {
  // m = 2, 1, 3; N = 6, M = (2 + 2 + 9) / 6; s_r^2 = (0.5 + 2) / 3;
  // s_d^2 = [(2 - M)^2 + 2 (1 - M)^2 + 3 (3 - M)^2] / 2, n' = (6 - 14 / 6) / 2.
  const Precision precision = CalcPrecision({{"a", {2}}, {"b", {0.5, 1.5}}, {"c", {2, 3, 4}}});
  const double mean = 13.0 / 6.0, repeatability = 2.5 / 3.0;
  const double spread =
      (std::pow(2 - mean, 2) + 2 * std::pow(1 - mean, 2) + 3 * std::pow(3 - mean, 2)) / 2.0;
  EXPECT_NEAR(precision.repeatability, std::sqrt(repeatability), 1e-12);
  EXPECT_NEAR(precision.between, std::sqrt((spread - repeatability) / (11.0 / 6.0)), 1e-12);
  EXPECT_TRUE(std::isnan(precision.groups[0].k));
}

TEST(Repeatability, NothingFromOneGroup) {
  EXPECT_TRUE(std::isnan(CalcPrecision({{"a", {1, 2}}}).reproducibility));
  EXPECT_TRUE(std::isnan(CalcPrecision({{"a", {1}}, {"b", {2}}}).reproducibility));
  EXPECT_TRUE(CalcPrecision({}).groups.empty());
}

// Truth: the restitutions with which the law made the states; the impacts have no errors. The
// standard deviation of 0.5, 0.55 and 0.6 is 0.05.
TEST(Repeatability, ImpactsFittedOneByOne) {
  std::mt19937 random(5);
  impacts::ImpactTable table;
  for (const double e : {0.5, 0.55, 0.6}) {
    for (int k = 0; k < 2; ++k) {
      table.impacts.push_back(
          ExactImpactInMode(random, "trial", 0.25, e, solver::ContactMode::kSlip));
      table.impacts.back().extra["operator"] = std::to_string(e);
    }
  }
  table.impacts.push_back(table.impacts.back());
  table.impacts.back().extra.clear();
  const auto studies =
      StudyRepeatability(PrepareImpacts(table, Bar()), "stronge", {"operator", "day"});
  ASSERT_EQ(studies.size(), 2U);
  const RepeatabilityStudy& mu = studies[0].parameter == "mu" ? studies[0] : studies[1];
  const RepeatabilityStudy& e = studies[0].parameter == "e" ? studies[0] : studies[1];
  EXPECT_EQ(e.column, "operator");
  EXPECT_EQ(e.left_out, 1);
  ASSERT_EQ(e.precision.groups.size(), 3U);
  EXPECT_NEAR(e.precision.mean, 0.55, 1e-6);
  EXPECT_NEAR(e.precision.between, 0.05, 1e-6);
  EXPECT_NEAR(e.precision.repeatability, 0.0, 1e-6);
  EXPECT_NEAR(mu.precision.mean, 0.25, 1e-6);
  EXPECT_NEAR(mu.precision.reproducibility, 0.0, 1e-6);
}

// Tables of the F distribution (99.5 %, 95 %).
TEST(Repeatability, QuantilesOfFisher) {
  EXPECT_NEAR(FisherQuantile(0.95, 1, 1), 161.4476, 1e-3);
  EXPECT_NEAR(FisherQuantile(0.95, 5, 10), 3.3258, 1e-4);
  EXPECT_NEAR(FisherQuantile(0.995, 2, 14), 7.9216, 1e-3);
  EXPECT_THROW(FisherQuantile(0.0, 1, 1), std::invalid_argument);
  EXPECT_THROW(FisherQuantile(0.5, 0, 1), std::invalid_argument);
}

}  // namespace
}  // namespace percuss::fitting
