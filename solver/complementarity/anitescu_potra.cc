// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/complementarity/anitescu_potra.h"

#include "solver/law/common_parameters.h"

namespace percuss::solver {

const LawInfo& AnitescuPotraNewtonLaw::Info() {
  static const LawInfo info{
      .name = "anitescu-potra-newton",
      .summary =
          "Complementarity problem, Coulomb friction on the final slip, kinematic "
          "restitution; can create energy where e > 0",
      .source = "Anitescu & Potra 1997",
      .parameters = {FrictionCoefficient(), KinematicRestitution()},
      .dissipative = false,
      .same_as = "kane-levinson"};
  return info;
}

const LawInfo& AnitescuPotraPoissonLaw::Info() {
  static const LawInfo info{
      .name = "anitescu-potra-poisson",
      .summary =
          "Two complementarity problems, compression and decompression, Coulomb friction on "
          "the slip at the end of each, kinetic restitution",
      .source = "Anitescu & Potra 1997",
      .parameters = {FrictionCoefficient(), KineticRestitution()}};
  return info;
}

}  // namespace percuss::solver
