// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/next_drop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <span>

#include "fitting/model/impact_model.h"
#include "solver/rigid/sliding_friction.h"
#include "solver/solve_impact.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

constexpr double kNextDropMu = 0.26, kNextDropE = 0.55;

/// An impact in exact agreement with the law, `coefficients` as the law takes them: mu, e (, mu_s).
impacts::ImpactRecord ImpactWith(std::span<const double> coefficients, const NextDrop& drop,
                                 const impacts::ImpactCovariance& covariance) {
  impacts::ImpactRecord record = DropImpact(Bar(), drop);
  const ImpactGeometry geometry = CalcGeometry(record, Bar());
  const Vector6d after =
      geometry.before + geometry.velocity_per_impulse *
                            solver::SolveImpact("stronge", geometry.contact, coefficients).impulse;
  record.v_post = after.head<3>();
  record.w_post = after.tail<3>();
  record.covariance = covariance;
  return record;
}

impacts::ImpactRecord Impact(const NextDrop& drop, const impacts::ImpactCovariance& covariance) {
  return ImpactWith(std::array{kNextDropMu, kNextDropE}, drop, covariance);
}

// Truth: the fit itself, with the advised drop added to its table. All impacts are exact and have
// the same covariance, so that the two differ only by what intervals cost in the drop's own
// weights.
TEST(NextDrop, PromisesWhatTheFitThenFinds) {
  std::mt19937 random(3);
  impacts::ImpactTable table;
  const impacts::ImpactCovariance covariance = TrackerCovariance(random);
  for (const double incidence : {40.0, 50.0, 60.0}) {
    table.impacts.push_back(Impact({25, 10, incidence, 2.0, {}, 0.0, {}}, covariance));
  }
  FitOptions options;
  options.cross_validate = false;
  const LawFit before = FitCoefficients(table, Bar(), options).front();
  const NextDropAdvice advice = AdviseNextDrop(before, PrepareImpacts(table, Bar()));
  ASSERT_TRUE(advice.usable) << advice.reason;
  ASSERT_EQ(advice.per_parameter.size(), 2u);
  EXPECT_EQ(advice.per_parameter[0].first, "mu");
  EXPECT_EQ(advice.per_parameter[1].first, "e");

  table.impacts.push_back(Impact(advice.d_optimal, covariance));
  const LawFit after = FitCoefficients(table, Bar(), options).front();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(after.parameters[i].sigma / before.parameters[i].sigma,
                advice.d_optimal.interval_factors[i].second, 0.01)
        << advice.per_parameter[i].first;
    EXPECT_LE(advice.per_parameter[i].second.interval_factors[i].second,
              advice.d_optimal.interval_factors[i].second);
    EXPECT_LT(advice.d_optimal.interval_factors[i].second, 0.9);
  }
}

// Truth: the fit itself, with the advised landing on a face added to its table.
TEST(NextDrop, PromisesWhatALandingOnAFaceThenTells) {
  std::mt19937 random(3);
  impacts::ImpactTable table;
  const impacts::ImpactCovariance covariance = TrackerCovariance(random);
  for (const double incidence : {40.0, 50.0, 60.0})
    table.impacts.push_back(Impact({25, 10, incidence, 2.0, {}, 0.0, {}}, covariance));
  FitOptions options;
  options.cross_validate = false;
  options.laws = {"multi-point"};
  const LawFit before = FitCoefficients(table, Bar(), options).front();
  const NextDropAdvice advice =
      AdviseNextDrop(before, PrepareImpacts(table, Bar()),
                     {.pitch_deg = {0}, .roll_deg = {0}, .incidence_deg = {30}, .speed = {3}});
  ASSERT_TRUE(advice.usable) << advice.reason;
  ASSERT_EQ(advice.d_optimal.pitch_deg, 0.0);  // not on its end, which is in the grid, too
  const NextDrop flat{0, 0, 30, 3, {}, 0.0, {}};
  impacts::ImpactRecord landing = DropImpact(Bar(), flat);
  ImpactGeometry geometry = CalcGeometry(landing, Bar());
  const Eigen::Vector3d half = 0.5 * std::get<solver::Box>(Bar().shape).size;
  for (const double x : {-half.x(), half.x()}) {
    for (const double y : {-half.y(), half.y()}) geometry.touching.emplace_back(x, y, -half.z());
  }
  const Vector6d after =
      geometry.before + SolveLaw("multi-point", geometry, std::array{kNextDropMu, kNextDropE}).jump;
  landing.v_post = after.head<3>();
  landing.w_post = after.tail<3>();
  landing.covariance = covariance;
  table.impacts.push_back(landing);
  const LawFit with = FitCoefficients(table, Bar(), options).front();
  for (std::size_t i = 0; i < 2; ++i) {
    const double promised = advice.d_optimal.interval_factors[i].second;
    EXPECT_NEAR(with.parameters[i].sigma / before.parameters[i].sigma, promised, 0.03) << i;
    EXPECT_LT(promised, 0.95) << i;
  }
}

// Truth: Coulomb. Where mu is known from below only, an impact that sticks says nothing more about
// it; one that slips does.
TEST(NextDrop, WhereMuHasOnlyALowerBoundItAsksForAnImpactThatSlips) {
  std::mt19937 random(5);
  impacts::ImpactTable table;
  table.impacts.push_back(Impact({25, 10, 0, 2.0, {}, 0.0, {}}, TrackerCovariance(random)));
  LawFit fit;
  fit.law = "stronge";
  fit.converged = true;
  fit.num_used = 1;
  fit.interval_scale = 1.0;
  fit.trials.resize(1);
  fit.trials[0].used = true;
  fit.covariance = Eigen::Vector2d(kNaN, 1e-4).asDiagonal();
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  fit.parameters = {{"mu", 0.15, kNaN, {0.15, kOpen}, ParameterStatus::kLowerBound, 0.4},
                    {"e",
                     kNextDropE,
                     0.01,
                     {kNextDropE - 0.02, kNextDropE + 0.02},
                     ParameterStatus::kIdentified,
                     kNextDropE}};
  const NextDropAdvice advice = AdviseNextDrop(fit, PrepareImpacts(table, Bar()));
  ASSERT_TRUE(advice.usable) << advice.reason;
  EXPECT_EQ(advice.per_parameter[0].second.modes, std::vector<std::string>{"slip"});
  EXPECT_LT(advice.per_parameter[0].second.interval_factors[0].second, 0.2);
  EXPECT_EQ(advice.d_optimal.modes, std::vector<std::string>{"slip"});
}

constexpr double kSlipping = 0.15, kTruthStatic = 0.5;

impacts::ImpactRecord StaticImpact(const NextDrop& drop,
                                   const impacts::ImpactCovariance& covariance) {
  return ImpactWith(std::array{kSlipping, kNextDropE, kTruthStatic}, drop, covariance);
}

// Truth: mu_s = 0.5. Advised drops, made and added to the table one after the other, first bound it
// from above; then each about halves where it may be, and none loses it.
TEST(NextDrop, BisectsStaticFriction) {
  std::mt19937 random(3);
  const impacts::ImpactCovariance covariance = 0.1 * TrackerCovariance(random);
  impacts::ImpactTable table;
  for (const double incidence : {40.0, 50.0, 60.0})
    table.impacts.push_back(StaticImpact({25, 10, incidence, 2.0, {}, 0.0, {}}, covariance));
  double width = kNaN;
  for (int k = 0; k < 7; ++k) {
    const LawFit fit =
        FitCoefficients(table, Bar(), {.cross_validate = false, .split_error = false}).front();
    const NextDropAdvice advice = AdviseNextDrop(fit, PrepareImpacts(table, Bar()));
    ASSERT_TRUE(advice.static_friction);
    const StaticFrictionDrop& found = *advice.static_friction;
    ASSERT_TRUE(found.usable) << found.reason;
    EXPECT_LE(found.between[0], kTruthStatic) << k;
    const double now = found.between[1] - found.between[0];
    if (!found.open_above) {
      EXPECT_GE(found.between[1], kTruthStatic) << k;
      if (std::isfinite(width)) EXPECT_LT(now, 0.65 * width) << k;
      width = now;
    }
    EXPECT_NEAR(found.critical_friction, 0.5 * (found.between[0] + found.between[1]), 0.15 * now);
    EXPECT_NEAR(found.drop.interval_factors.at(0).second, 0.5, 0.05);
    const ImpactGeometry geometry = CalcGeometry(DropImpact(Bar(), found.drop), Bar());
    EXPECT_DOUBLE_EQ(solver::CriticalFriction(geometry.contact), found.critical_friction);
    table.impacts.push_back(StaticImpact(found.drop, covariance));
  }
  EXPECT_LT(width, 0.1);
}

TEST(NextDrop, SaysWhyNoDropTellsStaticFriction) {
  std::mt19937 random(5);
  const auto advise = [&](const ParameterEstimate& mu_s, double noise) {
    impacts::ImpactTable table;
    table.impacts.push_back(
        StaticImpact({25, 10, 0, 2.0, {}, 0.0, {}}, noise * TrackerCovariance(random)));
    LawFit fit{.law = "stronge", .converged = true};
    fit.num_used = 1;
    fit.interval_scale = 1.0;
    fit.trials.resize(1);
    fit.trials[0].used = true;
    fit.covariance = Eigen::Vector3d(1e-4, 1e-4, 1e-4).asDiagonal();
    const auto known = ParameterStatus::kIdentified;
    fit.parameters = {{"mu", kSlipping, 0.01, {0.13, 0.17}, known, kSlipping},
                      {"e", kNextDropE, 0.01, {0.53, 0.57}, known, kNextDropE}};
    if (mu_s.status == ParameterStatus::kGiven) {
      fit.parameters.push_back(mu_s);
    } else {
      fit.static_friction = mu_s;
    }
    return AdviseNextDrop(fit, PrepareImpacts(table, Bar()));
  };
  const auto between = [](double low, double high, ParameterStatus status) {
    return ParameterEstimate{"mu_s", 0.5 * (low + high), kNaN, {low, high}, status, high};
  };
  using enum ParameterStatus;
  EXPECT_THAT(advise(between(0.5, 0.5 + 1e-7, kIdentified), 1.0).static_friction->reason,
              ::testing::HasSubstr("no drop of the grid stops with a critical friction from 0.5 "));
  EXPECT_THAT(advise(between(0.4, 0.6, kIdentified), 1e6).static_friction->reason,
              ::testing::HasSubstr("too little to be measured"));
  EXPECT_THAT(advise(between(0.5, 0.5, kGiven), 1.0).static_friction->reason,
              ::testing::HasSubstr("exactly 0.5"));
  const NextDropAdvice given = advise(between(0.4, 0.6, kGiven), 0.1);
  EXPECT_FALSE(given.usable);  // of the others, which are not all fitted
  EXPECT_TRUE(given.static_friction->usable) << given.static_friction->reason;
}

TEST(NextDrop, NamesWhatIsWrong) {
  const impacts::ImpactTable table;
  const auto message = [&](const DropGrid& grid) -> std::string {
    try {
      AdviseNextDrop({}, PrepareImpacts(table, Bar()), grid);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(message({.speed = {1.0, 0.0}}), "speed: found 0, allowed above 0 and below 1000");
  EXPECT_EQ(message({.pitch_deg = {}}), "pitch_deg: found none, allowed one or more");
  EXPECT_FALSE(AdviseNextDrop({}, PrepareImpacts(table, Bar())).usable);
}

}  // namespace
}  // namespace percuss::fitting
