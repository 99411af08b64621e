// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/mechanisms/puck.h"

#include <cmath>
#include <numbers>

namespace percuss::solver {

double ContactMassRatio(double mass, double inertia, double r) {
  return inertia / (inertia + mass * r * r);
}

double InertiaFromContactMassRatio(double mass, double ratio, double r) {
  return mass * r * r * ratio / (1.0 - ratio);
}

double CompositeRestitution(double e, double struck_mass, double hung_mass) {
  return (e * struck_mass - hung_mass) / (struck_mass + hung_mass);
}

SpringImpact LinearSpringImpact(double mass, double stiffness, double speed) {
  return {std::numbers::pi * std::sqrt(mass / stiffness), speed * std::sqrt(stiffness * mass),
          speed * std::sqrt(mass / stiffness)};
}

}  // namespace percuss::solver
