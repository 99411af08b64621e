// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Darboux-Keller impact against the slow independent integration of impact_reference.h.

#include <gtest/gtest.h>

#include <array>

#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"
#include "tests/solver/law/impact_reference.h"

namespace percuss::solver {
namespace {

void ExpectAgreement(const Contact<double>& contact, double mu, double e, int law_index) {
  const auto restitution = static_cast<RestitutionHypothesis>(law_index);
  constexpr std::array<const char*, 3> kNames = {"newton", "poisson", "stronge"};
  const ImpactResult<double> result =
      SolveImpact(kNames[static_cast<std::size_t>(law_index)], contact, std::array{mu, e});
  const reference::Outcome outcome =
      reference::Integrator(contact, mu, e, restitution, 0.05L).Solve();
  EXPECT_LT((result.impulse - outcome.impulse).norm(), 1e-9 * outcome.impulse.norm());
  EXPECT_NEAR(result.compression_impulse, outcome.compression_impulse,
              1e-9 * outcome.compression_impulse);
  const bool stopped = result.modes.size() > 1;
  EXPECT_EQ(stopped, outcome.stopped);
  if (stopped) {
    EXPECT_EQ(result.modes.back() == ContactMode::kStick, outcome.stuck);
  }
}

// mu up to 1.2, e over [0, 1], condition of A up to 1e4; every tenth grazes.
TEST(DarbouxKeller, AgreesWithSlowIntegrationOnRandomContacts) {
  std::mt19937 random(20170930);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 240; ++i) {
    SCOPED_TRACE(i);
    Contact<double> contact = reference::RandomContact(random, 4.0 * uniform(random));
    const double mu = 1.2 * uniform(random);
    const double e = uniform(random);
    if (i % 10 == 0) contact.velocity[2] *= 1e-6;
    if (i % 10 < 4) contact.velocity.head<2>() *= 0.1;  // so that many stop
    ExpectAgreement(contact, mu, e, i % 3);
  }
}

// Slip that stops and resumes elsewhere is rare: low friction, strong coupling, slow slip against
// the drift.
TEST(DarbouxKeller, AgreesWithSlowIntegrationWhereSlipReverses) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform;
  int reversed = 0;
  for (int i = 0; i < 20000 && reversed < 30; ++i) {
    Contact<double> contact = reference::RandomContact(random, 2.0);
    const Eigen::Vector2d drift = contact.inverse_mass.topRightCorner<2, 1>();
    contact.velocity.head<2>() = -0.3 * uniform(random) * drift.normalized();
    const double mu = 0.6 * uniform(random);
    const double e = uniform(random);
    const ImpactResult<double> result = SolveImpact("stronge", contact, std::array{mu, e});
    if (result.modes.back() != ContactMode::kReverseSlip) continue;
    SCOPED_TRACE(i);
    ++reversed;
    ExpectAgreement(contact, mu, e, i % 3);
  }
  EXPECT_EQ(reversed, 30);
}

TEST(DarbouxKeller, AgreesWithSlowIntegrationFromRest) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform;
  int slid = 0;
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(i);
    Contact<double> contact = reference::RandomContact(random, 2.0);
    contact.velocity.head<2>().setZero();
    const double mu = uniform(random);
    const double e = uniform(random);
    const ImpactResult<double> result = SolveImpact("poisson", contact, std::array{mu, e});
    slid += result.sun_case == "6";
    EXPECT_TRUE(result.sun_case == "5" || result.sun_case == "6");
    ExpectAgreement(contact, mu, e, i % 3);
  }
  EXPECT_GT(slid, 5);
}

// With a strong coupling and mu above A_nn / |A_tn| friction can drive the bodies together faster
// than they push apart: u_n falls at first and the slip must stop before compression can end.
TEST(DarbouxKeller, AgreesWithSlowIntegrationWhereSlipJams) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform;
  int jammed = 0;
  for (int i = 0; i < 20000 && jammed < 20; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 3.0);
    const double mu = 0.2 + uniform(random);
    const Eigen::Vector2d t = contact.velocity.head<2>().normalized();
    const double rise =
        contact.inverse_mass(2, 2) - mu * contact.inverse_mass.topRightCorner<2, 1>().dot(t);
    if (rise > 0.0) continue;
    SCOPED_TRACE(i);
    ++jammed;
    ExpectAgreement(contact, mu, uniform(random), i % 3);
  }
  EXPECT_EQ(jammed, 20);
}

}  // namespace
}  // namespace percuss::solver
