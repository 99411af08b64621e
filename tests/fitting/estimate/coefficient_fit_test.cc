// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/estimate/coefficient_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "fitting/model/impact_model.h"
#include "solver/solve_impact.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

using impacts::ImpactRecord;
using impacts::ImpactTable;
using ::testing::HasSubstr;

constexpr double kMu = 0.26;
constexpr double kE = 0.55;

Eigen::Vector3d Vector(const nlohmann::json& json) {
  return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
}

// The exact impacts of data/bar-drop/truth.json.
ImpactTable BarDropTruth() {
  std::ifstream stream(PERCUSS_DATA_DIR "/bar-drop/truth.json");
  const nlohmann::json truth = nlohmann::json::parse(stream);
  ImpactTable table;
  for (const auto& [name, trial] : truth.at("trials").items()) {
    const nlohmann::json& impact = trial.at("impact");
    const nlohmann::json& q = impact.at("quaternion");
    ImpactRecord record;
    record.trial = name;
    record.q_WB = Eigen::Quaterniond(q.at(0).get<double>(), q.at(1).get<double>(),
                                     q.at(2).get<double>(), q.at(3).get<double>());
    record.r = Vector(impact.at("contact_offset"));
    record.v = Vector(impact.at("pre").at("v"));
    record.w = Vector(impact.at("pre").at("omega"));
    record.v_post = Vector(impact.at("post").at("v"));
    record.w_post = Vector(impact.at("post").at("omega"));
    table.impacts.push_back(record);
  }
  return table;
}

LawFit FitOne(const ImpactTable& table, FitOptions options = {}) {
  return FitCoefficients(table, Bar(), options).front();
}

// Truth: data/bar-drop/truth.json, computed by an independent program to 12 digits.
TEST(FitCoefficients, FindsTheCoefficientsOfExactStates) {
  const LawFit fit = FitOne(BarDropTruth());
  ASSERT_TRUE(fit.converged) << fit.message;
  EXPECT_NEAR(fit.parameters[0].value, 0.26, 1e-7);
  EXPECT_NEAR(fit.parameters[1].value, 0.55, 1e-7);
  EXPECT_EQ(fit.parameters[0].status, ParameterStatus::kIdentified);
  EXPECT_EQ(fit.num_used, 4);
  EXPECT_LT(fit.velocity_error_mean, 1e-7);
  EXPECT_LT(fit.energy_error_rms, 1e-7);
  EXPECT_LT(fit.cross_validated_velocity_error_mean, 1e-6);
  const std::vector<std::vector<std::string>> modes = {
      {"slip"}, {"slip", "stick"}, {"slip"}, {"slip"}};
  const std::vector<double> dissipation = {0.789950419223, 0.550202921606, 0.69608958687,
                                           0.786487547044};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(fit.trials[i].modes, modes[i]) << fit.trials[i].trial;
    EXPECT_NEAR(fit.trials[i].dissipation_measured.value, dissipation[i], 1e-9);
    EXPECT_NEAR(fit.trials[i].dissipation_predicted.value, dissipation[i], 1e-7);
    EXPECT_LT(fit.trials[i].reachability_floor, 1e-9);
  }
}

// Truth: mu_stick_min of the same file. The trial that ends sticking does not know more than that.
TEST(FitCoefficients, SaysThatAStickingImpactOnlyBoundsFriction) {
  ImpactTable table = BarDropTruth();
  table.impacts = {table.impacts[1]};
  impacts::ImpactCovariance covariance = impacts::ImpactCovariance::Zero();
  covariance.diagonal() << Eigen::Matrix<double, 6, 1>::Constant(1e-10),
      Eigen::Vector3d::Constant(1e-8), Eigen::Vector3d::Constant(1e-6),
      Eigen::Vector3d::Constant(1e-8), Eigen::Vector3d::Constant(1e-6);
  table.impacts[0].covariance = covariance;
  const LawFit fit = FitOne(table);
  ASSERT_EQ(fit.parameters[0].status, ParameterStatus::kLowerBound);
  EXPECT_NEAR(fit.parameters[0].value, 0.153369947933, 0.003);
  EXPECT_EQ(fit.parameters[0].ci95[0], fit.parameters[0].value);
  EXPECT_EQ(fit.parameters[0].ci95[1], std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(fit.parameters[0].sigma));
  EXPECT_EQ(fit.parameters[1].status, ParameterStatus::kIdentified);
  EXPECT_LE(fit.parameters[1].ci95[0], 0.55);
  EXPECT_GE(fit.parameters[1].ci95[1], 0.55);
}

// Truth: each impact ends sticking, after a slip so short that it tells nothing; the least mu at
// which the exact impacts still end sticking is found by bisection. A bound must not exceed what
// the hardest of them needs, within the noise.
TEST(FitCoefficients, GivesALowerBoundForAStickingSet) {
  std::mt19937 random(21);
  ImpactTable table;
  double least_mu = 0.0;
  while (table.impacts.size() < 6) {
    ImpactRecord record = ExactImpactInMode(random, "t" + std::to_string(table.impacts.size()), 0.9,
                                            kE, solver::ContactMode::kStick);
    const ImpactGeometry geometry = CalcGeometry(record, Bar());
    if (geometry.contact.velocity.head<2>().norm() > 0.15) continue;
    double slides = 0.0;
    double sticks = 0.9;
    while (sticks - slides > 1e-6) {
      const double mu = 0.5 * (slides + sticks);
      const auto modes = solver::SolveImpact("stronge", geometry.contact, std::array{mu, kE}).modes;
      (modes.back() == solver::ContactMode::kStick ? sticks : slides) = mu;
    }
    least_mu = std::max(least_mu, sticks);
    record.covariance = TrackerCovariance(random);
    AddError(DrawNormal(random, *record.covariance), record);
    table.impacts.push_back(record);
  }
  const LawFit fit = FitOne(table);
  EXPECT_EQ(fit.parameters[0].status, ParameterStatus::kLowerBound);
  EXPECT_EQ(fit.parameters[0].value, fit.parameters[0].ci95[0]);
  EXPECT_EQ(fit.parameters[0].ci95[1], std::numeric_limits<double>::infinity());
  EXPECT_NEAR(fit.parameters[0].value, least_mu, 0.1 * least_mu);
  EXPECT_EQ(fit.parameters[1].status, ParameterStatus::kIdentified);
  EXPECT_NEAR(fit.parameters[1].value, kE, 4.0 * fit.parameters[1].sigma);
}

// Truth: `boundary-layer` tends to the `stronge` that made these impacts with an error of 1/kappa
// of the impulse, so that a measurement to 1e-3 tells kappa = 10 from infinity, but not 1000. Near
// the limit of 10000 the derivative is lost in rounding; that is no reason to stop there.
TEST(FitCoefficients, BoundsAStiffnessThatCannotBeSeenAtItsLimit) {
  std::mt19937 random(23);
  const ImpactTable table = NoisyTable(random, kMu, kE, 8, false, solver::ContactMode::kSlip);
  FitOptions options{.cross_validate = false};
  options.laws = {"boundary-layer"};
  const LawFit fit = FitOne(table, options);
  ASSERT_TRUE(fit.converged) << fit.message;
  const ParameterEstimate& stiffness = fit.parameters[1];
  EXPECT_EQ(stiffness.name, "stiffness");
  EXPECT_EQ(stiffness.status, ParameterStatus::kLowerBound);
  EXPECT_GT(stiffness.value, 3.0);
  EXPECT_LT(stiffness.value, 1000.0);
  EXPECT_NEAR(fit.parameters[0].value, kMu, 4.0 * fit.parameters[0].sigma);
}

// Truth: the whole chain by numeric differences. Exact states of two trials are moved one component
// at a time and fitted again; what is predicted of the first moves with its own state and, through
// the coefficients, with both; its difference from what was measured moves with the measured state
// as well. Propagated through these slopes, the stated covariances must give the stated sigmas.
TEST(FitCoefficients, SigmasOfPredictionsAreThoseOfTheWholeChain) {
  std::mt19937 random(17);
  ImpactTable table;
  for (const char* name : {"a", "b"}) {
    table.impacts.push_back(ExactImpactInMode(random, name, kMu, kE, solver::ContactMode::kSlip));
    table.impacts.back().covariance = TrackerCovariance(random);
  }
  const FitOptions options{.cross_validate = false};
  const LawFit fit = FitOne(table, options);
  using Predictions = Eigen::Matrix<double, 20, 1>;
  const auto energies = [](const TrialComparison& trial, auto part) {
    Eigen::Matrix<double, 6, 1> values;
    values << trial.normal_work.*part, trial.friction_work.*part,
        trial.energy_after_predicted[0].*part, trial.energy_after_predicted[1].*part,
        trial.energy_after_predicted[2].*part, trial.energy_after_predicted[3].*part;
    return values;
  };
  Predictions variance = Predictions::Zero();
  for (size_t i = 0; i < 2; ++i) {
    const impacts::ImpactCovariance covariance = *table.impacts[i].covariance;
    Eigen::Matrix<double, 20, Eigen::Dynamic> slope(20, impacts::kImpactDimension);
    for (int k = 0; k < impacts::kImpactDimension; ++k) {
      const double step = 0.02 * std::sqrt(covariance(k, k));
      const auto moved = [&](double by) {
        ImpactTable changed = table;
        AddError(by * Eigen::VectorXd::Unit(impacts::kImpactDimension, k), changed.impacts[i]);
        const TrialComparison trial = FitOne(changed, options).trials[0];
        Predictions values;
        values << trial.v_predicted, trial.w_predicted, trial.v_predicted - trial.v_measured,
            trial.w_predicted - trial.w_measured, trial.dissipation_predicted.value,
            trial.dissipation_difference.value, energies(trial, &ValueWithSigma::value);
        return values;
      };
      slope.col(k) = (moved(step) - moved(-step)) / (2.0 * step);
    }
    variance += (slope * covariance).cwiseProduct(slope).rowwise().sum();
  }
  const TrialComparison& trial = fit.trials[0];
  Predictions stated;
  stated << trial.v_predicted_sigma, trial.w_predicted_sigma, trial.v_difference_sigma,
      trial.w_difference_sigma, trial.dissipation_predicted.sigma,
      trial.dissipation_difference.sigma, energies(trial, &ValueWithSigma::sigma);
  for (int k = 0; k < stated.size(); ++k) {
    const double sigma = std::sqrt(variance[k]);
    EXPECT_NEAR(stated[k], sigma, 0.01 * sigma) << k;
  }
}

// Truth: the same experiment with a misfit that the stated sigmas cannot explain.
TEST(FitCoefficients, WidensIntervalsWhereTheSigmasAreTooSmall) {
  std::mt19937 random(8);
  ImpactTable table = NoisySlidingTable(random, kMu, kE, 6, false);
  const LawFit honest = FitOne(table);
  for (ImpactRecord& record : table.impacts) *record.covariance /= 100.0;
  const LawFit proud = FitOne(table);
  EXPECT_GT(proud.interval_scale, 5.0);
  EXPECT_THAT(proud.message, HasSubstr("widened"));
  EXPECT_NEAR(proud.parameters[0].sigma / honest.parameters[0].sigma, 1.0, 0.4);
}

TEST(FitCoefficients, UsesTheScatterWhereTheTableStatesNoSigmas) {
  std::mt19937 random(9);
  ImpactTable table = NoisySlidingTable(random, kMu, kE, 8, false);
  for (ImpactRecord& record : table.impacts) record.covariance.reset();
  const LawFit fit = FitOne(table);
  const LawFit other =
      FitCoefficients(PrepareImpacts(table, Bar(), {.velocity = 0.1, .angular_velocity = 1.0}))
          .front();
  EXPECT_THAT(fit.message, HasSubstr("no sigmas"));
  EXPECT_NEAR(fit.parameters[0].sigma / other.parameters[0].sigma, 1.0, 1e-3);
  EXPECT_NEAR(fit.parameters[0].value, kMu, 4.0 * fit.parameters[0].sigma);
}

// A restitution close to its limit is well determined although the limit cuts its interval.
TEST(FitCoefficients, KeepsAnEstimateNextToItsLimit) {
  std::mt19937 random(4);
  ImpactTable table;
  for (int i = 0; i < 4; ++i) {
    ImpactRecord record =
        ExactImpactInMode(random, "t" + std::to_string(i), kMu, 0.9999, solver::ContactMode::kSlip);
    record.covariance = TrackerCovariance(random);
    table.impacts.push_back(record);
  }
  const LawFit fit = FitOne(table);
  EXPECT_EQ(fit.parameters[1].status, ParameterStatus::kIdentified);
  EXPECT_NEAR(fit.parameters[1].value, 0.9999, 1e-5);
  EXPECT_EQ(fit.parameters[1].ci95[1], 1.0);
}

// Tangential velocity zero, no lever: friction never acts, so nothing can be said about it.
TEST(FitCoefficients, LeavesFrictionUnidentifiedInCentralNormalImpacts) {
  solver::Body ball;
  ball.shape = solver::Sphere{0.02};
  ball.mass = 0.05;
  ball.inertia = solver::UniformInertia(ball.shape, ball.mass);
  ImpactTable table;
  for (int i = 0; i < 3; ++i) {
    ImpactRecord record;
    record.trial = "t" + std::to_string(i);
    record.r = {0.0, 0.0, -0.02};
    record.v = {0.0, 0.0, -1.0 - i};
    record.v_post = {0.0, 0.0, 0.7 * (1.0 + i) + 0.001 * i};
    table.impacts.push_back(record);
  }
  const LawFit fit = FitCoefficients(table, ball).front();
  EXPECT_EQ(fit.parameters[0].status, ParameterStatus::kUnidentified);
  EXPECT_TRUE(std::isnan(fit.parameters[0].value));
  EXPECT_EQ(fit.parameters[1].status, ParameterStatus::kIdentified);
  EXPECT_NEAR(fit.parameters[1].value, 0.7, 0.002);
  EXPECT_EQ(fit.dof, 1)
      << "three trials, one component each that is not exactly zero, two unknowns";
}

TEST(FitCoefficients, ListsTrialsThatItCannotUse) {
  std::mt19937 random(6);
  ImpactTable table = NoisySlidingTable(random, kMu, kE, 7, false);
  table.impacts[0].v_post.x() = kNaN;
  table.impacts[1].v.z() = 3.0;
  table.impacts[2].covariance->coeffRef(impacts::kV, impacts::kV) = -1.0;
  table.impacts[3].covariance->coeffRef(impacts::kV, impacts::kV + 1) = 1.0;
  table.impacts[3].covariance->coeffRef(impacts::kV + 1, impacts::kV) = 1.0;
  const LawFit fit = FitOne(table);
  EXPECT_EQ(fit.num_used, 3);
  ASSERT_EQ(fit.trials.size(), 7u);
  EXPECT_THAT(fit.trials[0].reason, HasSubstr("vx_post is missing"));
  EXPECT_THAT(fit.trials[1].reason, HasSubstr("does not approach"));
  EXPECT_THAT(fit.trials[2].reason, HasSubstr("negative variance"));
  EXPECT_THAT(fit.trials[3].reason, HasSubstr("positive semidefinite"));
  for (size_t i = 0; i < 7; ++i) EXPECT_EQ(fit.trials[i].used, i >= 4);
  EXPECT_NEAR(fit.parameters[0].value, kMu, 4.0 * fit.parameters[0].sigma);
}

TEST(FitCoefficients, AnswersWhyWithoutAnyUsableTrial) {
  std::mt19937 random(6);
  ImpactTable table = NoisySlidingTable(random, kMu, kE, 1, false);
  table.impacts[0].v.z() = 3.0;
  const LawFit fit = FitOne(table);
  EXPECT_FALSE(fit.converged);
  EXPECT_THAT(fit.message, HasSubstr("no trial can be used; t0: the contact point does not"));
  ASSERT_EQ(fit.parameters.size(), 2u);
  EXPECT_TRUE(std::isnan(fit.parameters[0].value));
}

TEST(FitCoefficients, RejectsOptionsOutOfRange) {
  const ImpactTable table = BarDropTruth();
  const auto message = [&](const FitOptions& options) -> std::string {
    try {
      FitCoefficients(table, Bar(), options);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message({.laws = {"strange"}}), HasSubstr("strange"));
  EXPECT_THAT(message({.laws = {}}), HasSubstr("laws"));
  EXPECT_THAT(message({.num_threads = 0}), HasSubstr("num_threads: found 0"));
  EXPECT_THAT(message({.given = {{"mue", {0.2, 0.0}}}}), HasSubstr("given: found mue, allowed"));
  EXPECT_THAT(message({.given = {{"e", {1.2, 0.1}}}}), HasSubstr("e: found 1.2, allowed 0 to 1"));
  EXPECT_THAT(message({.given = {{"mu_s", {-0.2, 0.1}}}}), HasSubstr("mu_s: found -0.2, allowed"));
  EXPECT_THAT(message({.given = {{"e", {0.5, -0.1}}}}), HasSubstr("sigma: found -0.1"));
  EXPECT_THAT(message({.models = {{"e", FindParameterModel("linear-normal")}},
                       .given = {{"e", {0.5, 0.1}}}}),
              HasSubstr("given: found e, which has a model"));
}

// Every law is fitted to the same trials; the one that made the data must win.
TEST(FitCoefficients, ComparesLaws) {
  std::mt19937 random(12);
  ImpactTable table;
  for (int i = 0; i < 8; ++i) {
    ImpactRecord record = ExactImpact(random, "t" + std::to_string(i), kMu, kE);
    record.covariance = TrackerCovariance(random) / 25.0;
    AddError(DrawNormal(random, *record.covariance), record);
    table.impacts.push_back(record);
  }
  const std::vector<LawFit> fits =
      FitCoefficients(table, Bar(), {.laws = {"newton", "poisson", "stronge"}});
  ASSERT_EQ(fits.size(), 3u);
  EXPECT_LT(fits[2].aicc, fits[0].aicc);
  EXPECT_LT(fits[2].aicc, fits[1].aicc);
  EXPECT_LT(fits[2].cross_validated_velocity_error_mean,
            fits[0].cross_validated_velocity_error_mean);
}

// Truth: the parameters of the draw. With this many trials the grid of starts is ranked on part of
// them; the errors of the calibration stay in the fit itself.
TEST(FitCoefficients, FindsTheMinimumOfManyTrials) {
  std::mt19937 random(61);
  const impacts::ImpactTable table = NoisySlidingTable(random, 0.26, 0.55, 240, true);
  const LawFit fit = FitCoefficients(table, Bar(), {.cross_validate = false}).front();
  EXPECT_TRUE(fit.converged);
  EXPECT_NEAR(fit.parameters[0].value, 0.26, 4.0 * fit.parameters[0].sigma);
  EXPECT_NEAR(fit.parameters[1].value, 0.55, 4.0 * fit.parameters[1].sigma);
  EXPECT_LT(fit.interval_scale, 1.1);
}

// By hand: a third of the value.
TEST(WeaklyIdentified, MeansAnIntervalWiderThanAThirdOfTheValue) {
  ParameterEstimate mu{.name = "mu",
                       .value = 0.3,
                       .sigma = 0.02,
                       .ci95 = {0.26, 0.355},
                       .status = ParameterStatus::kIdentified};
  EXPECT_FALSE(IsWeaklyIdentified(mu));
  mu.ci95 = {0.25, 0.355};
  EXPECT_TRUE(IsWeaklyIdentified(mu));
  mu.status = ParameterStatus::kLowerBound;
  EXPECT_FALSE(IsWeaklyIdentified(mu));
}

// A law that gives the impulses of another is not fitted again, and has what its own fit has.
TEST(FitCoefficients, FitsLawsOfTheSameImpulseOnce) {
  std::mt19937 random(31);
  const impacts::ImpactTable table = NoisySlidingTable(random, 0.3, 0.5, 8, false);
  const auto both = FitCoefficients(table, Bar(), {.laws = {"mirtich", "stronge"}});
  const LawFit alone = FitCoefficients(table, Bar(), {.laws = {"mirtich"}}).front();
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].law, "mirtich");
  EXPECT_EQ(both[0].same_as, "stronge");
  EXPECT_EQ(both[1].same_as, "");
  EXPECT_EQ(alone.same_as, "");
  ASSERT_EQ(both[0].parameters.size(), alone.parameters.size());
  for (std::size_t k = 0; k < alone.parameters.size(); ++k) {
    EXPECT_NEAR(both[0].parameters[k].value, alone.parameters[k].value, 1e-6);
    EXPECT_NEAR(both[0].parameters[k].sigma, alone.parameters[k].sigma,
                1e-4 * alone.parameters[k].sigma);
  }
  EXPECT_NEAR(both[0].cost, alone.cost, 1e-6 * alone.cost);
  EXPECT_FALSE(both[0].static_friction.has_value());
  EXPECT_TRUE(both[1].static_friction.has_value());
  std::vector<std::string> ended;
  FitCoefficients(table, Bar(),
                  {.laws = {"mirtich", "stronge", "newton"},
                   .cross_validate = false,
                   .split_error = false,
                   .on_law = [&](const LawFit& law, int done, int all) {
                     ended.push_back(law.law);
                     EXPECT_EQ(done, std::ssize(ended));
                     EXPECT_EQ(all, 2);
                     EXPECT_TRUE(law.converged);
                   }});
  std::ranges::sort(ended);
  EXPECT_EQ(ended, (std::vector<std::string>{"newton", "stronge"}));
  // A static friction that only one of them has makes them two.
  const auto given = FitCoefficients(
      table, Bar(), {.laws = {"mirtich", "stronge"}, .given = {{"mu_s", {0.5, 0.0}}}});
  EXPECT_EQ(given[0].same_as, "");
}

}  // namespace
}  // namespace percuss::fitting
