// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/engines/engine_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "report/facts/by_trial.h"
#include "report/overlay/body_drawing.h"
#include "solver/restitution/restitution_curves.h"

namespace percuss::report {
namespace {

// MuJoCo: undamped frequency of the contact [rad/s] and time step [s]. A contact lasts some 3 ms
// and 60 steps; the bodies overlap by 1 mm for each m/s of approach at most.
constexpr double kFrequency = 1000, kTimeStep = 5e-5;
constexpr double kLeastRestitution = 1e-3;  // a damped spring cannot have none

void CheckRestitution(const char* function, double e) {
  if (!(e > 0 && e <= 1)) {
    throw std::invalid_argument(
        fmt::format("{}: e: found {}, allowed above 0 up to 1", function, e));
  }
}

/// Where a rising function of [low, high] is zero.
double Root(double low, double high, const std::function<double(double)>& function) {
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    (function(middle) < 0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

const ParameterEstimate* Identified(const LawFit& law, const std::string& name) {
  const auto found = std::ranges::find(law.parameters, name, &ParameterEstimate::name);
  const bool known = found != law.parameters.end() && fitting::IsKnown(*found);
  return known ? &*found : nullptr;
}

bool HasBoth(const LawFit& law) {
  return Identified(law, "mu") != nullptr && Identified(law, "e") != nullptr;
}

/// Median speed at which the contact points approach the surface.
double ApproachSpeed(const RunFolder& run) {
  std::vector<double> speeds;
  const std::vector<ImpulseDiagram> none;
  const ByTrial impulses(run.impulses.empty() ? none : run.impulses.front().second);
  for (const ImpactRecord& impact : run.impacts) {
    const ImpulseDiagram* impulse = impulses.Find(impact.trial);
    const Eigen::Vector3d normal = impulse ? impulse->normal : Eigen::Vector3d(0, 0, 1);
    const Eigen::Vector3d u = impact.v + impact.w.cross(impact.r);
    if (u.allFinite() && u.dot(normal) < 0) speeds.push_back(-u.dot(normal));
  }
  if (speeds.empty()) return kNaN;
  std::ranges::nth_element(speeds, speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 2));
  return speeds[speeds.size() / 2];
}

/// A coefficient of a law with a function of it.
struct Source {
  std::string law;
  const ParameterEstimate* parameter;

  EngineSetting Make(const std::string& engine, const std::string& setting, const std::string& unit,
                     const std::string& rule, const std::function<double(double)>& function) const {
    return MakeEngineSetting({engine, setting, kNaN, {}, unit, law, rule}, *parameter, function);
  }
};

double Same(double value) { return value; }
double Root2(double value) { return std::sqrt(std::max(0.0, value)); }
double Clamped(double e) { return std::clamp(e, kLeastRestitution, 1.0); }
double MujocoDamping(double e) { return 2 * DampingRatioFor(Clamped(e)) * kFrequency; }

std::string Mjcf(double mu, double damping) {
  return fmt::format(
      "<option timestep=\"{}\" cone=\"elliptic\"/>\n"
      "<default>\n"
      "  <geom friction=\"{:.6g} 0.005 0.0001\" condim=\"3\" solref=\"{:.6g} {:.6g}\"\n"
      "        solimp=\"0.999 0.999 0.001\"/>\n"
      "</default>\n",
      kTimeStep, mu, -kFrequency * kFrequency, -damping);
}

std::string Sdf(double mu, double e) {
  return fmt::format(
      "<surface>\n"
      "  <friction><ode><mu>{0:.6g}</mu><mu2>{0:.6g}</mu2></ode></friction>\n"
      "  <bounce><restitution_coefficient>{1:.6g}</restitution_coefficient>"
      "<threshold>0</threshold></bounce>\n"
      "</surface>\n",
      mu, e);
}

}  // namespace

std::optional<Coefficients> CoefficientsOf(const fitting::FitReport& fit, const std::string& law) {
  const auto preferred = [&](const LawFit& one) { return one.law == law && HasBoth(one); };
  auto found = std::ranges::find_if(fit.laws, preferred);
  if (found == fit.laws.end()) found = std::ranges::find_if(fit.laws, HasBoth);
  if (found == fit.laws.end()) return std::nullopt;
  return Coefficients{found->law, Identified(*found, "mu"), Identified(*found, "e")};
}

EngineSetting MakeEngineSetting(EngineSetting setting, const ParameterEstimate& coefficient,
                                const std::function<double(double)>& function) {
  const auto [low, high] = coefficient.ci95;
  setting.value = function(coefficient.value);
  setting.ci95 = {std::isfinite(low) ? function(low) : kNaN,
                  std::isfinite(high) ? function(high) : kNaN};
  if (setting.ci95[0] > setting.ci95[1]) std::swap(setting.ci95[0], setting.ci95[1]);
  return setting;
}

double DampingRatioFor(double e) {
  CheckRestitution("DampingRatioFor", e);
  // Heavy damping leaves 1 / (4 z^2).
  const double most = 1 / std::sqrt(e) + 1;
  return Root(0, most, [&](double z) { return e - solver::RestitutionOfLinearDashpot(z); });
}

double DissipationFor(double e, double speed) {
  CheckRestitution("DissipationFor", e);
  if (!(speed > 0 && std::isfinite(speed))) {
    throw std::invalid_argument(
        fmt::format("DissipationFor: speed: found {}, allowed above 0", speed));
  }
  if (e == 1) return 0;
  // Below the root the energy stored on the way in exceeds that given back, above it falls short.
  const auto missing = [&](double z) { return -e * z - std::log1p(-e * z) - (z - std::log1p(z)); };
  constexpr double kSmall = 1e-9;  // below it the logarithms cancel
  return Root(kSmall, (1 - kSmall) / e, missing) / speed;
}

EngineSettings CalcEngineSettings(const RunFolder& run) {
  EngineSettings engines;
  if (!run.fit) return {.reason = "There are no coefficients."};
  const std::optional<Coefficients> ratio = CoefficientsOf(*run.fit, "newton");
  const std::optional<Coefficients> in_time = CoefficientsOf(*run.fit, "stronge");
  if (!ratio || !in_time) {
    return {.reason =
                "Engines need one number for friction and one for restitution. No law of this fit "
                "has mu and e both identified by the data, so none are given."};
  }
  engines.speed = ApproachSpeed(run);
  const Source mu{ratio->law, ratio->mu}, e{ratio->law, ratio->e};
  const Source mu_in_time{in_time->law, in_time->mu}, e_in_time{in_time->law, in_time->e};
  const EngineSetting damping = e_in_time.Make("MuJoCo", "solref, damping (negative)", "1/s",
                                               "of two alike the same", MujocoDamping);
  engines.settings = {
      mu_in_time.Make("MuJoCo", "friction, sliding", "-", "the larger", Same), damping,
      mu.Make("Bullet", "friction", "-", "product", Root2),
      e.Make("Bullet", "restitution", "-", "product", Root2),
      mu_in_time.Make("Drake", "mu_static and mu_dynamic", "-", "2 a b / (a + b)", Same)};
  if (engines.speed > 0) {
    engines.settings.push_back(e_in_time.Make(
        "Drake", "hunt_crossley_dissipation", "s/m", "of two alike the same",
        [&](double value) { return DissipationFor(Clamped(value), engines.speed); }));
  }
  const std::vector<EngineSetting> rest = {
      mu.Make("DART", "friction coefficient", "-", "the smaller", Same),
      e.Make("DART", "restitution coefficient", "-", "product", Root2),
      mu.Make("SDF with ODE", "mu and mu2", "-", "the smaller", Same),
      e.Make("SDF with ODE", "restitution_coefficient", "-", "the smaller", Same),
      mu.Make("SDF with DART", "mu and mu2", "-", "the smaller", Same),
      e.Make("SDF with DART", "restitution_coefficient", "-", "product", Root2)};
  engines.settings.insert(engines.settings.end(), rest.begin(), rest.end());
  engines.mjcf = Mjcf(mu_in_time.parameter->value, damping.value);
  engines.sdf = Sdf(mu.parameter->value, e.parameter->value);
  return engines;
}

}  // namespace percuss::report
