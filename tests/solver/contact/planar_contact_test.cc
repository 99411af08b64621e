// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Impacts in one plane with linear elements, whose motion is a Taylor series from event to event,
// with dashpots in proportion to the elastic force, in closed form, and with Hertz springs and
// boundary layers, whose equations are shorter there: against the equations in space, which an
// impact with a history goes through; the series alone against the harmonic oscillator.

#include <ceres/jet.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "solver/compliant/boundary_layer.h"
#include "solver/compliant/spring_laws.h"
#include "solver/integration/linear_event_integrator.h"
#include "tests/solver/law/random_impacts.h"

namespace percuss::solver {
namespace {

using Jet = ceres::Jet<double, 9>;  // what a plane holds: u_t, u_n, A_tt, A_tn, A_nn; parameters

Contact<Jet> InPlaneJets(const Contact<double>& contact) {
  Contact<Jet> jets;
  jets.inverse_mass = contact.inverse_mass.cast<Jet>();
  jets.velocity = contact.velocity.cast<Jet>();
  jets.velocity[0].v[0] = jets.velocity[2].v[1] = 1.0;
  jets.inverse_mass(0, 0).v[2] = jets.inverse_mass(2, 2).v[4] = 1.0;
  jets.inverse_mass(0, 2).v[3] = jets.inverse_mass(2, 0).v[3] = 1.0;
  return jets;
}

std::vector<Jet> ParameterJets(const std::vector<double>& parameters) {
  std::vector<Jet> jets;
  for (const double value : parameters) jets.emplace_back(value, 5 + static_cast<int>(jets.size()));
  return jets;
}

// The same impact by the equations in space.
template <class Law>
ImpactResult<Jet> SolveInSpace(const Contact<Jet>& contact, std::span<const Jet> parameters) {
  ContactHistory history;
  const ContactOptions whole_steps{.history_step = std::numeric_limits<double>::infinity()};
  if constexpr (std::is_same_v<Law, BoundaryLayerLaw>) {
    return IntegrateBoundaryLayer<Jet>(contact, {parameters[0], parameters[1], parameters[2]},
                                       whole_steps, &history);
  } else {
    const auto model = Law::Model(contact, parameters);
    return internal::PointContact<Jet, false>(contact, model, whole_steps, nullptr).Solve();
  }
}

// The Runge-Kutta method is good to about 1e-10 of the impulse, its derivatives to some hundred
// times that, since times of events enter them.
template <class Law>
void ExpectAgreement(unsigned seed) {
  constexpr double kValues = 1e-9, kDerivatives = 1e-7;
  constexpr int kImpacts = 150;
  RandomImpacts random(seed);
  for (int i = 0; i < kImpacts; ++i) {
    const Contact<double> contact = random.Next(Motion::kPlanar);
    std::vector<double> parameters = random.Parameters(Law::Info());
    if (Law::Info().name == "boundary-layer") parameters[1] = std::exp(random.Uniform(-1.0, 7.0));
    SCOPED_TRACE("impact " + std::to_string(i));
    const Contact<Jet> jets = InPlaneJets(contact);
    const std::vector<Jet> parameter_jets = ParameterJets(parameters);
    const auto in_plane = Law{}.template Solve<Jet>(jets, parameter_jets);
    const auto in_space = SolveInSpace<Law>(jets, parameter_jets);
    EXPECT_EQ(in_plane.modes, in_space.modes);
    const auto outputs = [](const ImpactResult<Jet>& result) {
      return std::vector<Jet>{result.impulse[0],          result.impulse[2],
                              result.energy.normal_work,  result.energy.friction_work,
                              result.compression_impulse, result.restitution_impulse};
    };
    const std::vector<Jet> actual = outputs(in_plane), expected = outputs(in_space);
    double value = 0.0, derivative = 0.0;
    for (const Jet& output : expected) {
      value = std::max(value, std::abs(output.a));
      derivative = std::max(derivative, output.v.cwiseAbs().maxCoeff());
    }
    for (std::size_t k = 0; k < actual.size(); ++k) {
      EXPECT_NEAR(actual[k].a, expected[k].a, kValues * value) << k;
      EXPECT_NEAR((actual[k].v - expected[k].v).cwiseAbs().maxCoeff(), 0.0,
                  kDerivatives * derivative)
          << k;
    }
    EXPECT_EQ(in_plane.impulse[1].a, 0.0);
  }
}

TEST(PlanarContact, SteepUnloadingWithTangentialSpringIsTheSpatialOne) {
  ExpectAgreement<PointContactLaw>(51);
}

TEST(PlanarContact, DashpotToZeroForceIsTheSpatialOne) { ExpectAgreement<LinearDashpotLaw>(52); }

TEST(PlanarContact, DashpotInProportionIsTheSpatialOne) {
  ExpectAgreement<NonlinearDashpotLaw>(54);
}

TEST(PlanarContact, DashpotOnAHertzSpringIsTheSpatialOne) { ExpectAgreement<HuntCrossleyLaw>(55); }

TEST(PlanarContact, DashpotToZeroCompressionIsTheSpatialOne) {
  ExpectAgreement<SpringDashpotLaw>(53);
}

TEST(PlanarContact, HertzSpringWithTangentialSpringIsTheSpatialOne) {
  ExpectAgreement<MindlinDeresiewiczLaw>(56);
}

// Truth: the work of a lossless spring depends on its compression alone, so that without a
// tangential spring the impulse is that of `stronge` with e = 1, in closed form.
TEST(PlanarContact, RigidHertzContactIsLosslessStronge) {
  RandomImpacts random(58);
  for (int i = 0; i < 150; ++i) {
    const Contact<double> contact = random.Next(Motion::kPlanar);
    const std::vector<double> parameters = random.Parameters(HertzLaw::Info());
    SCOPED_TRACE("impact " + std::to_string(i));
    const auto hertz = IntegratePointContact(
        contact, HertzLaw::Model(contact, std::span<const double>(parameters)));
    const auto stronge = HertzLaw{}.Solve<double>(contact, parameters);
    EXPECT_LT((hertz.impulse - stronge.impulse).norm(), 1e-9 * stronge.impulse.norm());
    EXPECT_EQ(hertz.modes, stronge.modes);
  }
}

TEST(PlanarContact, BoundaryLayerIsTheSpatialOne) { ExpectAgreement<BoundaryLayerLaw>(57); }

// An oscillator x'' = -omega^2 x with a clock.
template <typename T>
struct Oscillator {
  static constexpr std::size_t kSize = 3, kEvents = 1;
  T omega = T(1), level = T(0);

  std::array<T, 3> Rate(const std::array<T, 3>& z, double one) const {
    return {z[1], -omega * omega * z[0], T(one)};
  }
  bool IsPossible(std::size_t) const { return true; }
  T Event(std::size_t, const std::array<T, 3>& z, double one) const { return z[0] - level * one; }
  std::pair<T, T> Power(const std::array<T, 3>& z, double) const { return {z[1], z[1]}; }
};

// It starts on the event, from x = 0 downwards, which does not count.
TEST(LinearEventIntegrator, OscillatorRisesThroughZeroAfterHalfAPeriod) {
  using OneJet = ceres::Jet<double, 1>;
  const OneJet omega(1.7, 0);
  LinearEventIntegrator<Oscillator, OneJet> integrator({omega, OneJet(0.0)}, {1.7, 0.0},
                                                       {OneJet(0.0), -omega, OneJet(0.0)});
  std::size_t event = integrator.kNoEvent;
  for (int step = 0; step < 20 && event == integrator.kNoEvent; ++step) event = integrator.Step();
  ASSERT_EQ(event, 0u);
  const OneJet time = std::numbers::pi / omega;
  const OneJet work = omega * omega * time / 2.0;  // int (omega cos(omega t))^2 dt
  EXPECT_NEAR(integrator.state()[2].a, time.a, 1e-13);
  EXPECT_NEAR(integrator.state()[2].v[0], time.v[0], 1e-12);
  EXPECT_NEAR(integrator.state()[1].a, omega.a, 1e-13);
  EXPECT_NEAR(integrator.state()[1].v[0], 1.0, 1e-12);
  EXPECT_NEAR(integrator.work().a, work.a, 1e-13);
  EXPECT_NEAR(integrator.work().v[0], work.v[0], 1e-12);
}

TEST(LinearEventIntegrator, AnEventThatIsPastAndStaysSoHappensAtOnce) {
  LinearEventIntegrator<Oscillator, double> integrator({1.0, 0.0}, {1.0, 0.0}, {1.0, 0.5, 0.0});
  EXPECT_EQ(integrator.Step(), 0u);
  EXPECT_EQ(integrator.state()[2], 0.0);
}

// Above the level for 0.009 of a period's 6.3 only.
TEST(LinearEventIntegrator, FindsAnEventThatGoesBackAtOnce) {
  const double level = 1.0 - 1e-5, start = -1.0;
  LinearEventIntegrator<Oscillator, double> integrator({1.0, level}, {1.0, level},
                                                       {std::cos(start), -std::sin(start), start});
  std::size_t event = integrator.kNoEvent;
  for (int step = 0; step < 3 && event == integrator.kNoEvent; ++step) event = integrator.Step();
  ASSERT_EQ(event, 0u);
  EXPECT_NEAR(integrator.state()[2], -std::acos(level), 1e-12 / std::sqrt(2e-5));
}

TEST(LinearEventIntegrator, StaysFiniteWithoutAnEvent) {
  LinearEventIntegrator<Oscillator, double> integrator({0.0, 2.0}, {0.0, 2.0}, {1.0, 0.0, 0.0});
  EXPECT_EQ(integrator.Step(), integrator.kNoEvent);
  EXPECT_FALSE(integrator.failed());
  EXPECT_TRUE(std::isfinite(integrator.state()[2]));
}

TEST(LinearEventIntegrator, SaysSoWhereARateIsNotFinite) {
  const double infinite = std::numeric_limits<double>::infinity();
  LinearEventIntegrator<Oscillator, double> integrator({infinite, 0.0}, {infinite, 0.0},
                                                       {1.0, 0.0, 0.0});
  integrator.Step();
  EXPECT_TRUE(integrator.failed());
}

}  // namespace
}  // namespace percuss::solver
