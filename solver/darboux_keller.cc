// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/darboux_keller.h"

namespace percuss::solver {
namespace {

std::vector<ParameterInfo> Parameters(std::string_view restitution) {
  return {{.name = "mu", .typical = 0.3, .meaning = "Coulomb friction coefficient"},
          {.name = "e", .upper = 1.0, .typical = 0.5, .meaning = restitution}};
}

std::vector<ParameterInfo> StaticFriction() {
  return {{.name = "mu_s",
           .typical = 0.3,
           .meaning = "static friction coefficient, at least mu; mu if left out"}};
}

}  // namespace

template <>
const LawInfo& NewtonLaw::Info() {
  static const LawInfo info{
      .name = "newton",
      .summary = "Darboux-Keller integration, Coulomb friction, kinematic restitution",
      .source = "sun2017 2.3, 2.12 (Keller 1986; Routh in the plane)",
      .parameters = Parameters("ratio of normal velocities, -u_n'/u_n"),
      .optional_parameters = StaticFriction(),
      .dissipative = false};
  return info;
}

template <>
const LawInfo& PoissonLaw::Info() {
  static const LawInfo info{
      .name = "poisson",
      .summary = "Darboux-Keller integration, Coulomb friction, kinetic restitution",
      .source = "sun2017 2.3, 2.12; chatterjee1997 5.1.4, 5.2.4 (Routh)",
      .parameters = Parameters("ratio of normal impulses, P_r/P_c"),
      .optional_parameters = StaticFriction()};
  return info;
}

template <>
const LawInfo& StrongeLaw::Info() {
  static const LawInfo info{
      .name = "stronge",
      .summary = "Darboux-Keller integration, Coulomb friction, energetic restitution",
      .source = "sun2017 2.3, 2.12 (Keller 1986; Stronge 1990)",
      .parameters = Parameters("root of the ratio of normal works, (W_r/|W_c|)^(1/2)"),
      .optional_parameters = StaticFriction()};
  return info;
}

}  // namespace percuss::solver
