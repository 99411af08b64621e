// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/restitution/hertz.h"

#include <cmath>
#include <numbers>

namespace percuss::solver {

using std::numbers::pi;

double HertzStiffness(double plane_modulus, double radius) {
  return 4.0 / 3.0 * plane_modulus * std::sqrt(radius);
}

double HertzMaximumCompression(double mass, double speed, double stiffness) {
  return std::pow(1.25 * mass * speed * speed / stiffness, 0.4);
}

double EllipticHertzStiffness(double plane_modulus, double larger_radius, double smaller_radius) {
  if (larger_radius == smaller_radius) return HertzStiffness(plane_modulus, larger_radius);
  const double curvature = 0.5 / larger_radius;
  const double ratio = larger_radius / smaller_radius;
  // Semi-axes a > b: the curvatures' ratio is [(a/b)^2 E - K] / (K - E), which falls with b/a.
  double low = 0.0, high = 1.0;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    const double e = std::sqrt((1.0 - middle) * (1.0 + middle));
    const double first = std::comp_ellint_1(e), second = std::comp_ellint_2(e);
    const bool above = second / (middle * middle) - first > ratio * (first - second);
    (above ? low : high) = middle;
  }
  const double e = std::sqrt((1.0 - high) * (1.0 + high));
  const double first = std::comp_ellint_1(e), second = std::comp_ellint_2(e);
  // a^3 and the compression d of a force of 1 N; d grows as its power 2/3.
  const double a = std::cbrt(1.5 * (first - second) / (pi * e * e * plane_modulus * curvature));
  return std::pow(1.5 * first / (pi * a * plane_modulus), -1.5);
}

}  // namespace percuss::solver
