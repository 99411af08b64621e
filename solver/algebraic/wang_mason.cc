// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/algebraic/wang_mason.h"

#include "solver/law/common_parameters.h"

namespace percuss::solver {

const LawInfo& WangMasonLaw::Info() {
  static const LawInfo info{
      .name = "wang-mason",
      .summary =
          "Planar Routh construction in closed form, Coulomb friction, kinetic restitution; "
          "coincides with poisson in the plane",
      .source = "Wang & Mason 1992; chatterjee1997 5.1.4",
      .parameters = {FrictionCoefficient(), KineticRestitution()},
      .domain = LawDomain::kPlanar};
  return info;
}

}  // namespace percuss::solver
