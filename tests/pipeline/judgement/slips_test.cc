// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/judgement/slips.h"

#include <gmock/gmock.h>

#include <Eigen/Cholesky>
#include <random>

#include "base/math/covariance_root.h"
#include "tests/tracking/arcs/synthetic_trial.h"

namespace percuss::pipeline {
namespace {

/// The bench of a bar as it is typed.
tracking::Bench StatedBar() {
  const tracking::SyntheticTrial trial = tracking::MakeSyntheticTrial();
  capture::Experiment experiment;
  experiment.board.square = 0.023;
  experiment.body = trial.body;
  experiment.body.sigma.mass_centre = 0.003;
  return tracking::StatedBench(experiment, trial.calibration);
}

/// What follows from a longer first edge: moments too, as they are those of the shape.
Eigen::VectorXd LongerEdge(const tracking::Bench& stated) {
  const int place = stated.Parameters().Length();
  return stated.covariance.col(place) / stated.covariance(place, place);
}

/// Rows that see everything typed at once, each to a third of its sigma.
Eigen::MatrixXd MixedRows(const tracking::Bench& stated, int count) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(count, stated.covariance.cols());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    for (Eigen::Index k = 0; k < rows.cols(); ++k) {
      const double variance = stated.covariance(k, k);
      if (variance > 0.0) rows(i, k) = 3.0 * normal(random) / std::sqrt(variance);
    }
  }
  return rows;
}

/// What measurements of unit variance, A error, make of an error of what was typed.
tracking::BenchEstimate EstimateOf(const tracking::Bench& stated, const Eigen::MatrixXd& A,
                                   const Eigen::VectorXd& error) {
  const Eigen::MatrixXd root = CovarianceRoot(stated.covariance), by = A * root;
  Eigen::MatrixXd information = by.transpose() * by;
  information.diagonal().array() += 1.0;
  const Eigen::MatrixXd left = information.inverse();
  tracking::BenchEstimate estimate{root * left * by.transpose() * A * error, stated, 4, true};
  estimate.bench.covariance = root * left * root.transpose();
  return estimate;
}

TEST(Slips, AreFoundWhereTheEstimateSpreadsThem) {
  const tracking::Bench stated = StatedBar();
  const double slip = 0.013;
  const tracking::BenchEstimate estimate =
      EstimateOf(stated, MixedRows(stated, 12), slip * LongerEdge(stated));
  const int length = stated.Parameters().Length();
  EXPECT_LT(std::abs(estimate.change[length]), 0.7 * slip);  // the rest is taken up by others
  const Slips slips = MeasureSlips(stated, estimate, {});
  EXPECT_NEAR(slips.lengths[0].by, slip, 1e-9);
  EXPECT_EQ(slips.LargestChiSquare(), slips.lengths[0].ChiSquare());
  EXPECT_THAT(SlipComplaints(slips), ::testing::Contains(::testing::HasSubstr("length 1")));
}

TEST(Slips, AreFoundFromHeightsToo) {
  const tracking::Bench stated = StatedBar();
  const Eigen::VectorXd error = -0.011 * LongerEdge(stated);
  const Eigen::MatrixXd by_bench = 1e-3 * MixedRows(stated, 12);
  // Nothing else is known; a body that is shorter than typed seems to go below the surface.
  const tracking::BenchEstimate estimate{Eigen::VectorXd::Zero(error.size()), stated, 4, true};
  ContactHeights heights;
  for (Eigen::Index i = 0; i < by_bench.rows(); ++i)
    heights.Add(-by_bench.row(i).dot(error), by_bench.row(i));
  EXPECT_NEAR(MeasureSlips(stated, estimate, heights).lengths[0].by, -0.011, 1e-9);
}

TEST(Slips, OfTheMomentsAreTellable) {
  const tracking::Bench stated = StatedBar();
  Eigen::VectorXd error = Eigen::VectorXd::Zero(stated.Parameters().Size());
  error.segment<3>(stated.Parameters().Inertia()).setConstant(0.5);
  const Slips slips = MeasureSlips(stated, EstimateOf(stated, MixedRows(stated, 12), error), {});
  EXPECT_NEAR(slips.inertia.by, 0.5, 1e-6);
  EXPECT_EQ(slips.LargestChiSquare(), slips.inertia.ChiSquare());
}

TEST(Slips, AreNoneWhereAllIsAsWellKnownAsItIsSaid) {
  const tracking::Bench stated = StatedBar();
  const Eigen::MatrixXd root = CovarianceRoot(stated.covariance);
  const Eigen::MatrixXd rows = MixedRows(stated, 12);
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  double sum = 0.0;
  int complaints = 0;
  constexpr int kDraws = 300;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Eigen::VectorXd error =
        root * Eigen::VectorXd::NullaryExpr(root.cols(), [&] { return normal(random); });
    // Measurements err by one, which is an error of the estimate as well.
    tracking::BenchEstimate estimate = EstimateOf(stated, rows, error);
    estimate.change += estimate.bench.covariance * rows.transpose() *
                       Eigen::VectorXd::NullaryExpr(rows.rows(), [&] { return normal(random); });
    const Slips slips = MeasureSlips(stated, estimate, {});
    sum += slips.lengths[0].ChiSquare();
    complaints += !SlipComplaints(slips).empty();
  }
  // Chi-square with one degree of freedom has mean 1 and variance 2.
  EXPECT_NEAR(sum / kDraws, 1.0, 4.0 * std::sqrt(2.0 / kDraws));
  EXPECT_LE(complaints, 3);  // 0.3 are expected
  EXPECT_EQ(
      MeasureSlips(stated, {.change = Eigen::VectorXd::Zero(root.rows()), .bench = stated}, {})
          .LargestChiSquare(),
      0.0);  // no impact
}

}  // namespace
}  // namespace percuss::pipeline
