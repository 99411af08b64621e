// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/estimate/static_friction.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "fitting/estimate/coefficient_fit.h"
#include "fitting/impulse_diagram.h"
#include "solver/rigid/sliding_friction.h"
#include "solver/solve_impact.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

constexpr double kKineticMu = 0.15, kRestitution = 0.5;

/// Impacts whose contact stops and may hold: their critical friction is above mu. Errors are drawn
/// from their covariance.
impacts::ImpactTable StoppingImpacts(std::mt19937& random, int count, double mu_s) {
  impacts::ImpactTable table;
  while (std::ssize(table.impacts) < count) {
    const std::string name = std::to_string(table.impacts.size());
    impacts::ImpactRecord record = ExactImpact(random, name, kKineticMu, kRestitution);
    const Impact impact = PrepareImpact(record, {}, Bar());
    const solver::Contact<double>& contact = impact.geometry.contact;
    const double critical = solver::CriticalFriction(contact);
    if (!(critical > kKineticMu) || critical > 1.5) continue;
    const auto impulse = [&](double sticking) {
      const double parameters[] = {kKineticMu, kRestitution, sticking};
      return solver::SolveImpact("stronge", contact, parameters).impulse;
    };
    if ((impulse(kKineticMu) - impulse(1e3)).norm() < 1e-3 * impulse(1e3).norm()) continue;
    const Vector6d after =
        impact.geometry.before + impact.geometry.velocity_per_impulse * impulse(mu_s);
    record.v_post = after.head<3>();
    record.w_post = after.tail<3>();
    record.covariance = 0.1 * TrackerCovariance(random);
    AddError(DrawNormal(random, *record.covariance), record);
    table.impacts.push_back(record);
  }
  return table;
}

LawFit FitStopping(const impacts::ImpactTable& table, const GivenParameters& given = {}) {
  return FitCoefficients(table, Bar(), {.given = given, .cross_validate = false}).front();
}

// Drops on both sides of the stick limit: the interval holds the truth 19 times in 20, and closes.
TEST(StaticFriction, IsFoundFromDropsNearTheStickLimit) {
  constexpr double kStatic = 0.5;
  std::mt19937 random(6);
  int held = 0, closed = 0;
  constexpr int kTables = 12;
  for (int k = 0; k < kTables; ++k) {
    const LawFit fit = FitStopping(StoppingImpacts(random, 12, kStatic));
    ASSERT_TRUE(fit.static_friction);
    const ParameterEstimate& mu_s = *fit.static_friction;
    held += mu_s.ci95[0] <= kStatic && kStatic <= mu_s.ci95[1];
    closed += mu_s.status == ParameterStatus::kIdentified;
  }
  EXPECT_GE(held, 10);
  EXPECT_GE(closed, 9);
}

// What was given as mu_s is what the impacts are predicted with.
TEST(StaticFriction, ThatIsGivenIsUsed) {
  std::mt19937 random(7);
  const impacts::ImpactTable table = StoppingImpacts(random, 12, 0.5);
  const LawFit without = FitStopping(table), with = FitStopping(table, {{"mu_s", {0.5, 0.05}}});
  EXPECT_LT(without.cost_probability, 1e-6);
  EXPECT_GT(with.cost_probability, 1e-3);
  EXPECT_NEAR(with.parameters[0].value, kKineticMu, 4.0 * with.parameters[0].sigma);
  EXPECT_NEAR(with.parameters[1].value, kRestitution, 4.0 * with.parameters[1].sigma);
  EXPECT_FALSE(with.static_friction);
  EXPECT_FALSE(with.agreement);  // no fit estimates mu_s that it could be compared with
  const auto diagrams = CalcImpulseDiagrams(PrepareImpacts(table, Bar()), with);
  for (std::size_t i = 0; i < diagrams.size(); ++i)
    EXPECT_LT((diagrams[i].path.back() - with.trials[i].impulse_predicted).norm(),
              1e-6 * with.trials[i].impulse_predicted.norm())
        << i;
}

// Where all slip on, mu_s lies between mu and the least critical friction; where none stops,
// nothing is known.
TEST(StaticFriction, IsBoundedByDropsOnOneSide) {
  std::mt19937 random(8);
  const LawFit slips = FitStopping(StoppingImpacts(random, 8, kKineticMu));
  EXPECT_EQ(slips.static_friction->status, ParameterStatus::kUpperBound);
  EXPECT_GT(slips.static_friction->value, kKineticMu);
  const LawFit sticks = FitStopping(StoppingImpacts(random, 8, 2.0));
  EXPECT_EQ(sticks.static_friction->status, ParameterStatus::kLowerBound);
  EXPECT_LT(sticks.static_friction->value, 1.5);
  std::mt19937 other(9);
  const LawFit slide = FitStopping(NoisySlidingTable(other, 0.26, 0.55, 4, false));
  EXPECT_EQ(slide.static_friction->status, ParameterStatus::kUnidentified);
}

}  // namespace
}  // namespace percuss::fitting
