// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/impulse_path.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "solver/law/impact_law.h"
#include "solver/restitution/restitution_coefficients.h"
#include "solver/solve_impact.h"
#include "tests/solver/law/impact_reference.h"

namespace percuss::solver {
namespace {

using Eigen::Vector3d;

// Truth: the equations themselves, dj/dp = -mu u_t / |u_t| in small steps of the midpoint rule.
// Slip that stops is left out: then the sliding direction has no meaning.
TEST(ImpulsePath, FollowsTheSlipOfTheEquations) {
  std::mt19937 random(7);
  int checked = 0;
  for (int i = 0; checked < 20 && i < 400; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 1.0);
    const double mu = 0.2;
    const ImpactResult<double> result = SolveImpact("stronge", contact, std::array{mu, 0.6});
    if (result.modes.size() != 1 || result.modes.front() != ContactMode::kSlip) continue;
    ++checked;
    const ImpulsePath path = FollowImpulse("stronge", contact, std::array{mu, 0.6});
    const auto rate = [&](const Vector3d& P) -> Vector3d {
      const Vector3d u = contact.velocity + contact.inverse_mass * P;
      const Eigen::Vector2d push = -mu * u.head<2>().normalized();
      return {push.x(), push.y(), 1.0};
    };
    Vector3d P = Vector3d::Zero();
    for (const Vector3d& point : path.points) {
      constexpr int kSteps = 400;
      const double step = (point.z() - P.z()) / kSteps;
      for (int k = 0; k < kSteps; ++k) P += step * rate(P + 0.5 * step * rate(P));
      ASSERT_LT((P - point).norm(), 1e-5 * result.impulse.norm()) << i;
    }
  }
  EXPECT_EQ(checked, 20);
}

TEST(ImpulsePath, RunsFromZeroThroughCompressionToTheImpulseOfTheLaw) {
  std::mt19937 random(11);
  for (int i = 0; i < 300; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 2.0);
    for (const char* law : {"newton", "poisson", "stronge"}) {
      const std::array parameters = {0.5, 0.7};
      const ImpactResult<double> result = SolveImpact(law, contact, parameters);
      const ImpulsePath path = FollowImpulse(law, contact, parameters, 25);
      EXPECT_EQ(path.points.front(), Vector3d::Zero());
      EXPECT_EQ(path.points.back(), result.impulse);
      const double scale = result.impulse.norm();
      for (std::size_t k = 1; k < path.points.size(); ++k) {
        EXPECT_GT(path.points[k].z(), path.points[k - 1].z());
        EXPECT_LE(path.points[k].head<2>().norm(), 0.5 * path.points[k].z() + 1e-9 * scale);
      }
      const Vector3d u = contact.velocity + contact.inverse_mass * path.compression_end;
      EXPECT_NEAR(u.z(), 0.0, 1e-9 * contact.velocity.norm());
      EXPECT_LE(path.compression_end.z(), result.impulse.z() * (1 + 1e-12));
    }
  }
}

// Truth: the law whose e it is, and Poisson's impact, of which that law with this e makes the same.
TEST(ImpulsePath, GivesTheEnergeticRestitutionOfALaw) {
  std::mt19937 random(19);
  int differ = 0;
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    const Contact<double> contact = reference::RandomContact(random, 2.0);
    const auto energetic = [&](const char* law) {
      const std::array parameters = {0.5, 0.7};
      const ImpactResult<double> result = SolveImpact(law, contact, parameters);
      return StrongeRestitution(result.energy.normal_work,
                                CompressionWork(law, contact, parameters));
    };
    EXPECT_NEAR(energetic("stronge"), 0.7, 1e-9);
    const double e = energetic("poisson");
    if (!(e <= 1.0)) continue;
    if (std::abs(e - 0.7) > 0.01) ++differ;
    const Vector3d poisson = SolveImpact("poisson", contact, std::array{0.5, 0.7}).impulse;
    const Vector3d stronge = SolveImpact("stronge", contact, std::array{0.5, e}).impulse;
    EXPECT_LT((poisson - stronge).norm(), 1e-7 * poisson.norm());
  }
  EXPECT_GT(differ, 50);
  const Contact<double> contact = reference::RandomContact(random, 1.0);
  EXPECT_TRUE(std::isnan(CompressionWork("smith", contact, std::array{0.3, 0.5})));
  EXPECT_TRUE(std::isnan(StrongeRestitution(-0.1, 0.0)));
}

TEST(ImpulsePath, IsEmptyForLawsThatKnowTheEndAlone) {
  std::mt19937 random(3);
  const Contact<double> contact = reference::RandomContact(random, 1.0);
  const ImpulsePath path = FollowImpulse("anitescu-potra-newton", contact, std::array{0.3, 0.5});
  EXPECT_TRUE(path.points.empty());
  EXPECT_TRUE(path.compression_end.hasNaN());
}

TEST(ImpulsePath, RefusesWhatNoImpactIs) {
  std::mt19937 random(3);
  Contact<double> contact = reference::RandomContact(random, 1.0);
  EXPECT_THROW(FollowImpulse("stronge", contact, std::array{0.3, 0.5}, 0), std::invalid_argument);
  contact.velocity.z() = 1.0;
  EXPECT_THROW(FollowImpulse("stronge", contact, std::array{0.3, 0.5}), std::invalid_argument);
}

}  // namespace
}  // namespace percuss::solver
