// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/model/coefficient_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "fitting/estimate/coefficient_fit.h"
#include "fitting/estimate/estimator.h"
#include "fitting/model/impact_model.h"
#include "solver/solve_impact.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

using impacts::ImpactRecord;

const solver::LawInfo& Stronge() { return solver::FindLaw("stronge"); }

// Sets the state after the impact by the law with these parameters.
void SetAfter(double mu, double e, ImpactRecord& record) {
  const ImpactGeometry geometry = CalcGeometry(record, Bar());
  const Vector6d after =
      geometry.before +
      geometry.velocity_per_impulse * LawImpulse("stronge", geometry.contact, std::array{mu, e});
  record.v_post = after.head<3>();
  record.w_post = after.tail<3>();
}

double TangentialSpeed(const ImpactRecord& record) {
  return CalcGeometry(record, Bar()).contact.velocity.head<2>().norm();
}

TEST(CoefficientModel, FollowsItsFormulas) {
  const Eigen::Vector3d velocity(0.6, 0.8, -2.0);  // speeds 1 and 2 m/s
  const auto value = [&](const char* name, double a, double b) {
    const CoefficientModel model(Stronge(), {{"e", FindParameterModel(name)}}, {}, {}, {});
    return model.Parameters(Eigen::Vector3d(0.3, a, b), velocity, 0)[1];
  };
  EXPECT_DOUBLE_EQ(value("linear-normal", 0.9, -0.1), 0.7);
  EXPECT_DOUBLE_EQ(value("linear-tangential", 0.9, -0.1), 0.8);
  EXPECT_DOUBLE_EQ(value("power-normal", 0.8, -0.25), 0.8 * std::pow(2.0, -0.25));
  EXPECT_DOUBLE_EQ(value("loss-normal", 0.2, 0.5), 1.0 - 0.2 * std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(value("linear-incidence", 0.9, -0.1), 0.9 - 0.1 * std::atan(0.5));
  // Clamped to the bounds of the law, 0 and 1.
  EXPECT_EQ(value("linear-normal", 0.9, -1.0), 0.0);
  EXPECT_EQ(value("linear-normal", 0.9, 1.0), 1.0);
}

TEST(CoefficientModel, NamesItsCoefficientsAndRefusesUnknownOnes) {
  const CoefficientModel model(Stronge(), {{"e", FindParameterModel("loss-normal")}}, {}, {}, {});
  ASSERT_EQ(model.num_coefficients(), 3);
  EXPECT_EQ(model.coefficients()[1].name, "e.loss");
  EXPECT_EQ(model.coefficients()[2].name, "e.exponent");
  EXPECT_TRUE(CoefficientModel(Stronge()).is_plain());
  EXPECT_THROW(FindParameterModel("quadratic"), std::invalid_argument);
  EXPECT_THROW(CoefficientModel(Stronge(), {{"f", {}}}, {}, {}, {}), std::invalid_argument);
}

// A column of the table, less its mean over the impacts.
TEST(CoefficientModel, FollowsAColumn) {
  ImpactRecord near, far, without;
  near.extra["place"] = "0.1";
  far.extra["place"] = "0.3";
  without.extra["place"] = "edge";
  EXPECT_EQ(NumberIn(near, "place"), 0.1);
  EXPECT_TRUE(std::isnan(NumberIn(without, "place")));
  EXPECT_TRUE(std::isnan(NumberIn(near, "other")));
  for (const char* name : {"linear:place", "quadratic:place"}) {
    EXPECT_EQ(NameOf(FindParameterModel(name)), name);
  }
  EXPECT_THROW(FindParameterModel("quadratic:"), std::invalid_argument);
  const CoefficientModel model(Stronge(), {{"e", FindParameterModel("quadratic:place")}}, {}, {},
                               {&near, &far});
  ASSERT_EQ(model.num_coefficients(), 4);
  EXPECT_EQ(model.coefficients()[3].name, "e.curvature");
  const Eigen::Vector4d coefficients(0.3, 0.6, -0.5, 4.0);
  const Eigen::Vector3d velocity(1.0, 0.0, -2.0);
  const auto values = model.Evaluate(coefficients, velocity, 0, model.CenteredColumns(far));
  EXPECT_NEAR(values.parameters[1], 0.6 - 0.5 * 0.1 + 4.0 * 0.01, 1e-12);
  EXPECT_LT((values.by_coefficients.row(1) - Eigen::RowVector4d(0.0, 1.0, 0.1, 0.01)).norm(),
            1e-12);
  EXPECT_EQ(values.by_velocity.norm(), 0.0);
  EXPECT_EQ(model.Parameters(coefficients, velocity, 0)[1], 0.6);  // at the mean
  const Eigen::VectorXd typical = model.CoefficientsOf(Eigen::Vector2d(0.3, 0.6));
  EXPECT_LT((typical - Eigen::Vector4d(0.3, 0.6, 0.0, 0.0)).norm(), 1e-12);
}

// k b^2 of a layer: one coefficient from which k follows, b at any value.
TEST(CoefficientModel, TakesAProductWhereOnlyThatCounts) {
  const solver::LawInfo& law = solver::FindLaw("boundary-layer-material");
  const Eigen::Vector3d velocity(1.0, 0.0, -2.0);
  const CoefficientModel model(law);
  ASSERT_EQ(model.num_coefficients(), 3);
  EXPECT_EQ(model.coefficients()[1].name, "k b^2");
  EXPECT_FALSE(model.is_plain());
  ASSERT_EQ(model.products().size(), 1u);
  EXPECT_EQ(model.products()[0].parameters, (std::vector<std::string>{"k", "b"}));
  const auto values = model.Evaluate(Eigen::Vector3d(0.3, 2.0, 0.4), velocity, 0);
  EXPECT_NEAR(values.parameters[1] * std::pow(values.parameters[2], 2), 2.0, 1e-12);
  EXPECT_NEAR(values.by_coefficients(1, 1) * std::pow(values.parameters[2], 2), 1.0, 1e-12);
  EXPECT_EQ(values.by_coefficients.row(2).norm(), 0.0);
  const Eigen::Vector3d back = model.CoefficientsOf(Eigen::Vector4d(0.3, 8e6, 5e-4, 0.4));
  EXPECT_LT((back - Eigen::Vector3d(0.3, 2.0, 0.4)).norm(), 1e-12);
  // With one of the two given there is nothing to hold.
  const CoefficientModel given(law, {}, {{"b", {5e-4, 0.0}}}, {}, {});
  EXPECT_EQ(given.coefficients()[1].name, "k");
  EXPECT_TRUE(given.products().empty());
  EXPECT_EQ(given.Parameters(Eigen::Vector3d(0.3, 8e6, 0.4), velocity, 0)[1], 8e6);
}

TEST(CoefficientModel, AProductDiffersByGroupWhereAFactorDoes) {
  ImpactRecord steel, brass;
  steel.extra["surface"] = "steel";
  brass.extra["surface"] = "brass";
  const CoefficientModel model(solver::FindLaw("boundary-layer-material"), {}, {},
                               {.column = "surface", .parameters = {"b"}}, {&steel, &brass});
  ASSERT_EQ(model.num_coefficients(), 4);
  EXPECT_EQ(model.coefficients()[1].name, "k b^2[brass]");
  EXPECT_EQ(model.coefficients()[2].name, "k b^2[steel]");
  const auto k = [&](const ImpactRecord& record) {
    return model.Parameters(Eigen::Vector4d(0.3, 1.0, 4.0, 0.4), {1.0, 0.0, -2.0},
                            model.GroupOf(record))[1];
  };
  EXPECT_NEAR(k(steel), 4.0 * k(brass), 1e-6 * k(steel));
}

// Derivatives by the coefficients and by the errors of the state, against differences: the speed is
// of the state before the impact and moves the parameter along.
TEST(CoefficientModel, DerivativesAgreeWithDifferences) {
  std::mt19937 random(3);
  const ImpactRecord record = ExactImpactInMode(random, "t", 0.26, 0.5, solver::ContactMode::kSlip);
  const ImpactErrors errors{.own = ErrorCovariance(ErrorCovariance::Identity())};  // all there are
  const solver::Body bar = Bar();
  for (const char* name :
       {"linear-normal", "linear-tangential", "power-normal", "power-tangential", "loss-normal",
        "loss-tangential", "linear-incidence", "power-incidence"}) {
    const CoefficientModel model(Stronge(), {{"e", FindParameterModel(name)}}, {}, {}, {});
    const Eigen::Vector3d coefficients(0.26, 0.45, 0.12);
    const auto residual = [&](const Eigen::Vector3d& at, const ImpactRecord& with) {
      const Impact impact = PrepareImpact(with, errors, bar);
      return SharedLawProblem(Stronge(), {&impact}, model).CalcResiduals(at);
    };
    const Impact impact = PrepareImpact(record, errors, bar);
    const SharedLawProblem problem(Stronge(), {&impact}, model);
    Eigen::MatrixXd derivatives;
    problem.CalcResiduals(coefficients, &derivatives);
    const SharedLawProblem::ErrorJacobian by_errors =
        problem.CalcErrorJacobians(coefficients).front();
    constexpr double kStep = 1e-6;
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d step = kStep * Eigen::Vector3d::Unit(k);
      const Eigen::VectorXd slope =
          (residual(coefficients + step, record) - residual(coefficients - step, record)) /
          (2.0 * kStep);
      EXPECT_LT((slope - derivatives.col(k)).norm(), 1e-6 * (1.0 + slope.norm())) << name << k;
      ImpactRecord ahead = record;
      ImpactRecord behind = record;
      ahead.v += step;
      behind.v -= step;
      const Eigen::VectorXd by_v =
          (residual(coefficients, ahead) - residual(coefficients, behind)) / (2.0 * kStep);
      EXPECT_LT((by_v - by_errors.col(impacts::kV + k)).norm(), 1e-6 * (1.0 + by_v.norm()))
          << name << k;
    }
  }
}

// Exact impacts of e = 0.7 - 0.1 u: the linear model finds both coefficients, and is preferred.
TEST(CoefficientModel, FindsASlopeThatIsThere) {
  std::mt19937 random(5);
  impacts::ImpactTable table;
  for (int i = 0; i < 20; ++i) {
    ImpactRecord record =
        ExactImpactInMode(random, "t" + std::to_string(i), 0.26, 0.5, solver::ContactMode::kSlip);
    SetAfter(0.26, 0.7 - 0.1 * TangentialSpeed(record), record);
    record.covariance = TrackerCovariance(random);
    AddError(DrawNormal(random, *record.covariance), record);
    table.impacts.push_back(record);
  }
  FitOptions options{.models = {{"e", FindParameterModel("linear-tangential")}},
                     .cross_validate = false};
  const LawFit linear = FitCoefficients(table, Bar(), options).front();
  const double truth[] = {0.26, 0.7, -0.1};
  ASSERT_EQ(linear.parameters.size(), 3U);
  for (size_t k = 0; k < 3; ++k) {
    const ParameterEstimate& parameter = linear.parameters[k];
    EXPECT_EQ(parameter.status, ParameterStatus::kIdentified);
    EXPECT_NEAR(parameter.value, truth[k], 4.0 * parameter.sigma) << parameter.name;
    EXPECT_LT(parameter.sigma, 0.03) << parameter.name;
  }
  options.models = {};
  const LawFit constant = FitCoefficients(table, Bar(), options).front();
  EXPECT_LT(linear.aicc, constant.aicc - 10.0);
}

// A plate whose restitution has its summit at one place: found where trials carry the place, and an
// impact without one is left out.
TEST(CoefficientModel, FindsWhereOnAPlateItWasStruck) {
  std::mt19937 random(8);
  impacts::ImpactTable table;
  double mean = 0.0;
  for (int i = 0; i < 30; ++i) {
    ImpactRecord record =
        ExactImpactInMode(random, "t" + std::to_string(i), 0.26, 0.5, solver::ContactMode::kSlip);
    const double place = 0.02 * i;
    mean += place / 30.0;
    SetAfter(0.26, 0.6 - 2.0 * std::pow(place - 0.2, 2), record);
    record.extra["place"] = std::to_string(place);
    record.covariance = TrackerCovariance(random);
    AddError(DrawNormal(random, *record.covariance), record);
    table.impacts.push_back(record);
  }
  table.impacts.push_back(table.impacts.back());
  table.impacts.back().extra.erase("place");
  FitOptions options{.models = {{"e", FindParameterModel("quadratic:place")}}};
  const LawFit placed = FitCoefficients(table, Bar(), options).front();
  const double truth[] = {0.26, 0.6 - 2.0 * std::pow(mean - 0.2, 2), -4.0 * (mean - 0.2), -2.0};
  ASSERT_EQ(placed.parameters.size(), 4U);
  for (size_t k = 0; k < 4; ++k) {
    const ParameterEstimate& parameter = placed.parameters[k];
    EXPECT_EQ(parameter.status, ParameterStatus::kIdentified);
    EXPECT_NEAR(parameter.value, truth[k], 4.0 * parameter.sigma) << parameter.name;
  }
  EXPECT_EQ(placed.num_used, 30);
  EXPECT_EQ(placed.trials.back().reason, "it has no number in the column place of a model");
  options.models = {};
  table.impacts.pop_back();
  const LawFit constant = FitCoefficients(table, Bar(), options).front();
  EXPECT_LT(placed.aicc, constant.aicc - 10.0);
  EXPECT_LT(placed.cross_validated_velocity_error_mean,
            constant.cross_validated_velocity_error_mean);
}

// Two surfaces with a friction of their own and one restitution: values by name of the group.
// The finding of chatterjee1997 chapter 12: a ratio of impulses that grows with the incidence,
// which no constant mu explains.
TEST(CoefficientModel, FindsAFrictionThatGrowsWithTheIncidence) {
  std::mt19937 random(7);
  impacts::ImpactTable table;
  while (table.impacts.size() < 20) {
    ImpactRecord record = ExactImpactInMode(random, "t" + std::to_string(table.impacts.size()), 0.4,
                                            0.5, solver::ContactMode::kSlip);
    const double slip = TangentialSpeed(record);
    const double approach = -CalcGeometry(record, Bar()).contact.velocity.z();
    SetAfter(0.1 + 0.2 * std::atan2(slip, approach), 0.5, record);
    record.covariance = TrackerCovariance(random);
    AddError(DrawNormal(random, *record.covariance), record);
    table.impacts.push_back(record);
  }
  FitOptions options{.models = {{"mu", FindParameterModel("linear-incidence")}},
                     .cross_validate = false};
  const LawFit linear = FitCoefficients(table, Bar(), options).front();
  ASSERT_EQ(linear.parameters[1].name, "mu.slope");
  EXPECT_NEAR(linear.parameters[0].value, 0.1, 4.0 * linear.parameters[0].sigma);
  EXPECT_NEAR(linear.parameters[1].value, 0.2, 4.0 * linear.parameters[1].sigma);
  EXPECT_GT(linear.parameters[1].value, 4.0 * linear.parameters[1].sigma);
  options.models = {};
  EXPECT_LT(linear.aicc, FitCoefficients(table, Bar(), options).front().aicc - 10.0);
}

TEST(CoefficientModel, TellsGroupsApart) {
  std::mt19937 random(6);
  impacts::ImpactTable table;
  for (int i = 0; i < 16; ++i) {
    const bool steel = i % 2 == 0;
    ImpactRecord record = ExactImpactInMode(random, "t" + std::to_string(i), steel ? 0.15 : 0.3,
                                            0.5, solver::ContactMode::kSlip);
    record.extra["surface"] = steel ? "steel" : "wood";
    record.covariance = TrackerCovariance(random);
    AddError(DrawNormal(random, *record.covariance), record);
    table.impacts.push_back(record);
  }
  table.impacts.push_back(table.impacts.front());
  table.impacts.back().extra.clear();
  const FitOptions options{.grouping = {"surface", {"mu"}}, .cross_validate = false};
  const LawFit fit = FitCoefficients(table, Bar(), options).front();
  ASSERT_EQ(fit.parameters.size(), 3U);
  EXPECT_EQ(fit.parameters[0].name, "mu[steel]");
  EXPECT_EQ(fit.parameters[1].name, "mu[wood]");
  EXPECT_EQ(fit.parameters[2].name, "e");
  const double truth[] = {0.15, 0.3, 0.5};
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(fit.parameters[k].value, truth[k], 4.0 * fit.parameters[k].sigma);
  }
  EXPECT_EQ(fit.num_used, 16);
  EXPECT_EQ(fit.trials.back().reason, "it has no group: there is no column surface");
}

}  // namespace
}  // namespace percuss::fitting
