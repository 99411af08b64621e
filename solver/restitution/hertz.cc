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

double HertzDuration(double mass, double speed, double stiffness) {
  // 2 d_max / v int_0^1 (1 - x^(5/2))^(-1/2) dx
  const double integral = std::sqrt(pi) * std::tgamma(1.4) / std::tgamma(0.9);
  return 2.0 * integral * HertzMaximumCompression(mass, speed, stiffness) / speed;
}

double EllipticHertzCompression(double force, double plane_modulus, double larger_radius,
                                double smaller_radius) {
  if (larger_radius == smaller_radius) {
    return std::pow(force / HertzStiffness(plane_modulus, larger_radius), 2.0 / 3.0);
  }
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
  const double a =
      std::cbrt(1.5 * force * (first - second) / (pi * e * e * plane_modulus * curvature));
  return 1.5 * force * first / (pi * a * plane_modulus);
}

double CylinderCompression(double force_per_length, double plane_modulus, double radius) {
  const double a = std::sqrt(4.0 * force_per_length * radius / (pi * plane_modulus));
  return force_per_length / (pi * plane_modulus) * (2.0 * std::log(4.0 * radius / a) - 1.0);
}

}  // namespace percuss::solver
