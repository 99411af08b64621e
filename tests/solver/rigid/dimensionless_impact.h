// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "solver/contact/contact.h"

namespace percuss::solver {

/// A planar impact in the dimensionless form of sun2017 (2.7)-(2.12): mass, distance R from the
/// mass centre to the contact and approach velocity of the mass centre are 1.
struct DimensionlessImpact {
  double inertia_ratio = 1.0 / 3.0;  ///< a = I / (m R^2)
  double gamma = 0.0;                ///< angle of r from the surface normal [rad]; pi: upright
  double p = 0.0;                    ///< v_x / v_y
  double lambda = 0.0;               ///< spin w R / v_y
};

/// The same impact as contact in the frame (t1, t2, n), motion in t1-n: v = (p, -1),
/// r = (sin gamma, cos gamma), w = lambda counter-clockwise in an (x, up) drawing. Out of the plane
/// the inertia is the same.
inline Contact<double> ContactOf(const DimensionlessImpact& impact) {
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

/// The thesis' criteria (2.33) and (2.35), which judge the impact as a whole with Newton's e:
///     mu_Sliding > 0: slip goes on for mu <= mu_Sliding, else it stops and the contact sticks;
///     mu_Sliding < 0: slip stops, and reverses for mu <= mu_RSliding = -mu_Sliding.
/// Whether a contact that has stopped holds is decided by CriticalFriction instead.
inline double SlidingFriction(const DimensionlessImpact& impact, double e) {
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

inline double ReverseSlidingFriction(const DimensionlessImpact& impact, double e) {
  return -SlidingFriction(impact, e);
}

}  // namespace percuss::solver
