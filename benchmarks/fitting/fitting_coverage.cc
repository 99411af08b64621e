// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "benchmarks/fitting/fitting_table.h"
#include "fitting/estimate/coefficient_fit.h"
#include "tests/base/kolmogorov.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::benchmarks {
namespace {

constexpr double kMu = 0.26;
constexpr double kE = 0.55;
constexpr int kExperiments = 500;
constexpr int kTrials = 8;

// Experiments in percent, with a band of three binomial sigmas about 95 %.
constexpr double kBand = 300.0 * 0.21794494717703367 / 22.360679774997898;

double Percent(int count) { return 100.0 * count / kExperiments; }

BoundSection MeasureSliding(bool with_calibration) {
  std::mt19937 random(with_calibration ? 102U : 101U);
  const std::array<double, 2> truth = {kMu, kE};
  std::array<int, 2> held{};
  for (int i = 0; i < kExperiments; ++i) {
    const fitting::LawFit fit =
        fitting::FitCoefficients(
            fitting::NoisySlidingTable(random, kMu, kE, kTrials, with_calibration), fitting::Bar(),
            {.cross_validate = false})
            .front();
    for (size_t k = 0; k < 2; ++k) {
      const auto& [low, high] = fit.parameters[k].ci95;
      held[k] += low <= truth[k] && truth[k] <= high;
    }
  }
  return {
      with_calibration ? "500 experiments of 8 sliding impacts, calibration error in common"
                       : "500 experiments of 8 sliding impacts",
      {{"95 % interval of mu holds the truth", "%", Percent(held[0]), 95.0 - kBand, 95.0 + kBand},
       {"95 % interval of e holds the truth", "%", Percent(held[1]), 95.0 - kBand, 95.0 + kBand}},
      {}};
}

// Impacts that end sticking bound mu from below; where the slip before it tells a little more, the
// interval is closed and has to hold the truth as well. Either may hold it more often than 95 %: a
// bound is one-sided.
BoundSection MeasureSticking() {
  constexpr double kSticky = 0.9;
  std::mt19937 random(103);
  int held_mu = 0, held_e = 0, lower_bound = 0;
  for (int i = 0; i < kExperiments; ++i) {
    const fitting::LawFit fit =
        fitting::FitCoefficients(
            fitting::NoisyTable(random, kSticky, kE, kTrials, false, solver::ContactMode::kStick),
            fitting::Bar(), {.cross_validate = false})
            .front();
    const fitting::ParameterEstimate& mu = fit.parameters[0];
    held_mu += mu.ci95[0] <= kSticky && kSticky <= mu.ci95[1];
    held_e += fit.parameters[1].ci95[0] <= kE && kE <= fit.parameters[1].ci95[1];
    lower_bound += mu.status == fitting::ParameterStatus::kLowerBound;
  }
  return {"500 experiments of 8 impacts that end sticking",
          {{"interval or bound of mu holds the truth", "%", Percent(held_mu), 95.0 - kBand, 100.0},
           {"95 % interval of e holds the truth", "%", Percent(held_e), 95.0 - kBand, 95.0 + kBand},
           {"mu is a lower bound", "%", Percent(lower_bound)}},
          {}};
}

// Values from a bench, drawn about the truth; what is predicted with them.
BoundSection MeasureGiven() {
  constexpr int kGivenExperiments = 100;
  constexpr double kGivenSigma = 0.01, kOneInTwenty = 1.36;
  std::mt19937 random(104);
  const auto measured = [&](double truth) {
    return ValueWithSigma{std::normal_distribution<double>(truth, kGivenSigma)(random),
                          kGivenSigma};
  };
  std::vector<double> prediction, agreement;
  int dissipations = 0, dissipations_held = 0;
  for (int i = 0; i < kGivenExperiments; ++i) {
    const auto table = fitting::NoisySlidingTable(random, kMu, kE, kTrials, true);
    const fitting::LawFit fit =
        fitting::FitCoefficients(
            table, fitting::Bar(),
            {.given = {{"mu", measured(kMu)}, {"e", measured(kE)}}, .cross_validate = false})
            .front();
    prediction.push_back(fit.cost_probability);
    agreement.push_back(fit.agreement->probability);
    for (const fitting::TrialComparison& trial : fit.trials) {
      const ValueWithSigma& difference = trial.dissipation_difference;
      dissipations_held += std::abs(difference.value) <= 1.96 * difference.sigma;
      ++dissipations;
    }
  }
  return {"100 experiments of 8 sliding impacts, predicted with mu and e of +-0.01 from a bench",
          {{"chi-squares of the velocities, Kolmogorov's sqrt(n) D", "",
            testing::KolmogorovDistance(prediction), 0.0, kOneInTwenty},
           {"chi-squares of given against fitted, likewise", "",
            testing::KolmogorovDistance(agreement), 0.0, kOneInTwenty},
           {"95 % intervals of predicted less measured dissipation hold 0", "%",
            100.0 * dissipations_held / dissipations, 92.0, 98.0}},
          {}};
}

// Boxes that land flat or on an edge.
BoundSection MeasureLandings(int num_points, const char* on) {
  constexpr int kLandingExperiments = 300;
  constexpr double kSliding = 0.2;
  std::mt19937 random(105U + static_cast<unsigned>(num_points));
  const std::array<double, 2> truth = {kSliding, kE};
  std::array<int, 2> held{};
  int right = 0, landings = 0;
  for (int i = 0; i < kLandingExperiments; ++i) {
    const fitting::PreparedImpacts data = fitting::PrepareImpacts(
        fitting::NoisyLandings(random, kSliding, kE, kTrials, num_points), fitting::Carton());
    for (const fitting::Impact& impact : data.impacts) {
      right += std::ssize(impact.geometry.touching) == num_points;
      ++landings;
    }
    const fitting::LawFit fit =
        fitting::FitCoefficients(
            data, {.laws = {"multi-point"}, .cross_validate = false, .split_error = false})
            .front();
    for (size_t k = 0; k < 2; ++k) {
      const auto& [low, high] = fit.parameters[k].ci95;
      held[k] += low <= truth[k] && truth[k] <= high;
    }
  }
  const auto percent = [](int count, int of) { return 100.0 * count / of; };
  return {fmt::format("{} experiments of 8 landings of a box on {}", kLandingExperiments, on),
          {{"95 % interval of mu holds the truth", "%", percent(held[0], kLandingExperiments), 92.0,
            97.0},
           {"95 % interval of e holds the truth", "%", percent(held[1], kLandingExperiments), 92.0,
            97.0},
           {"points in contact right", "%", percent(right, landings), 98.0}},
          {}};
}

}  // namespace

std::vector<BoundSection> MeasureLandings(const std::filesystem::path&) {
  return {MeasureLandings(4, "a face"), MeasureLandings(2, "an edge")};
}

std::vector<BoundSection> MeasureCoverage(const std::filesystem::path&) {
  return {MeasureSliding(false), MeasureSliding(true), MeasureSticking(), MeasureGiven()};
}

}  // namespace percuss::benchmarks
