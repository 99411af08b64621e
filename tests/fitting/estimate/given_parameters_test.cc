// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>

#include <Eigen/Core>
#include <random>

#include "fitting/estimate/coefficient_fit.h"
#include "tests/base/kolmogorov.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

using ::testing::HasSubstr;

constexpr double kTrueMu = 0.26, kTrueE = 0.55, kGivenSigma = 0.01;
constexpr int kGivenExperiments = 100;

LawFit FitGiven(const impacts::ImpactTable& table, const GivenParameters& given) {
  return FitCoefficients(table, Bar(), {.given = given, .cross_validate = false}).front();
}

ValueWithSigma Measured(std::mt19937& random, double truth) {
  return {std::normal_distribution<double>(truth, kGivenSigma)(random), kGivenSigma};
}

impacts::ImpactTable ExactSlidingTable() {
  std::mt19937 random(4);
  impacts::ImpactTable table;
  for (const char* name : {"a", "b", "c"}) {
    table.impacts.push_back(
        ExactImpactInMode(random, name, kTrueMu, kTrueE, solver::ContactMode::kSlip));
    table.impacts.back().covariance = TrackerCovariance(random);
  }
  return table;
}

// Truth: exact impacts. With the parameters that made them nothing is left to fit, and nothing is
// missed.
TEST(GivenParameters, AreNotFitted) {
  const LawFit fit =
      FitGiven(ExactSlidingTable(), {{"mu", {kTrueMu, kGivenSigma}}, {"e", {kTrueE, 0.0}}});
  EXPECT_TRUE(fit.converged);
  EXPECT_EQ(fit.dof, 18);
  EXPECT_LT(fit.cost, 1e-6);
  ASSERT_EQ(fit.parameters.size(), 2u);
  EXPECT_EQ(fit.parameters[0].status, ParameterStatus::kGiven);
  EXPECT_EQ(fit.parameters[0].value, kTrueMu);
  EXPECT_NEAR(fit.covariance(0, 0), kGivenSigma * kGivenSigma, 1e-15);
  EXPECT_EQ(fit.covariance(1, 1), 0.0);
  ASSERT_TRUE(fit.agreement);
  EXPECT_EQ(fit.agreement->dof, 2);
  EXPECT_LT(fit.agreement->chi_square, 1e-6);
}

// Truth: the prediction at values one step off, by differences: mu given, e fitted to it.
TEST(GivenParameters, SigmasReachWhatIsFittedAndPredicted) {
  const impacts::ImpactTable table = ExactSlidingTable();
  const LawFit exact = FitGiven(table, {{"mu", {kTrueMu, 0.0}}});
  const LawFit given = FitGiven(table, {{"mu", {kTrueMu, kGivenSigma}}});
  const double step = 1e-5;
  const auto at = [&](double mu) { return FitGiven(table, {{"mu", {mu, kGivenSigma}}}); };
  const LawFit ahead = at(kTrueMu + step), behind = at(kTrueMu - step);
  const double e_by_mu = (ahead.parameters[0].value - behind.parameters[0].value) / (2.0 * step);
  EXPECT_NEAR(given.covariance(0, 1), e_by_mu * kGivenSigma * kGivenSigma,
              0.02 * std::abs(given.covariance(0, 1)));
  for (std::size_t i = 0; i < 3; ++i) {
    const auto slope = [&](int axis) {
      return (ahead.trials[i].v_predicted[axis] - behind.trials[i].v_predicted[axis]) /
             (2.0 * step);
    };
    for (int axis = 0; axis < 3; ++axis) {
      const double gained = std::pow(given.trials[i].v_predicted_sigma[axis], 2) -
                            std::pow(exact.trials[i].v_predicted_sigma[axis], 2);
      const double expected = std::pow(slope(axis) * kGivenSigma, 2);
      EXPECT_NEAR(gained, expected, 0.02 * expected + 1e-9) << i << axis;
    }
  }
}

struct Tests {
  std::vector<double> prediction, agreement;
  int inside = 0, count = 0;  ///< differences of velocities and dissipation in their intervals
};

Tests PredictExperiments(bool fit_e) {
  std::mt19937 random(fit_e ? 12U : 11U);
  Tests tests;
  for (int i = 0; i < kGivenExperiments; ++i) {
    const impacts::ImpactTable table = NoisySlidingTable(random, kTrueMu, kTrueE, 4, true);
    GivenParameters given = {{"mu", Measured(random, kTrueMu)}};
    if (!fit_e) given["e"] = Measured(random, kTrueE);
    const LawFit fit = FitGiven(table, given);
    tests.prediction.push_back(fit.cost_probability);
    tests.agreement.push_back(fit.agreement->probability);
    const auto add = [&](double difference, double sigma) {
      tests.inside += std::abs(difference) <= 1.96 * sigma;
      ++tests.count;
    };
    for (const TrialComparison& trial : fit.trials) {
      for (int axis = 0; axis < 3; ++axis) {
        add(trial.v_predicted[axis] - trial.v_measured[axis], trial.v_difference_sigma[axis]);
        add(trial.w_predicted[axis] - trial.w_measured[axis], trial.w_difference_sigma[axis]);
      }
      add(trial.dissipation_difference.value, trial.dissipation_difference.sigma);
    }
  }
  return tests;
}

// Truth: values drawn about the true ones with the sigmas that are stated. The chi-squares of what
// is predicted, and of given against fitted values, are then those of chance: 1.36 in 1 of 20.
TEST(GivenParameters, ChiSquaresAreThoseOfChance) {
  for (const bool fit_e : {false, true}) {
    const Tests tests = PredictExperiments(fit_e);
    EXPECT_LT(testing::KolmogorovDistance(tests.prediction), 1.36) << fit_e;
    EXPECT_LT(testing::KolmogorovDistance(tests.agreement), 1.36) << fit_e;
    const double share = static_cast<double>(tests.inside) / tests.count;
    EXPECT_GT(share, 0.92) << fit_e;
    EXPECT_LT(share, 0.98) << fit_e;
  }
}

TEST(GivenParameters, ThatAreFarOffAreFound) {
  std::mt19937 random(2);
  const impacts::ImpactTable table = NoisySlidingTable(random, kTrueMu, kTrueE, 4, false);
  const LawFit fit = FitGiven(
      table, {{"mu", {kTrueMu + 8.0 * kGivenSigma, kGivenSigma}}, {"e", {kTrueE, kGivenSigma}}});
  EXPECT_LT(fit.cost_probability, 1e-3);
  EXPECT_LT(fit.agreement->probability, 1e-3);
  EXPECT_THAT(fit.message, HasSubstr("given"));
}

}  // namespace
}  // namespace percuss::fitting
