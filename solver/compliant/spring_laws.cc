// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/compliant/spring_laws.h"

#include "solver/law/common_parameters.h"

namespace percuss::solver {
namespace {

/// Optional; says how the force rises, which does not change the impulse.
ParameterInfo ForceExponent() {
  return {.name = "n",
          .lower = 1.0,
          .upper = 10.0,
          .typical = 1.5,
          .meaning = "exponent of F = k d^n; 3/2 if left out; sets force and time alone"};
}

}  // namespace

const LawInfo& PointContactLaw::Info() {
  static const LawInfo info{
      .name = "point-contact",
      .summary = "lossy linear normal spring, linear tangential spring, Coulomb point",
      .source = "chatterjee1997 5.2.4, 8.4 (I1)",
      .parameters = {FrictionCoefficient(),
                     EnergeticRestitution(),
                     {.name = "stiffness_ratio",
                      .upper = 100.0,
                      .typical = 0.8,
                      .meaning = "tangential over normal stiffness, k_t/k_n"}},
      .integrated = true};
  return info;
}

const LawInfo& HertzLaw::Info() {
  static const LawInfo info{.name = "hertz",
                            .summary = "lossless Hertz contact (the impulse of stronge, e = 1)",
                            .source = "chatterjee1997 5.2.1; sun2017 (1.10)",
                            .parameters = {FrictionCoefficient()},
                            .optional_parameters = {ForceExponent()}};
  return info;
}

const LawInfo& MindlinDeresiewiczLaw::Info() {
  static const LawInfo info{
      .name = "mindlin-deresiewicz",
      .summary = "Hertz contact with Mindlin's tangential stiffness, without partial slip",
      .source = "chatterjee1997 5.2.2 (I4)",
      .parameters = {FrictionCoefficient(),
                     {.name = "nu",
                      .upper = 0.5,
                      .typical = 0.3,
                      .meaning = "Poisson's ratio of both bodies"}},
      .integrated = true};
  return info;
}

const LawInfo& NonlinearDashpotLaw::Info() {
  static const LawInfo info{.name = "nonlinear-dashpot",
                            .summary = "linear spring with a dashpot in proportion to compression",
                            .source = "chatterjee1997 (8.2), (8.3) (I7)",
                            .parameters = {FrictionCoefficient(),
                                           {.name = "c_over_k",
                                            .typical = 0.3,
                                            .meaning = "dashpot over spring constant, c/k [s/m]"}},
                            .integrated = true};
  return info;
}

const LawInfo& HuntCrossleyLaw::Info() {
  static const LawInfo info{
      .name = "hunt-crossley",
      .summary = "Hertz contact with a dashpot in proportion to its force",
      .source = "sun2017 (1.12) (Hunt and Crossley 1975)",
      .parameters = {FrictionCoefficient(),
                     {.name = "alpha",
                      .typical = 0.2,
                      .meaning = "2 lambda / (3 k): slope of 1 - e at low speed [s/m]"}},
      .optional_parameters = {ForceExponent()},
      .integrated = true};
  return info;
}

const LawInfo& LinearDashpotLaw::Info() {
  static const LawInfo info{
      .name = "linear-dashpot",
      .summary = "linear spring and dashpot until the force is zero",
      .source = "chatterjee1997 8.3, (8.4) (I8)",
      .parameters = {FrictionCoefficient(),
                     {.name = "zeta",
                      .upper = 100.0,
                      .typical = 0.2,
                      .meaning = "damping ratio c / (2 sqrt(k m)), m = 1/A_nn"}},
      .integrated = true};
  return info;
}

const LawInfo& SpringDashpotLaw::Info() {
  static const LawInfo info{
      .name = "spring-dashpot",
      .summary = "linear spring and dashpot until the compression is zero; pulls at the end",
      .source = "sun2017 (1.9)",
      .parameters = {FrictionCoefficient(),
                     {.name = "zeta",
                      .upper = 0.99,
                      .typical = 0.2,
                      .meaning = "damping ratio c / (2 sqrt(k m)), m = 1/A_nn"}},
      .coulomb = false,
      .integrated = true};
  return info;
}

template <>
const LawInfo& BilinearSpring1Law::Info() {
  static const LawInfo info{.name = "bilinear-spring-1",
                            .summary = "linear spring, unloading steeper (the impulse of stronge)",
                            .source = "chatterjee1997 8.4, approach 1 (I9)",
                            .parameters = {FrictionCoefficient(), EnergeticRestitution()},
                            .same_as = "stronge"};
  return info;
}

template <>
const LawInfo& BilinearSpring2Law::Info() {
  static const LawInfo info{
      .name = "bilinear-spring-2",
      .summary = "linear spring, force drops at maximum compression (the impulse of stronge)",
      .source = "chatterjee1997 8.4, approach 2 (I10)",
      .parameters = {FrictionCoefficient(), EnergeticRestitution()},
      .same_as = "stronge"};
  return info;
}

const LawInfo& HertzPlasticLaw::Info() {
  static const LawInfo info{
      .name = "hertz-plastic",
      .summary = "Hertz contact with a permanent indentation (the impulse of stronge)",
      .source = "sun2017 (1.10)",
      .parameters = {FrictionCoefficient(),
                     NormalRestitution("restitution; d_p / d_max = 1 - e^2")},
      .optional_parameters = {ForceExponent()},
      .same_as = "stronge"};
  return info;
}

const LawInfo& SpeedDependentLaw::Info() {
  static const LawInfo info{
      .name = "speed-dependent",
      .summary = "stronge with e = 1 - alpha |u_n|^m",
      .source = "sun2017 (1.21)",
      .parameters = {
          FrictionCoefficient(),
          {.name = "alpha", .typical = 0.2, .meaning = "1 - e at an approach of 1 m/s [(s/m)^m]"},
          {.name = "m", .typical = 0.25, .meaning = "exponent of the approach speed"}}};
  return info;
}

const LawInfo& StrongeWavesLaw::Info() {
  static const LawInfo info{
      .name = "stronge-waves",
      .summary = "stronge less the share of the work that leaves as waves, e^2 - w |u_n|^m",
      .source = "sun2017 1.2.6 (Stronge 1995)",
      .parameters = {FrictionCoefficient(),
                     NormalRestitution("restitution of the contact itself, (W_r/|W_c|)^(1/2)"),
                     {.name = "w",
                      .typical = 0.02,
                      .meaning = "share W_w/|W_c| at an approach of 1 m/s [(s/m)^m]"}},
      .optional_parameters = {{.name = "m",
                               .upper = 3.0,
                               .typical = 0.6,
                               .meaning = "exponent of the approach speed; 3/5 if left out"}}};
  return info;
}

}  // namespace percuss::solver
