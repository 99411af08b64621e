// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/drumwright_shell.h"

namespace percuss::solver {

const LawInfo& DrumwrightShellLaw::Info() {
  static const LawInfo info{
      .name = "drumwright-shell",
      .summary =
          "Maximum dissipation over the friction cone, then (1 + e) of the normal impulse; "
          "can create energy where e > 0",
      .source = "Drumwright & Shell 2010",
      .parameters = {{.name = "mu", .typical = 0.3, .meaning = "Coulomb friction coefficient"},
                     {.name = "e",
                      .upper = 1.0,
                      .typical = 0.5,
                      .meaning = "ratio of normal impulses, P_r/P_c"}},
      .dissipative = false};
  return info;
}

}  // namespace percuss::solver
