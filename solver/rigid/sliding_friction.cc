// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/rigid/sliding_friction.h"

#include <cmath>

#include "solver/rigid/slip_motion.h"

namespace percuss::solver {

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

double InvariantFriction(const Contact<double>& contact) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN(), kRounding = 1e-12;
  const Eigen::Vector2d slip = contact.velocity.head<2>();
  if (slip.isZero(0.0)) return kNone;
  const ContactBlocks<double> a(contact.inverse_mass, 0.0);
  const Eigen::Vector2d t = slip.normalized(), across(-t.y(), t.x());
  const double drag = across.dot(a.tt * t);  // turns slip as mu grows
  if (!(std::abs(drag) > kRounding * a.tt.norm())) return kNone;
  const double mu = across.dot(a.tn) / drag;
  return mu >= 0.0 ? mu : kNone;
}

FrictionLimits CalcFrictionLimits(const Contact<double>& contact, double e) {
  FrictionLimits limits{.critical = CriticalFriction(contact),
                        .invariant = InvariantFriction(contact)};
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
