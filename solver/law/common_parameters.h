// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/law/impact_law.h"

// Parameters that several impact laws have.

namespace percuss::solver {

inline ParameterInfo FrictionCoefficient() {
  return {.name = "mu", .typical = 0.3, .meaning = "Coulomb friction coefficient"};
}

/// Optional; decides alone whether a stopped contact sticks.
inline ParameterInfo StaticFrictionCoefficient() {
  return {.name = "mu_s",
          .typical = 0.3,
          .meaning = "static friction coefficient, at least mu; mu if left out"};
}

/// Restitution between 0 and 1 by what it is the measure of.
inline ParameterInfo NormalRestitution(std::string_view meaning) {
  return {.name = "e", .upper = 1.0, .typical = 0.5, .meaning = meaning};
}

/// Newton's.
inline ParameterInfo KinematicRestitution() {
  return NormalRestitution("ratio of normal velocities, -u_n'/u_n");
}

/// Poisson's.
inline ParameterInfo KineticRestitution() {
  return NormalRestitution("ratio of normal impulses, P_r/P_c");
}

/// Stronge's.
inline ParameterInfo EnergeticRestitution() {
  return NormalRestitution("root of the ratio of normal works, (W_r/|W_c|)^(1/2)");
}

}  // namespace percuss::solver
