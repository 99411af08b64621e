// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "solver/law/impact_law.h"

// Rigid impact with Coulomb friction where normal and tangential motion do not couple, A_tn = 0,
// and slip keeps its direction: balls, discs, bodies that touch below their mass centre on a
// principal axis. Nothing of the Darboux-Keller equations is left to integrate.

namespace percuss::solver::internal {

/// Whether the contact is of this kind and slips, faster than rounding.
inline bool SlipsUncoupled(const Contact<double>& contact) {
  const Eigen::Matrix3d& a = contact.inverse_mass;
  if (a(0, 2) != 0.0 || a(1, 2) != 0.0) return false;
  const Eigen::Vector3d& u = contact.velocity;
  const double r1 = a(0, 0) * u[0] + a(0, 1) * u[1];
  const double r2 = a(1, 0) * u[0] + a(1, 1) * u[1];
  const double square = u[0] * u[0] + u[1] * u[1];
  const double normal_square = u[2] * u[2];
  return std::abs(u[0] * r2 - u[1] * r1) <= 1e-15 * square * (a(0, 0) + a(1, 1)) &&
         square > 1e-24 * normal_square &&
         square + normal_square < std::numeric_limits<double>::infinity();
}

/// With P_c = -u_n / A_nn,
///     P_n = (1 + e) P_c   by each of the three hypotheses of restitution,
///     P_t = -min(mu P_n, |u_t| / A_ll) u_t / |u_t|,   l along the slip;
/// a contact that has stopped sticks.
/// Source: sun2017 3.7.1.
inline ImpactResult<double> SolveUncoupledImpact(const Contact<double>& contact, double mu,
                                                 double e) {
  const Eigen::Matrix3d& a = contact.inverse_mass;
  const Eigen::Vector3d& u = contact.velocity;
  const double square = u[0] * u[0] + u[1] * u[1];
  const double tt_square =
      a(0, 0) * u[0] * u[0] + 2.0 * a(0, 1) * u[0] * u[1] + a(1, 1) * u[1] * u[1];
  const double compression = -u[2] / a(2, 2);
  const double normal = (1.0 + e) * compression;
  // P_t = -mass u_t
  const double to_stop = square / tt_square;
  const double friction = mu / std::sqrt(square);
  const bool slips_on = friction * normal <= to_stop;
  const double mass = slips_on ? friction * normal : to_stop;
  const double left = slips_on ? 1.0 - mass * (tt_square / square) : 0.0;
  ImpactResult<double> result;
  result.impulse = {-mass * u[0], -mass * u[1], normal};
  result.contact_velocity = {left * u[0], left * u[1], -e * u[2]};
  result.compression_impulse = compression;
  result.restitution_impulse = e * compression;
  result.energy.normal_work = 0.5 * (1.0 - e * e) * compression * u[2];
  result.energy.friction_work = -0.5 * mass * square * (1.0 + left);
  result.modes.push_back(ContactMode::kSlip);
  if (slips_on) {
    result.sun_case = "0";
  } else {
    result.modes.push_back(ContactMode::kStick);
    result.sun_case = to_stop < friction * compression ? "1" : "3";
  }
  return result;
}

}  // namespace percuss::solver::internal
