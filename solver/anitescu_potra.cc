// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/anitescu_potra.h"

namespace percuss::solver {
namespace {

std::vector<ParameterInfo> Parameters(std::string_view restitution) {
  return {{.name = "mu", .typical = 0.3, .meaning = "Coulomb friction coefficient"},
          {.name = "e", .upper = 1.0, .typical = 0.5, .meaning = restitution}};
}

}  // namespace

const LawInfo& AnitescuPotraNewtonLaw::Info() {
  static const LawInfo info{
      .name = "anitescu-potra-newton",
      .summary =
          "Complementarity problem, Coulomb friction on the final slip, kinematic "
          "restitution; can create energy where e > 0",
      .source = "Anitescu & Potra 1997",
      .parameters = Parameters("ratio of normal velocities, -u_n'/u_n"),
      .dissipative = false};
  return info;
}

const LawInfo& AnitescuPotraPoissonLaw::Info() {
  static const LawInfo info{
      .name = "anitescu-potra-poisson",
      .summary =
          "Two complementarity problems, compression and decompression, Coulomb friction on "
          "the slip at the end of each, kinetic restitution",
      .source = "Anitescu & Potra 1997",
      .parameters = Parameters("ratio of normal impulses, P_r/P_c")};
  return info;
}

}  // namespace percuss::solver
