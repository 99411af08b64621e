// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/next_drop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>

#include "fitting/model/impact_model.h"
#include "solver/solve_impact.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

constexpr double kNextDropMu = 0.26, kNextDropE = 0.55;

impacts::ImpactRecord Impact(const NextDrop& drop, const impacts::ImpactCovariance& covariance) {
  impacts::ImpactRecord record = DropImpact(Bar(), drop);
  const ImpactGeometry geometry = CalcGeometry(record, Bar());
  const Vector6d after =
      geometry.before +
      geometry.velocity_per_impulse *
          solver::SolveImpact("stronge", geometry.contact, std::array{kNextDropMu, kNextDropE})
              .impulse;
  record.v_post = after.head<3>();
  record.w_post = after.tail<3>();
  record.covariance = covariance;
  return record;
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
