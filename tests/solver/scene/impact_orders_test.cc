// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/scene/impact_orders.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace percuss::solver {
namespace {

using Eigen::Vector3d;

SceneModel BallsInARow(const std::vector<double>& masses, const std::vector<double>& speeds,
                       double e) {
  SceneModel model;
  for (std::size_t k = 0; k < masses.size(); ++k) {
    SceneBody body;
    body.name = std::string(1, static_cast<char>('a' + k));
    body.body.shape = Sphere{0.02};
    body.body.mass = masses[k];
    body.body.inertia = Eigen::Matrix3d::Identity() * (0.4 * masses[k] * 4e-4);
    body.start.p_WB = {0.04 * static_cast<double>(k), 0.0, 0.0};
    body.start.v = {speeds[k], 0.0, 0.0};
    body.velocity_given = body.angular_velocity_given = true;
    model.bodies.push_back(body);
  }
  model.law = "stronge";
  model.parameters = {0.0, e};
  model.gravity = Vector3d::Zero();
  return model;
}

std::vector<double> Speeds(const OrderedOutcome& outcome) {
  std::vector<double> speeds;
  for (const FlightState<double>& body : outcome.impact.after.bodies) speeds.push_back(body.v.x());
  return speeds;
}

// One after the other along the row, the pair `first` of (0, 1), (1, 2) at first.
std::array<double, 3> Struck(std::array<double, 3> m, std::array<double, 3> v, double e,
                             int first) {
  for (int pair = first, strike = 0; strike < 100; pair = 1 - pair, ++strike) {
    const double approach = v[pair] - v[pair + 1];
    if (approach <= 0.0) continue;
    const double p = (1.0 + e) * approach / (1.0 / m[pair] + 1.0 / m[pair + 1]);
    v[pair] -= p / m[pair];
    v[pair + 1] += p / m[pair + 1];
  }
  return v;
}

// chatterjee1997 Fig. 10.1: which of two balls strikes the third first decides.
TEST(ImpactOrders, OfThreeBallsHaveTwoOutcomesThatMirrorEachOther) {
  const ImpactOrders orders = SolveInAllOrders(BallsInARow({0.1, 0.2, 0.1}, {1, 0, -1}, 0.5));
  ASSERT_EQ(orders.outcomes.size(), 2U);
  EXPECT_TRUE(orders.complete);
  EXPECT_EQ(orders.num_failed, 0);
  EXPECT_NEAR(orders.probability, 1.0, 1e-12);
  EXPECT_NEAR(orders.outcomes[0].probability, 0.5, 1e-12);
  const std::vector<double> one = Speeds(orders.outcomes[0]), other = Speeds(orders.outcomes[1]);
  // Two mirrored orders; which of them comes first is of no account.
  const bool left_first = one[1] * Struck({0.1, 0.2, 0.1}, {1, 0, -1}, 0.5, 0)[1] > 0.0;
  const std::array<double, 3> truth = Struck({0.1, 0.2, 0.1}, {1, 0, -1}, 0.5, left_first ? 0 : 1);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(one[k], -other[2 - k], 1e-12);
    EXPECT_NEAR(one[k], truth[k], 1e-12);
    const double off = 0.5 * std::abs(one[k] - other[k]);
    EXPECT_NEAR(orders.bodies[k].v_sd.x(), off, 1e-12);
    EXPECT_NEAR(orders.bodies[k].v_mean.x(), 0.5 * (one[k] + other[k]), 1e-12);
  }
  EXPECT_GT(std::abs(one[1]), 0.05);
  for (const OrderedOutcome& outcome : orders.outcomes) {
    const std::vector<double> v = Speeds(outcome);
    EXPECT_NEAR(0.1 * v[0] + 0.2 * v[1] + 0.1 * v[2], 0.0, 1e-12);
    EXPECT_LE(outcome.impact.event.energy_after, outcome.impact.event.energy_before);
  }
}

TEST(ImpactOrders, OfEqualElasticBallsDoNotMatter) {
  const ImpactOrders orders = SolveInAllOrders(BallsInARow({0.1, 0.1, 0.1}, {1, 0, -1}, 1.0));
  EXPECT_EQ(orders.num_orders, 2);
  ASSERT_EQ(orders.outcomes.size(), 1U);
  EXPECT_EQ(orders.outcomes[0].num_orders, 2);
  EXPECT_NEAR(orders.outcomes[0].probability, 1.0, 1e-12);
  EXPECT_NEAR(orders.bodies[0].v_sd.norm(), 0.0, 1e-12);
  EXPECT_NEAR(orders.bodies[0].v_mean.x(), -1.0, 1e-12);
}

// Four pairs that close at once may go on in a million orders: some are drawn, and tell mean and
// spread as well as so many can.
TEST(ImpactOrders, AreDrawnWhereTheyAreTooMany) {
  const SceneModel model = BallsInARow({0.1, 0.2, 0.1, 0.2, 0.1}, {2, 1, 0, -1, -2}, 0.2);
  const ImpactOrders few = SolveInAllOrders(model, {}, 400);
  EXPECT_FALSE(few.complete);
  EXPECT_EQ(few.num_orders, 400);
  EXPECT_NEAR(few.probability, 1.0, 1e-9);
  const ImpactOrders more = SolveInAllOrders(model, {}, 4000);
  for (int k = 0; k < 5; ++k) {
    const double sd = more.bodies[k].v_sd.x();
    EXPECT_GT(sd, 0.0);
    EXPECT_NEAR(few.bodies[k].v_mean.x(), more.bodies[k].v_mean.x(), 4.0 * sd / 20.0);
    // Orders come in mirrored pairs.
    EXPECT_NEAR(more.bodies[k].v_mean.x(), -more.bodies[4 - k].v_mean.x(), 4.0 * sd / 60.0);
  }
}

}  // namespace
}  // namespace percuss::solver
