// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "fitting/estimate/coefficient_fit.h"
#include "fitting/estimate/comparison.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

constexpr double kCoverageMu = 0.26;
constexpr double kCoverageE = 0.55;

/// Mean over the experiments, which are independent, and what it scatters by.
struct Mean {
  std::vector<double> values;
  double Value() const {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }
  double Sigma() const {
    const double mean = Value(), n = static_cast<double>(values.size());
    double sum = 0.0;
    for (const double value : values) sum += std::pow(value - mean, 2);
    return std::sqrt(sum / (n - 1.0) / n);
  }
};

struct Coverage {
  int held[2] = {0, 0};
  double squared[2] = {0.0, 0.0};  // of (estimate - truth) / sigma
  double cost = 0.0;
  int dof = 0;
  double energy_squared = 0.0;  // of (measured - true dissipation) / sigma
  // Squares of errors over their sigmas, means of each experiment: of the predicted dissipation and
  // its difference from the measured, of [v'; w'] predicted and its difference from the measured.
  Mean dissipation, dissipation_difference, velocities, velocity_differences;
  int num_trials = 0;
};

constexpr int kExperiments = 240;

Coverage RunExperiments(bool with_calibration, unsigned seed) {
  std::mt19937 random(seed);
  Coverage coverage;
  for (int i = 0; i < kExperiments; ++i) {
    const int num_trials = 6 + i % 3;
    const auto state = random;
    const impacts::ImpactTable table =
        NoisySlidingTable(random, kCoverageMu, kCoverageE, num_trials, with_calibration);
    const LawFit fit = FitCoefficients(table, Bar(), {.cross_validate = false}).front();
    const double truth[2] = {kCoverageMu, kCoverageE};
    for (size_t k = 0; k < 2; ++k) {
      const ParameterEstimate& parameter = fit.parameters[k];
      EXPECT_EQ(parameter.status, ParameterStatus::kIdentified) << "experiment " << i;
      coverage.held[k] += parameter.ci95[0] <= truth[k] && truth[k] <= parameter.ci95[1];
      // The scale only ever widens; taken out, the sigma must be that of the draws.
      coverage.squared[k] +=
          std::pow((parameter.value - truth[k]) * fit.interval_scale / parameter.sigma, 2);
    }
    coverage.cost += fit.cost;
    coverage.dof += fit.dof;
    // The exact states again, from the same random numbers.
    std::mt19937 replay = state;
    DrawNormal(replay, CalibrationCovariance());
    double dissipation_sum = 0.0, dissipation_difference_sum = 0.0;
    double velocity_sum = 0.0, velocity_difference_sum = 0.0;
    for (int t = 0; t < num_trials; ++t) {
      const impacts::ImpactRecord exact = ExactImpactInMode(
          replay, "t" + std::to_string(t), kCoverageMu, kCoverageE, solver::ContactMode::kSlip);
      DrawNormal(replay, TrackerCovariance(replay));
      const double dissipation = CalcMeasuredDissipation(PrepareImpact(exact, {}, Bar())).value;
      const TrialComparison& trial = fit.trials[static_cast<size_t>(t)];
      coverage.energy_squared += std::pow(
          (trial.dissipation_measured.value - dissipation) / trial.dissipation_measured.sigma, 2);
      dissipation_sum += std::pow(
          (trial.dissipation_predicted.value - dissipation) / trial.dissipation_predicted.sigma, 2);
      // The law is the one that the states were drawn from: the true difference is none.
      dissipation_difference_sum +=
          std::pow(trial.dissipation_difference.value / trial.dissipation_difference.sigma, 2);
      const auto squares = [](const Eigen::Vector3d& error, const Eigen::Vector3d& sigma) {
        return error.cwiseQuotient(sigma).squaredNorm();
      };
      velocity_sum += squares(trial.v_predicted - exact.v_post, trial.v_predicted_sigma) +
                      squares(trial.w_predicted - exact.w_post, trial.w_predicted_sigma);
      velocity_difference_sum +=
          squares(trial.v_predicted - trial.v_measured, trial.v_difference_sigma) +
          squares(trial.w_predicted - trial.w_measured, trial.w_difference_sigma);
      ++coverage.num_trials;
    }
    coverage.dissipation.values.push_back(dissipation_sum / num_trials);
    coverage.dissipation_difference.values.push_back(dissipation_difference_sum / num_trials);
    coverage.velocities.values.push_back(velocity_sum / (6.0 * num_trials));
    coverage.velocity_differences.values.push_back(velocity_difference_sum / (6.0 * num_trials));
  }
  return coverage;
}

void ExpectHonest(const Coverage& coverage) {
  const double n = kExperiments;
  const double band = 3.0 * std::sqrt(0.95 * 0.05 * n);
  for (int k = 0; k < 2; ++k) {
    EXPECT_NEAR(coverage.held[k], 0.95 * n, band) << (k == 0 ? "mu" : "e");
    EXPECT_NEAR(coverage.squared[k], n, 3.5 * std::sqrt(2.0 * n)) << (k == 0 ? "mu" : "e");
  }
  EXPECT_NEAR(coverage.cost, coverage.dof, 3.5 * std::sqrt(2.0 * coverage.dof));
}

// Predictions share the coefficients of their experiment, so experiments are what is independent.
void ExpectHonestPredictions(const Coverage& coverage) {
  for (const Mean* mean : {&coverage.dissipation, &coverage.dissipation_difference,
                           &coverage.velocities, &coverage.velocity_differences}) {
    EXPECT_NEAR(mean->Value(), 1.0, 3.5 * mean->Sigma());
    EXPECT_LT(mean->Sigma(), 0.09);  // or else the line above says nothing
  }
}

// Over many draws an interval must hold the truth 95 times in 100, the normalized errors must be of
// unit variance and the cost must be a chi-square variable: three binomial and three and a half
// chi-square sigmas.
TEST(FitCoefficients, IntervalsHoldTheTruthAsOftenAsTheySay) {
  const Coverage coverage = RunExperiments(false, 1);
  ExpectHonest(coverage);
  // With trials apart, the measured dissipations are independent.
  EXPECT_NEAR(coverage.energy_squared / coverage.num_trials, 1.0,
              3.5 * std::sqrt(2.0 / coverage.num_trials));
  ExpectHonestPredictions(coverage);
}

// The same with an error of scale and surface direction that all trials of an experiment share.
TEST(FitCoefficients, IntervalsStayHonestUnderASharedCalibrationError) {
  const Coverage coverage = RunExperiments(true, 2);
  ExpectHonest(coverage);
  EXPECT_NEAR(coverage.energy_squared / coverage.num_trials, 1.0,
              3.5 * std::sqrt(2.0 / kExperiments));
  ExpectHonestPredictions(coverage);
}

// Impacts that end sticking. The slip before the stick can tell a little about mu: then its status
// is "identified" with a wide interval, else a lower bound; either has to hold the truth. A bound
// is one-sided and may hold it more often than 95 %.
TEST(FitCoefficients, StickingImpactsBoundFrictionHonestly) {
  constexpr double kSticky = 0.9;
  std::mt19937 random(4);
  int held[2] = {0, 0};
  for (int i = 0; i < kExperiments; ++i) {
    const LawFit fit = FitCoefficients(NoisyTable(random, kSticky, kCoverageE, 8, false,
                                                  solver::ContactMode::kStick),
                                       Bar(), {.cross_validate = false})
                           .front();
    const ParameterEstimate& mu = fit.parameters[0];
    EXPECT_TRUE(mu.status != ParameterStatus::kUpperBound) << "experiment " << i;
    held[0] += mu.ci95[0] <= kSticky && kSticky <= mu.ci95[1];
    held[1] += fit.parameters[1].ci95[0] <= kCoverageE && kCoverageE <= fit.parameters[1].ci95[1];
  }
  const double n = kExperiments;
  const double band = 3.0 * std::sqrt(0.95 * 0.05 * n);
  EXPECT_GT(held[0], 0.95 * n - band) << "mu";
  EXPECT_NEAR(held[1], 0.95 * n, band) << "e";
}

}  // namespace
}  // namespace percuss::fitting
