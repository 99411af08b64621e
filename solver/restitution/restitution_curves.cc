// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/restitution/restitution_curves.h"

#include <cmath>

namespace percuss::solver {
namespace {

// x - ln(1 + x) without cancellation, x >= 0.
double ExcessOfLogarithm(double x) {
  if (x > 0.1) return x - std::log1p(x);
  double sum = 0.0, power = x;
  for (int k = 2; k < 20; ++k) {
    power *= -x;
    sum -= power / k;
  }
  return sum;
}

// x - 1 + exp(-x) without cancellation, x >= 0.
double ExcessOfExponential(double x) {
  if (x > 0.5) return x + std::expm1(-x);
  double sum = 0.0, term = x;
  for (int k = 2; k < 20; ++k) {
    term *= -x / k;
    sum -= term;
  }
  return sum;
}

}  // namespace

double RestitutionOfNonlinearDashpot(double a) {
  if (a == 0.0) return 1.0;
  // With x = -ln(1 - a e) the equation is x - 1 + exp(-x) = a - ln(1 + a), convex in x.
  const double target = ExcessOfLogarithm(a);
  double x = target + std::sqrt(2.0 * target);  // above the root
  for (int k = 0; k < 60; ++k) {
    const double step = (ExcessOfExponential(x) - target) / -std::expm1(-x);
    x -= step;
    if (std::abs(step) <= 1e-16 * x) break;
  }
  return -std::expm1(-x) / a;
}

double RestitutionOfLinearDashpot(double zeta) {
  const double below = 1.0 - zeta;
  double ratio = 1.0 + below / 3.0 + 2.0 * below * below / 15.0;  // near zeta = 1
  if (below > 1e-4) ratio = std::acos(zeta) / std::sqrt(below * (1.0 + zeta));
  if (below < -1e-4) ratio = std::acosh(zeta) / std::sqrt(-below * (1.0 + zeta));
  return std::exp(-2.0 * zeta * ratio);
}

}  // namespace percuss::solver
