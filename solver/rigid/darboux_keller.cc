// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/rigid/darboux_keller.h"

#include "solver/law/common_parameters.h"

namespace percuss::solver {

template <>
const LawInfo& NewtonLaw::Info() {
  static const LawInfo info{
      .name = "newton",
      .summary = "Darboux-Keller integration, Coulomb friction, kinematic restitution",
      .source = "sun2017 2.3, 2.12 (Keller 1986; Routh in the plane)",
      .parameters = {FrictionCoefficient(), KinematicRestitution()},
      .optional_parameters = {StaticFrictionCoefficient()},
      .dissipative = false};
  return info;
}

template <>
const LawInfo& PoissonLaw::Info() {
  static const LawInfo info{
      .name = "poisson",
      .summary = "Darboux-Keller integration, Coulomb friction, kinetic restitution",
      .source = "sun2017 2.3, 2.12; chatterjee1997 5.1.4, 5.2.4 (Routh)",
      .parameters = {FrictionCoefficient(), KineticRestitution()},
      .optional_parameters = {StaticFrictionCoefficient()}};
  return info;
}

template <>
const LawInfo& StrongeLaw::Info() {
  static const LawInfo info{
      .name = "stronge",
      .summary = "Darboux-Keller integration, Coulomb friction, energetic restitution",
      .source = "sun2017 2.3, 2.12 (Keller 1986; Stronge 1990)",
      .parameters = {FrictionCoefficient(), EnergeticRestitution()},
      .optional_parameters = {StaticFrictionCoefficient()}};
  return info;
}

}  // namespace percuss::solver
