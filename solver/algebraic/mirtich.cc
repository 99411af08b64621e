// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/algebraic/mirtich.h"

#include "solver/law/common_parameters.h"

namespace percuss::solver {

const LawInfo& MirtichLaw::Info() {
  static const LawInfo info{
      .name = "mirtich",
      .summary =
          "Impulse-based simulation, Coulomb friction, energetic restitution; coincides "
          "with stronge",
      .source = "Mirtich & Canny 1995; Mirtich 1996",
      .parameters = {FrictionCoefficient(), EnergeticRestitution()},
      .same_as = "stronge"};
  return info;
}

}  // namespace percuss::solver
