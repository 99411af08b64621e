// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string_view>

#include "solver/contact/contact.h"
#include "solver/contact/planar_contact.h"

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
Contact<double> ContactOf(const DimensionlessImpact& impact);

/// The thesis' criteria (2.33) and (2.35), which judge the impact as a whole with Newton's e:
///     mu_Sliding > 0: slip goes on for mu <= mu_Sliding, else it stops and the contact sticks;
///     mu_Sliding < 0: slip stops, and reverses for mu <= mu_RSliding = -mu_Sliding.
/// Whether a contact that has stopped holds is decided by CriticalFriction instead.
double SlidingFriction(const DimensionlessImpact& impact, double e);
double ReverseSlidingFriction(const DimensionlessImpact& impact, double e);

/// The same number for any planar contact, from the impulse P that brings slip to 0 and u_n to
/// -e u_n:   -sgn(u_t) P_t / P_n.
double SlidingFriction(const PlanarContact<double>& contact, double e);

/// The smallest friction coefficient that holds a contact without slip: |A_tn| / A_tt in the plane,
/// |A_tt^-1 A_tn| in space.
double CriticalFriction(const PlanarContact<double>& contact);
double CriticalFriction(const Contact<double>& contact);

/// The friction coefficients at which an impact takes another course.
struct FrictionLimits {
  double critical = std::numeric_limits<double>::quiet_NaN();  ///< CriticalFriction
  /// SlidingFriction; NaN where the motion is not planar, or does not slip.
  double sliding = std::numeric_limits<double>::quiet_NaN();
};
/// @param e Newton's restitution; NaN if unknown, and `sliding` with it.
FrictionLimits CalcFrictionLimits(const Contact<double>& contact, double e);

/// What sun2017's Table 2.1 predicts of the slip from the impact as a whole: "slides", "sticks" or
/// "reverses"; empty where `sliding` is NaN. A law follows the impact through: it may differ.
std::string_view PredictSlip(const FrictionLimits& limits, double mu);

}  // namespace percuss::solver
