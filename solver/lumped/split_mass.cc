// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/lumped/split_mass.h"

#include "solver/law/common_parameters.h"

namespace percuss::solver {

const LawInfo& SplitMassLaw::Info() {
  static const LawInfo info{
      .name = "split-mass",
      .summary = "one share of the mass hits plastically, the other one rides on it by springs",
      .source = "chatterjee1997 8.1, (8.1) (I6)",
      .parameters = {FrictionCoefficient(),
                     {.name = "e",
                      .lower = 0.01,
                      .upper = 0.99,
                      .typical = 0.5,
                      .meaning = "share of the mass on springs (alpha), head-on restitution"},
                     {.name = "stiffness_ratio",
                      .upper = 100.0,
                      .typical = 0.8,
                      .meaning = "tangential over normal stiffness, k_t/k_n"}},
      .domain = LawDomain::kPlanar};
  return info;
}

}  // namespace percuss::solver
