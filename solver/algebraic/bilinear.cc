// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/algebraic/bilinear.h"

#include "solver/law/common_parameters.h"

namespace percuss::solver {

const LawInfo& BilinearLaw::Info() {
  static const LawInfo info{
      .name = "bilinear",
      .summary = "bilinear law for spheres and disks: normal and tangential restitution",
      .source = "chatterjee1997 6.4, (6.5)",
      .parameters = {FrictionCoefficient(),
                     KinematicRestitution(),
                     {.name = "e_t",
                      .lower = -1.0,
                      .upper = 1.0,
                      .typical = 0.0,
                      .meaning = "tangential restitution -u_t'/u_t where friction does not limit"
                                 " it; 1 turns slip round"}},
      .domain = LawDomain::kDiagonal};
  return info;
}

}  // namespace percuss::solver
