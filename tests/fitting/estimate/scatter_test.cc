// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/estimate/scatter.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "fitting/estimate/bootstrap.h"
#include "fitting/estimate/coefficient_fit.h"
#include "fitting/model/impact_model.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

constexpr double kScatterMu = 0.2;
constexpr double kScatterE = 0.5;

// Sliding impacts whose own mu and e scatter by these standard deviations, with measurement errors
// drawn from the stated covariance.
impacts::ImpactTable ScatteredTable(std::mt19937& random, int num_trials, double tau_mu,
                                    double tau_e) {
  std::normal_distribution<double> normal;
  impacts::ImpactTable table;
  for (int i = 0; i < num_trials; ++i) {
    const double mu = kScatterMu + tau_mu * normal(random);
    const double e = kScatterE + tau_e * normal(random);
    impacts::ImpactRecord record =
        ExactImpactInMode(random, "t" + std::to_string(i), mu, e, solver::ContactMode::kSlip);
    record.covariance = TrackerCovariance(random);
    AddError(DrawNormal(random, *record.covariance), record);
    table.impacts.push_back(record);
  }
  return table;
}

// 200 impacts: the sigma of a standard deviation is about 5 % of it.
TEST(Scatter, IsFoundApartFromTheNoise) {
  std::mt19937 random(11);
  constexpr double kTau[] = {0.02, 0.04};
  const impacts::ImpactTable table = ScatteredTable(random, 200, kTau[0], kTau[1]);
  const LawFit fit = FitCoefficients(table, Bar(), {.scatter = true}).front();
  ASSERT_TRUE(fit.scatter);
  const ScatterReport& scatter = *fit.scatter;
  const double mean[] = {kScatterMu, kScatterE};
  for (size_t p = 0; p < 2; ++p) {
    const ScatterEstimate& one = scatter.parameters[p];
    EXPECT_NEAR(one.value, kTau[p], 0.2 * kTau[p]) << one.parameter;
    EXPECT_LT(one.ci95[0], kTau[p]);
    EXPECT_GT(one.ci95[1], kTau[p]);
    EXPECT_FALSE(one.compatible_with_zero);
    EXPECT_NEAR(one.mean, mean[p], 4.0 * kTau[p] / std::sqrt(200.0));
    EXPECT_NEAR(one.next95[1] - one.next95[0], 2.0 * 1.96 * kTau[p], 0.25 * 4.0 * kTau[p]);
  }
  // The stated sigmas are right: nothing but scatter is left to explain.
  EXPECT_LT(scatter.noise_scale, 1.1);
  // Three binomial sigmas of 200 impacts, and of their 1200 components (correlated in an impact).
  EXPECT_NEAR(scatter.held_out_impacts, 0.95, 3.0 * std::sqrt(0.95 * 0.05 / 200.0));
  EXPECT_NEAR(scatter.held_out_components, 0.95, 0.03);
}

TEST(Scatter, SaysWhenThereIsNone) {
  std::mt19937 random(12);
  const impacts::ImpactTable table = ScatteredTable(random, 40, 0.0, 0.0);
  const LawFit fit =
      FitCoefficients(table, Bar(), {.scatter = true, .cross_validate = false}).front();
  for (const ScatterEstimate& one : fit.scatter->parameters) {
    EXPECT_TRUE(one.compatible_with_zero) << one.parameter;
    EXPECT_EQ(one.ci95[0], 0.0);
    EXPECT_GT(one.ci95[1], one.value);
    EXPECT_LT(one.ci95[1], 0.05);
  }
}

// One impact in ten is another one's: the sum of squares is drawn away by many of its sigmas, the
// robust loss stays near the truth.
TEST(RobustLoss, IsNotDrawnAwayByAFewImpacts) {
  std::mt19937 random(13);
  impacts::ImpactTable table = ScatteredTable(random, 40, 0.0, 0.0);
  for (size_t i = 0; i < table.impacts.size(); i += 10) {
    table.impacts[i].v_post.z() += 0.5;
  }
  const LawFit square = FitCoefficients(table, Bar(), {.cross_validate = false}).front();
  const LawFit robust =
      FitCoefficients(table, Bar(), {.robust = true, .cross_validate = false}).front();
  const double error_square = std::abs(square.parameters[1].value - kScatterE);
  const double error_robust = std::abs(robust.parameters[1].value - kScatterE);
  EXPECT_LT(error_robust, 0.25 * error_square);
  EXPECT_LE(robust.parameters[1].ci95[0], kScatterE);
  EXPECT_GE(robust.parameters[1].ci95[1], kScatterE);
}

// Without outliers the percentiles agree with the profile where the sigmas are right; the sigma of
// a bootstrap's width is about 13 % from 40 impacts and 200 replicates.
TEST(Bootstrap, AgreesWithTheProfileAndRepeats) {
  std::mt19937 random(14);
  const impacts::ImpactTable table = ScatteredTable(random, 40, 0.0, 0.0);
  FitOptions options{.num_bootstraps = 200, .cross_validate = false, .num_threads = 1};
  const LawFit fit = FitCoefficients(table, Bar(), options).front();
  options.num_threads = 2;
  const LawFit again = FitCoefficients(table, Bar(), options).front();
  for (size_t k = 0; k < 2; ++k) {
    const ParameterEstimate& parameter = fit.parameters[k];
    const double width = parameter.ci95[1] - parameter.ci95[0];
    EXPECT_NEAR(parameter.bootstrap95[1] - parameter.bootstrap95[0], width, 0.35 * width);
    EXPECT_EQ(parameter.bootstrap95, again.parameters[k].bootstrap95);
  }
}

TEST(Bootstrap, PercentilesOfAKnownSample) {
  Eigen::VectorXd sample(1001);
  for (int i = 0; i <= 1000; ++i) sample[i] = 1000.0 - i;
  const auto [low, high] = PercentileInterval(sample);
  EXPECT_DOUBLE_EQ(low, 25.0);
  EXPECT_DOUBLE_EQ(high, 975.0);
}

}  // namespace
}  // namespace percuss::fitting
