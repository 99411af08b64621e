// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/rigid/sliding_friction.h"

#include <cmath>

#include "solver/rigid/slip_motion.h"

namespace percuss::solver {

Contact<double> ContactOf(const DimensionlessImpact& impact) {
  const double r_t = std::sin(impact.gamma);
  const double r_n = std::cos(impact.gamma);
  const double a = impact.inertia_ratio;
  Contact<double> contact;
  contact.inverse_mass =
      Eigen::Vector3d(1.0 + r_n * r_n / a, 1.0 + 1.0 / a, 1.0 + r_t * r_t / a).asDiagonal();
  contact.inverse_mass(0, 2) = contact.inverse_mass(2, 0) = -r_t * r_n / a;
  contact.velocity << impact.p - impact.lambda * r_n, 0.0, -1.0 + impact.lambda * r_t;
  return contact;
}

double SlidingFriction(const DimensionlessImpact& impact, double e) {
  const auto& [a, gamma, p, lambda] = impact;
  const double x = -std::sin(gamma);
  const double y = std::cos(gamma);
  const double numerator =
      -x * y + a * lambda * y - e * x * y - e * lambda * x * x * y - a * p - p * x * x;
  const double denominator = a + a * lambda * x + a * e + a * e * lambda * x + y * y + e * y * y +
                             e * lambda * x * y * y + p * x * y;
  const double slip = p - lambda * y;
  return std::copysign(1.0, -slip) * numerator / denominator;
}

double ReverseSlidingFriction(const DimensionlessImpact& impact, double e) {
  return -SlidingFriction(impact, e);
}

double SlidingFriction(const PlanarContact<double>& contact, double e) {
  const auto& [tt, tn, nn, u_t, u_n] = contact;
  // A P = (-u_t, -(1 + e) u_n), by Cramer's rule; the determinant drops out.
  const double tangential = -nn * u_t + tn * (1.0 + e) * u_n;
  const double normal = -tt * (1.0 + e) * u_n + tn * u_t;
  return -std::copysign(1.0, u_t) * tangential / normal;
}

double CriticalFriction(const PlanarContact<double>& contact) {
  return std::abs(contact.tn) / contact.tt;
}

double CriticalFriction(const Contact<double>& contact) {
  return CriticalFriction(ContactBlocks<double>(contact.inverse_mass, 0.0));
}

FrictionLimits CalcFrictionLimits(const Contact<double>& contact, double e) {
  FrictionLimits limits{.critical = CriticalFriction(contact)};
  const auto plane = PlaneOf(contact);
  if (!plane) return limits;
  const PlanarContact<double> planar = InPlane(contact, *plane);
  if (planar.u_t != 0.0) limits.sliding = SlidingFriction(planar, e);
  return limits;
}

std::string_view PredictSlip(const FrictionLimits& limits, double mu) {
  if (std::isnan(limits.sliding) || std::isnan(mu)) return "";
  if (mu > std::abs(limits.sliding)) return "sticks";
  return limits.sliding > 0.0 ? "slides" : "reverses";
}

}  // namespace percuss::solver
