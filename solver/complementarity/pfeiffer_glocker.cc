// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/complementarity/pfeiffer_glocker.h"

#include "solver/law/common_parameters.h"

namespace percuss::solver {

const LawInfo& PfeifferGlockerLaw::Info() {
  static const LawInfo info{
      .name = "pfeiffer-glocker",
      .summary = "planar impact in two stages; part of the tangential impulse is given back",
      .source = "chatterjee1997 5.1.5 (Pfeiffer and Glocker 1996)",
      .parameters = {FrictionCoefficient(),
                     NormalRestitution("ratio of normal impulses, P_En/P_Cn"),
                     {.name = "e_t",
                      .upper = 1.0,
                      .typical = 0.5,
                      .meaning = "share of the tangential impulse of compression given back"},
                     {.name = "nu",
                      .upper = 1.0,
                      .typical = 0.5,
                      .meaning = "share of the friction limit of expansion given back"}},
      .domain = LawDomain::kPlanar};
  return info;
}

}  // namespace percuss::solver
