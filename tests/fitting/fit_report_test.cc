// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/fit_report.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

TEST(MakeFitReport, HoldsEveryPartThatIsAskedFor) {
  std::mt19937 random(7);
  impacts::ImpactTable table = NoisySlidingTable(random, 0.3, 0.6, 4, true);
  for (std::size_t i = 0; i < 4; ++i) table.impacts[i].extra["operator"] = i < 2 ? "A" : "B";
  const PreparedImpacts data = PrepareImpacts(table, Bar());
  const FitReport plain = MakeFitReport(data, {.fit = {.laws = {"stronge", "newton"}}});
  ASSERT_EQ(plain.laws.size(), 2u);
  EXPECT_EQ(plain.laws[1].law, "newton");
  EXPECT_FALSE(plain.audit.empty());
  ASSERT_TRUE(plain.error_budget);
  EXPECT_EQ(plain.error_budget->num_impacts, 4);
  EXPECT_TRUE(plain.next_drop.empty());
  EXPECT_TRUE(plain.repeatability.empty());

  const Eigen::Vector3d down(0.0, 0.0, -9.81);
  const FitReport full =
      MakeFitReport(data, {.fit = {.laws = {"stronge"}},
                           .flights = {{"t0", "before", down, down, Eigen::Matrix3d::Identity()}},
                           .group_columns = {"operator"},
                           .next_drop = true});
  EXPECT_EQ(full.audit.front().check, "gravity");
  EXPECT_TRUE(std::ranges::any_of(
      full.audit, [](const AuditFinding& finding) { return finding.check == "momentum"; }));
  ASSERT_EQ(full.next_drop.size(), 1u);
  ASSERT_FALSE(full.repeatability.empty());
  EXPECT_EQ(full.repeatability.front().column, "operator");
}

}  // namespace
}  // namespace percuss::fitting
