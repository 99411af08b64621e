// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/mirtich.h"

namespace percuss::solver {

const LawInfo& MirtichLaw::Info() {
  static const LawInfo info{
      .name = "mirtich",
      .summary =
          "Impulse-based simulation, Coulomb friction, energetic restitution; coincides "
          "with stronge",
      .source = "Mirtich & Canny 1995; Mirtich 1996",
      .parameters = {{.name = "mu", .typical = 0.3, .meaning = "Coulomb friction coefficient"},
                     {.name = "e",
                      .upper = 1.0,
                      .typical = 0.5,
                      .meaning = "root of the ratio of normal works, (W_r/|W_c|)^(1/2)"}}};
  return info;
}

}  // namespace percuss::solver
