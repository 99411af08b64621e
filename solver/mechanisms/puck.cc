// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/mechanisms/puck.h"

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

}  // namespace percuss::solver
