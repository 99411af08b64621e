// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Histories of an impact: momentum, kinematics, monotone time; durations and peaks against closed
// forms and the numbers of chatterjee1997 digest AT9, AT11, 4.6 and sun2017 digest 2.2.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <span>
#include <vector>

#include "solver/compliant/spring_laws.h"
#include "solver/restitution/hertz.h"
#include "tests/solver/law/impact_reference.h"

namespace percuss::solver {
namespace {

template <class Law>
ContactHistory HistoryOf(const Contact<double>& contact, const std::vector<double>& parameters,
                         double stiffness) {
  ContactHistory history;
  IntegratePointContact(contact,
                        Law{}.template Model<double>(contact, std::span<const double>(parameters)),
                        {.stiffness = stiffness}, &history);
  return history;
}

Contact<double> HeadOn(double mass, double speed) {
  Contact<double> contact;
  contact.inverse_mass = Eigen::Vector3d(3.0, 3.0, 1.0).asDiagonal();
  contact.inverse_mass /= mass;
  contact.velocity = {0.0, 0.0, -speed};
  return contact;
}

double LargestForce(const ContactHistory& history) {
  double force = 0.0;
  for (const ContactSample& sample : history) force = std::max(force, sample.force[2]);
  return force;
}

double LargestCompression(const ContactHistory& history) {
  double compression = 0.0;
  for (const ContactSample& sample : history) {
    compression = std::max(compression, -sample.displacement[2]);
  }
  return compression;
}

// The trapezoid rule over steps of 0.02 of the model's time is good to about 1e-4 of the impulse.
template <class Law>
void ExpectConsistent(const std::vector<double>& parameters) {
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 1.0);
    ContactHistory history;
    const auto model = Law{}.template Model<double>(contact, std::span<const double>(parameters));
    const auto result = IntegratePointContact(contact, model, {.stiffness = 2e4}, &history);
    ASSERT_GT(history.size(), 50u);
    const auto silent = IntegratePointContact(contact, model);
    EXPECT_NEAR((result.impulse - silent.impulse).norm(), 0.0, 1e-8 * silent.impulse.norm());
    Eigen::Vector3d impulse = Eigen::Vector3d::Zero(), path = Eigen::Vector3d::Zero();
    const Eigen::Matrix3d mass = contact.inverse_mass.inverse();
    for (std::size_t k = 1; k < history.size(); ++k) {
      const ContactSample &before = history[k - 1], &after = history[k];
      const double step = after.time - before.time;
      EXPECT_GE(step, 0.0);
      impulse += 0.5 * step * (before.force + after.force);
      path += 0.5 * step * (before.velocity + after.velocity);
      EXPECT_NEAR((mass * (after.velocity - contact.velocity) - after.impulse).norm(), 0.0,
                  1e-10 * result.impulse.norm());
    }
    const ContactSample& last = history.back();
    EXPECT_NEAR((last.impulse - result.impulse).norm(), 0.0, 1e-9 * result.impulse.norm());
    EXPECT_NEAR((last.velocity - result.contact_velocity).norm(), 0.0,
                1e-9 * contact.velocity.norm());
    EXPECT_NEAR((impulse - last.impulse).norm(), 0.0, 2e-3 * last.impulse.norm()) << i;
    const double reach = contact.velocity.norm() * last.time;
    EXPECT_NEAR((path - last.displacement).norm(), 0.0, 2e-3 * reach) << i;
  }
}

TEST(ContactHistory, ConservesMomentum) {
  ExpectConsistent<PointContactLaw>({0.3, 0.7, 0.8});
  ExpectConsistent<MindlinDeresiewiczLaw>({0.3, 0.3});
  ExpectConsistent<HertzLaw>({0.3});
  ExpectConsistent<BilinearSpring2Law>({0.3, 0.6});
  ExpectConsistent<SpringDashpotLaw>({0.3, 0.2});
  ExpectConsistent<HuntCrossleyLaw>({0.3, 0.2});
}

TEST(ContactHistory, BilinearSpringsTakeTheirTime) {
  const double half_period = std::numbers::pi * std::sqrt(1.0 / 4e5);
  const auto steep = HistoryOf<BilinearSpring1Law>(HeadOn(1.0, 1.0), {0.3, 0.6}, 4e5);
  const auto drop = HistoryOf<BilinearSpring2Law>(HeadOn(1.0, 1.0), {0.3, 0.6}, 4e5);
  EXPECT_NEAR(steep.back().time / half_period, 0.5 * (1.0 + 0.6), 1e-9);
  EXPECT_NEAR(drop.back().time / half_period, 0.5 * (1.0 + 1.0 / 0.6), 1e-9);
  EXPECT_NEAR(-steep.back().displacement[2] / LargestCompression(steep), 1.0 - 0.36, 1e-9);
  EXPECT_NEAR(drop.back().displacement[2], 0.0, 1e-12);
  EXPECT_NEAR(steep.back().velocity[2], 0.6, 1e-10);
  EXPECT_NEAR(drop.back().velocity[2], 0.6, 1e-10);
}

// A disk of 67 g on 2e6 N/m at 0.5 m/s.
TEST(ContactHistory, GivesTheTimeScaleOfTheDisks) {
  const auto history = HistoryOf<BilinearSpring1Law>(HeadOn(0.067, 0.5), {0.3, 1.0}, 2e6);
  EXPECT_NEAR(history.back().time, 0.575e-3, 0.5e-6);
  EXPECT_NEAR(LargestForce(history), 183.0, 0.5);
  EXPECT_NEAR(LargestCompression(history), 9.15e-5, 0.5e-7);
  // One of steel, with 6 times the mass and 40 times the stiffness, compresses sqrt(6/40) as far.
  const auto steel = HistoryOf<BilinearSpring1Law>(HeadOn(6 * 0.067, 0.5), {0.3, 1.0}, 40 * 2e6);
  EXPECT_NEAR(LargestCompression(steel) / LargestCompression(history), 0.387, 5.1e-4);
}

TEST(ContactHistory, OfHertzMatchesTheClosedForm) {
  const auto history = HistoryOf<HertzLaw>(HeadOn(1.0, 1.0), {0.3}, 1e5);
  EXPECT_NEAR(LargestCompression(history), HertzMaximumCompression(1.0, 1.0, 1e5), 1e-11);
  // 2 d_max / v int_0^1 (1 - x^(5/2))^(-1/2) dx = 2.943 d_max / v
  const double integral = std::sqrt(std::numbers::pi) * std::tgamma(1.4) / std::tgamma(0.9);
  EXPECT_NEAR(history.back().time, 2.0 * integral * LargestCompression(history), 1e-10);
  const auto plastic = HistoryOf<HertzPlasticLaw>(HeadOn(1.0, 1.0), {0.3, 0.8}, 1e5);
  EXPECT_NEAR(-plastic.back().displacement[2] / LargestCompression(plastic), 0.36, 1e-9);
}

// Where this spring stops slipping, sticking and slipping hand over to each other without end but
// for rounding. The end must be one of an impact: no approach is left, and no energy is gained.
TEST(ContactHistory, EndsWhereTwoModesMeet) {
  Contact<double> contact;
  contact.inverse_mass << 1.1864579177394377, 0.10474330511318386, -0.21455771483480246,
      0.10474330511318386, 1.2747620437769476, 0.1753673166728778, -0.21455771483480246,
      0.1753673166728778, 1.1250236552151187;
  contact.velocity << 0.77112947152776878, -0.83136722650458073, -0.98065361814593277;
  const std::array<double, 2> parameters = {1.0594154715382762, 0.067024828159581135};
  const ImpactResult<double> result = MindlinDeresiewiczLaw{}.Solve<double>(contact, parameters);
  ASSERT_TRUE(result.impulse.allFinite());
  EXPECT_GT(result.contact_velocity[2], 0.0);
  EXPECT_LE(result.energy.normal_work + result.energy.friction_work, 0.0);
}

}  // namespace
}  // namespace percuss::solver
