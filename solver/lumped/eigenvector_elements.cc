// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/lumped/eigenvector_elements.h"

#include "solver/law/common_parameters.h"

namespace percuss::solver {

std::vector<double> ContactPointVelocities(const EigenvectorElements<double>& elements, double mu,
                                           const std::array<double, 2>& pull) {
  std::vector<double> velocities;
  const auto stick = elements.ReactionAt(0.0, pull);
  if (stick.normal > 0.0 && std::abs(stick.tangential) <= mu * stick.normal) {
    velocities.push_back(0.0);
  }
  for (const int sign : {1, -1}) {
    const double u = elements.SlipVelocity(sign, mu, pull);
    if (u * sign > 0.0 && elements.ReactionAt(u, pull).normal > 0.0) velocities.push_back(u);
  }
  return velocities;
}

const LawInfo& EigenvectorElementsLaw::Info() {
  static const LawInfo info{
      .name = "eigenvector-elements",
      .summary = "springs and dashpots along the eigenvectors of the contact mass, Coulomb point",
      .source = "chatterjee1997 8.5, (8.5) (I11)",
      .parameters = {FrictionCoefficient(),
                     {.name = "zeta_1",
                      .lower = 0.01,
                      .upper = 10.0,
                      .typical = 0.2,
                      .meaning = "damping ratio along the heavier eigenvector"},
                     {.name = "zeta_2",
                      .lower = 0.01,
                      .upper = 10.0,
                      .typical = 0.2,
                      .meaning = "damping ratio along the lighter eigenvector"},
                     {.name = "stiffness_ratio",
                      .lower = 0.01,
                      .upper = 100.0,
                      .typical = 0.8,
                      .meaning = "stiffness k_2/k_1 of the two elements"}},
      .domain = LawDomain::kPlanar};
  return info;
}

}  // namespace percuss::solver
