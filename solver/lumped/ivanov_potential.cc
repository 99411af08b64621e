// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/lumped/ivanov_potential.h"

namespace percuss::solver {

const LawInfo& IvanovPotentialLaw::Info() {
  static const LawInfo info{
      .name = "ivanov-potential",
      .summary = "contact force from a potential; unrealistic, for comparison only",
      .source = "chatterjee1997 5.2.3, (5.2) (I5)",
      .parameters = {{.name = "mu", .typical = 0.3, .meaning = "weight of the tangential part"}}};
  return info;
}

}  // namespace percuss::solver
