// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/complementarity/drumwright_shell.h"

#include "solver/law/common_parameters.h"

namespace percuss::solver {

const LawInfo& DrumwrightShellLaw::Info() {
  static const LawInfo info{
      .name = "drumwright-shell",
      .summary =
          "Maximum dissipation over the friction cone, then (1 + e) of the normal impulse; "
          "can create energy where e > 0",
      .source = "Drumwright & Shell 2010",
      .parameters = {FrictionCoefficient(), KineticRestitution()},
      .dissipative = false};
  return info;
}

}  // namespace percuss::solver
