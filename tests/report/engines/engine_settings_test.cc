// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/engines/engine_settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace percuss::report {
namespace {

// Share of the approach speed that is left where a contact force f(x, v) >= 0 on a unit mass ends:
// the motion integrated by fourth-order Runge-Kutta steps.
double Integrated(double speed, const std::function<double(double x, double v)>& force) {
  constexpr double kStep = 1e-5;
  double x = 0, v = speed;  // x: depth
  const auto pull = [&](double depth, double rate) { return -force(depth, rate); };
  while (true) {
    const double k1 = pull(x, v), k2 = pull(x + 0.5 * kStep * v, v + 0.5 * kStep * k1);
    const double k3 = pull(x + 0.5 * kStep * (v + 0.5 * kStep * k1), v + 0.5 * kStep * k2);
    const double k4 = pull(x + kStep * (v + 0.5 * kStep * k2), v + kStep * k3);
    const double dx = kStep * (v + kStep * (k1 + k2 + k3) / 6);
    const double dv = kStep * (k1 + 2 * k2 + 2 * k3 + k4) / 6;
    if (v + dv < 0 && (x + dx <= 0 || force(x + dx, v + dv) <= 0)) return -v / speed;
    x += dx;
    v += dv;
  }
}

// Truth: the motion, integrated. The end of the contact is found to a step: 1e-5 of its length.
TEST(EngineSettings, DampingRatioGivesTheRestitution) {
  for (const double e : {0.05, 0.2, 0.55, 0.9}) {
    const double z = DampingRatioFor(e);
    EXPECT_NEAR(Integrated(1, [&](double x, double v) { return x + 2 * z * v; }), e, 1e-4) << e;
  }
  EXPECT_NEAR(DampingRatioFor(1), 0, 1e-12);
  EXPECT_NEAR(DampingRatioFor(std::exp(-2.0)), 1, 1e-6);
  EXPECT_THROW(DampingRatioFor(0), std::invalid_argument);
  EXPECT_THROW(DampingRatioFor(1.1), std::invalid_argument);
}

// The same for two forces, linear and of Hertz: the restitution does not depend on which.
TEST(EngineSettings, DissipationGivesTheRestitutionAtItsSpeed) {
  for (const double e : {0.2, 0.55, 0.95}) {
    const double d = DissipationFor(e, 1.7);
    for (const double power : {1.0, 1.5}) {
      const auto force = [&](double x, double v) {
        return x > 0 ? std::pow(x, power) * (1 + d * v) : 0.0;
      };
      EXPECT_NEAR(Integrated(1.7, force), e, 1e-4) << e << " " << power;
    }
  }
  EXPECT_EQ(DissipationFor(1, 2), 0);
  EXPECT_NEAR(DissipationFor(0.5, 2), 0.5 * DissipationFor(0.5, 1), 1e-12);
  EXPECT_THROW(DissipationFor(0.5, 0), std::invalid_argument);
}

ParameterEstimate Parameter(const std::string& name, double value) {
  ParameterEstimate estimate{.name = name};
  estimate.value = value;
  estimate.sigma = 0.01;
  estimate.ci95 = {value - 0.02, value + 0.02};
  estimate.status = fitting::ParameterStatus::kIdentified;
  return estimate;
}

RunFolder MadeUpRun() {
  RunFolder run;
  run.fit.emplace().laws.resize(2);
  LawFit &stronge = run.fit->laws[0], &newton = run.fit->laws[1];
  stronge.law = "stronge";
  stronge.parameters = {Parameter("mu", 0.25), Parameter("e", 0.64)};
  newton.law = "newton";
  newton.parameters = {Parameter("mu", 0.16), Parameter("e", 0.49)};
  ImpactRecord impact;
  impact.trial = "a";
  impact.r = {0, 0, -0.1};
  impact.v = {1, 0, -2};
  impact.w = {0, 5, 0};
  run.impacts = {impact};
  return run;
}

EngineSetting Find(const EngineSettings& engines, const std::string& engine,
                   const std::string& setting) {
  for (const EngineSetting& one : engines.settings) {
    if (one.engine == engine && one.setting == setting) return one;
  }
  ADD_FAILURE() << engine << ": " << setting;
  return {};
}

// By hand: products need the square roots; rules that take the larger, the smaller or 2ab/(a+b)
// give two alike back. Coefficients of newton where the engine sets the ratio of velocities.
TEST(EngineSettings, OfEachEngineByHand) {
  const EngineSettings engines = CalcEngineSettings(MadeUpRun());
  EXPECT_NEAR(engines.speed, 2, 1e-12);
  EXPECT_NEAR(Find(engines, "Bullet", "friction").value, 0.4, 1e-12);
  EXPECT_NEAR(Find(engines, "Bullet", "restitution").value, 0.7, 1e-12);
  EXPECT_EQ(Find(engines, "Bullet", "restitution").law, "newton");
  EXPECT_NEAR(Find(engines, "Bullet", "friction").ci95[0], std::sqrt(0.14), 1e-12);
  EXPECT_NEAR(Find(engines, "DART", "friction coefficient").value, 0.16, 1e-12);
  EXPECT_NEAR(Find(engines, "DART", "restitution coefficient").value, 0.7, 1e-12);
  EXPECT_NEAR(Find(engines, "SDF with ODE", "restitution_coefficient").value, 0.49, 1e-12);
  EXPECT_NEAR(Find(engines, "Drake", "mu_static and mu_dynamic").value, 0.25, 1e-12);
  EXPECT_EQ(Find(engines, "MuJoCo", "friction, sliding").law, "stronge");
  const EngineSetting dissipation = Find(engines, "Drake", "hunt_crossley_dissipation");
  EXPECT_NEAR(dissipation.value, DissipationFor(0.64, 2), 1e-12);
  // More restitution is less dissipation: the ends of the interval change places.
  EXPECT_NEAR(dissipation.ci95[0], DissipationFor(0.66, 2), 1e-12);
  EXPECT_NE(engines.mjcf.find("friction=\"0.25 "), std::string::npos);
  EXPECT_NE(engines.sdf.find("<restitution_coefficient>0.49<"), std::string::npos);
}

TEST(EngineSettings, NoneWhereACoefficientIsNotKnown) {
  RunFolder run = MadeUpRun();
  run.fit->laws[1].parameters[0].status = fitting::ParameterStatus::kLowerBound;
  EXPECT_EQ(Find(CalcEngineSettings(run), "Bullet", "friction").law, "stronge");
  run.fit->laws[0].parameters[0].status = fitting::ParameterStatus::kLowerBound;
  EXPECT_TRUE(CalcEngineSettings(run).settings.empty());
  EXPECT_NE(CalcEngineSettings(run).reason.find("both identified"), std::string::npos);
  run.fit.reset();
  EXPECT_TRUE(CalcEngineSettings(run).settings.empty());
}

}  // namespace
}  // namespace percuss::report
