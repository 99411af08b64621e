// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Truth of the spatial Darboux-Keller laws: 10,000 random contacts against the independent
// integration of impact_reference.h, in four cases that can run side by side.

#include <gtest/gtest.h>

#include <array>

#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"
#include "tests/solver/law/impact_reference.h"

namespace percuss::solver {
namespace {

class DarbouxKellerAccuracy : public testing::TestWithParam<int> {};

// mu up to 1.2, e over [0, 1], condition of A up to 1e4; every tenth grazes, four of ten slip
// slowly so that many stop, and jams come of themselves.
TEST_P(DarbouxKellerAccuracy, IsBetterThanOnePartInABillion) {
  constexpr std::array kLaws = {RestitutionHypothesis::kNewton, RestitutionHypothesis::kPoisson,
                                RestitutionHypothesis::kStronge};
  constexpr std::array kNames = {"newton", "poisson", "stronge"};
  std::mt19937 random(static_cast<unsigned>(100 + GetParam()));
  std::uniform_real_distribution<double> uniform;
  int jammed = 0, stopped = 0;
  for (std::size_t i = 0; i < 2500; ++i) {
    Contact<double> contact = reference::RandomContact(random, 4.0 * uniform(random));
    const double mu = 1.2 * uniform(random);
    const double e = uniform(random);
    if (i % 10 == 0) contact.velocity[2] *= 1e-6;
    if (i % 10 < 4) contact.velocity.head<2>() *= 0.1;
    const ImpactResult<double> result = SolveImpact(kNames[i % 3], contact, std::array{mu, e});
    const reference::Outcome outcome =
        reference::Integrator(contact, mu, e, kLaws[i % 3], 0.05L).Solve();
    EXPECT_LT((result.impulse - outcome.impulse).norm(), 1e-9 * outcome.impulse.norm()) << i;
    const Eigen::Vector2d t = contact.velocity.head<2>().normalized();
    jammed += contact.inverse_mass(2, 2) < mu * contact.inverse_mass.topRightCorner<2, 1>().dot(t);
    stopped += outcome.stopped;
  }
  EXPECT_GT(jammed, 50);
  EXPECT_GT(stopped, 500);
}

INSTANTIATE_TEST_SUITE_P(Quarters, DarbouxKellerAccuracy, testing::Range(0, 4));

}  // namespace
}  // namespace percuss::solver
