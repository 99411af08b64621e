// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Source of truth: covariances between impacts, by hand.

#include "impacts/joined_tables.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace percuss::impacts {
namespace {

/// Two impacts that share two parameters: v_x of impact k moves by `by` of both.
ImpactTable TableWith(const std::string& name, double by) {
  ImpactTable table;
  table.calibration_covariance = Eigen::Matrix2d{{1.0, 0.0}, {0.0, 4.0}};
  for (const char* number : {"-1", "-2"}) {
    ImpactRecord& impact = table.impacts.emplace_back();
    impact.trial = name + number;
    impact.calibration_sensitivity = Eigen::MatrixXd::Zero(kImpactDimension, 2);
    impact.calibration_sensitivity.row(kV).setConstant(by);
  }
  return table;
}

TEST(JoinTables, ImpactsOfTwoTablesShareWhatIsCommonAlone) {
  const std::vector<ImpactTable> tables = {TableWith("a", 1.0), TableWith("b", 2.0)};
  const auto between = [](const ImpactTable& joint, int i, int k) {
    return (joint.impacts[i].calibration_sensitivity * joint.calibration_covariance *
            joint.impacts[k].calibration_sensitivity.transpose())(kV, kV);
  };
  const ImpactTable joint = JoinTables(tables, 1);
  ASSERT_EQ(joint.impacts.size(), 4U);
  EXPECT_EQ(joint.impacts[2].trial, "b-1");
  EXPECT_EQ(joint.calibration_covariance.rows(), 3);
  EXPECT_DOUBLE_EQ(between(joint, 0, 1), 5.0);   // 1 + 4
  EXPECT_DOUBLE_EQ(between(joint, 2, 3), 20.0);  // 2^2 times that
  EXPECT_DOUBLE_EQ(between(joint, 0, 2), 2.0);   // by the first parameter: 1 * 1 * 2
  EXPECT_DOUBLE_EQ(between(JoinTables(tables, 0), 0, 2), 0.0);
  EXPECT_DOUBLE_EQ(between(JoinTables(tables, 2), 0, 2), 10.0);
}

TEST(JoinTables, RefusesCommonParametersThatOthersDependOn) {
  std::vector<ImpactTable> tables = {TableWith("a", 1.0), TableWith("b", 2.0)};
  tables[1].calibration_covariance(0, 1) = tables[1].calibration_covariance(1, 0) = 0.5;
  EXPECT_THROW(JoinTables(tables, 1), std::invalid_argument);
  EXPECT_NO_THROW(JoinTables(tables, 2));
}

TEST(JoinTables, RefusesTablesOfFewerParameters) {
  std::vector<ImpactTable> tables = {TableWith("a", 1.0)};
  EXPECT_THROW(JoinTables(tables, 3), std::invalid_argument);
  tables[0].impacts[0].calibration_sensitivity.resize(kImpactDimension, 1);
  EXPECT_THROW(JoinTables(tables, 1), std::invalid_argument);
}

}  // namespace
}  // namespace percuss::impacts
