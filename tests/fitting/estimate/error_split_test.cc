// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// How the error of a law is split, and which predictions gain energy.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "fitting/estimate/best_of_law.h"
#include "fitting/estimate/comparison.h"
#include "fitting/model/search_grid.h"
#include "solver/solve_impact.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

using impacts::ImpactTable;

// Exact impacts of the law stronge, one after the other with these parameters.
ImpactTable ExactTable(const std::vector<std::array<double, 2>>& mu_and_e) {
  std::mt19937 random(71);
  ImpactTable table;
  for (const auto& [mu, e] : mu_and_e) {
    table.impacts.push_back(ExactImpactInMode(random, "t" + std::to_string(table.impacts.size()),
                                              mu, e, solver::ContactMode::kSlip));
  }
  return table;
}

LawFit Fit(const ImpactTable& table, const std::string& law) {
  return FitCoefficients(table, Bar(), {.laws = {law}, .cross_validate = false}).front();
}

// Truth: exact impacts of the law whose parameters are all shared.
TEST(ErrorSplit, IsZeroForExactImpactsOfTheLaw) {
  const LawFit fit = Fit(ExactTable({{0.2, 0.5}, {0.2, 0.5}, {0.2, 0.5}, {0.2, 0.5}}), "stronge");
  EXPECT_NEAR(fit.error_split.data, 0.0, 1e-6);
  EXPECT_NEAR(fit.error_split.law, 0.0, 1e-5);
  EXPECT_NEAR(fit.error_split.parameters, 0.0, 1e-5);
}

// Truth: exact impacts of the law, each with parameters of its own: nothing is wrong but that they
// are shared.
TEST(ErrorSplit, IsAllParametersWhereEveryImpactHasItsOwn) {
  const LawFit fit =
      Fit(ExactTable({{0.1, 0.3}, {0.2, 0.5}, {0.15, 0.8}, {0.25, 0.6}, {0.12, 0.7}}), "stronge");
  EXPECT_GT(fit.velocity_error_mean, 0.03);
  EXPECT_NEAR(fit.error_split.data, 0.0, 1e-6);
  EXPECT_NEAR(fit.error_split.law, 0.0, 1e-4);
  EXPECT_NEAR(fit.error_split.parameters, fit.velocity_error_mean, 1e-4);
}

// Truth: a velocity that no impulse explains, of a size that is known in the mass norm; the law and
// its parameters are right.
TEST(ErrorSplit, IsAllDataWhereNoImpulseExplainsTheVelocities) {
  ImpactTable table = ExactTable({{0.2, 0.5}, {0.2, 0.5}, {0.2, 0.5}, {0.2, 0.5}});
  double expected = 0.0;
  for (impacts::ImpactRecord& record : table.impacts) {
    // A spin about the contact arm does not move the contact point: it is orthogonal, in the mass
    // norm, to what impulses through that point do.
    const ImpactGeometry geometry = CalcGeometry(record, Bar());
    const Eigen::Vector3d spin = 5.0 * record.r;
    record.w_post += spin;
    Vector6d x = Vector6d::Zero();
    x.tail<3>() = spin;
    expected += MassNorm(geometry, x) / MassNorm(geometry, geometry.before) / 4.0;
  }
  const LawFit fit = Fit(table, "stronge");
  EXPECT_NEAR(fit.error_split.data, expected, 1e-6);
  EXPECT_NEAR(fit.error_split.law, 0.0, 1e-4);
  // The weights of the fit are not those of the mass norm: the parameters move a little.
  EXPECT_GE(fit.error_split.parameters, 0.0);
  EXPECT_NEAR(fit.velocity_error_mean,
              fit.error_split.data + fit.error_split.law + fit.error_split.parameters, 1e-12);
}

// Truth: a fine grid over both parameters.
TEST(BestOfLaw, IsAsGoodAsAFineGrid) {
  std::mt19937 random(72);
  for (const char* name : {"stronge", "newton", "kane-levinson", "anitescu-potra-newton"}) {
    const solver::LawInfo& law = solver::FindLaw(name);
    ASSERT_EQ(law.parameters.size(), 2u) << name;
    const std::vector<Eigen::VectorXd> grid = SearchGrid(law);
    for (int i = 0; i < 5; ++i) {
      const impacts::ImpactRecord record = ExactImpact(random, "t", 0.4, 0.6);
      const solver::Contact<double> contact = CalcGeometry(record, Bar()).contact;
      const Eigen::Matrix3d& A = contact.inverse_mass;
      const Eigen::Vector3d stop = -A.inverse() * contact.velocity;
      const Eigen::Vector3d target =
          stop + 0.6 * stop.norm() * DrawNormal(random, 0.2 * A / A.norm());
      double least = std::numeric_limits<double>::infinity();
      for (double mu = 0.0; mu <= 2.0; mu += 0.02) {
        for (double e = 0.0; e <= 1.0; e += 0.02) {
          const double parameters[] = {mu, e};
          const Eigen::Vector3d off = LawImpulse(name, contact, parameters) - target;
          least = std::min(least, off.dot(A * off));
        }
      }
      const double found = CalcLeastExcess(law, contact, target, TypicalParameters(law), grid);
      EXPECT_LE(std::sqrt(found), 1.01 * std::sqrt(least)) << name << " " << i;
    }
  }
}

// Truth: the kinetic energies of the predicted velocities themselves. A law that cannot gain energy
// has none such; that of Kane and Levinson can (sun2017 1.1.2).
TEST(EnergyGains, AreCountedAsTheEnergiesSay) {
  std::mt19937 random(73);
  ImpactTable table;
  for (int i = 0; i < 20; ++i) {
    table.impacts.push_back(ExactImpact(random, "t" + std::to_string(i), 0.5, 0.9));
  }
  EXPECT_EQ(Fit(table, "stronge").num_energy_gains, 0);
  const LawFit fit = Fit(table, "kane-levinson");
  int expected = 0;
  for (std::size_t i = 0; i < table.impacts.size(); ++i) {
    const ImpactGeometry geometry = CalcGeometry(table.impacts[i], Bar());
    Vector6d after;
    after << fit.trials[i].v_predicted, fit.trials[i].w_predicted;
    expected += MassNorm(geometry, after) > (1.0 + 1e-8) * MassNorm(geometry, geometry.before);
  }
  EXPECT_GT(expected, 0);
  EXPECT_EQ(fit.num_energy_gains, expected);
}

}  // namespace
}  // namespace percuss::fitting
