// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/algebraic/kane_levinson.h"

#include <cmath>
#include <limits>

#include "solver/algebraic/trigonometric_quadratic.h"
#include "solver/law/common_parameters.h"

namespace percuss::solver {
namespace internal {

FinalSlip FinalSlipOf(const Contact<double>& contact, double mu, double e) {
  constexpr double kRounding = 1e-15;
  const Eigen::Vector3d rest(0.0, 0.0, -e * contact.velocity[2]);
  const Eigen::Vector3d sticking = ImpulseForChange<double>(contact, rest - contact.velocity);
  const double outside_cone = sticking.head<2>().norm() - mu * sticking[2];
  if (sticking[2] > 0.0 && outside_cone <= kRounding * sticking.norm()) {
    return {.kind = FinalSlipKind::kStops};
  }
  const FrictionAgainst<double> friction(contact, mu, e);
  const Eigen::Vector2d& start = friction.start;
  const Eigen::Matrix2d& turn = friction.turn;
  const double scale = start.norm() + turn.norm();
  FinalSlip best;
  double least_energy = std::numeric_limits<double>::infinity();
  const TrigonometricQuadratic slip_across{.constant = 0.5 * (turn(1, 0) - turn(0, 1)),
                                           .cosine = start[1],
                                           .sine = -start[0],
                                           .cosine_2 = 0.5 * (turn(1, 0) + turn(0, 1)),
                                           .sine_2 = 0.5 * (turn(1, 1) - turn(0, 0))};
  for (const double angle : slip_across.Roots()) {
    const Eigen::Vector2d d(std::cos(angle), std::sin(angle));
    if (!(friction.NormalResponse(d) > 0.0)) continue;
    if (d.dot(friction.ScaledSlip(d)) < -kRounding * scale) continue;
    const Eigen::Vector3d impulse = friction.Impulse(d);
    const double energy =  // change of the kinetic energy
        impulse.dot(contact.velocity + 0.5 * contact.inverse_mass * impulse);
    if (energy < least_energy) {
      least_energy = energy;
      best = {.kind = FinalSlipKind::kGoesOn, .direction = d};
    }
  }
  return best;
}

}  // namespace internal

const LawInfo& KaneLevinsonLaw::Info() {
  static const LawInfo info{
      .name = "kane-levinson",
      .summary = "friction against the final slip, kinematic restitution; can create energy",
      .source = "chatterjee1997 5.1.2 (Whittaker 1904; Kane and Levinson 1985)",
      .parameters = {FrictionCoefficient(), KinematicRestitution()},
      .dissipative = false};
  return info;
}

}  // namespace percuss::solver
