// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string_view>

#include "solver/contact/contact.h"
#include "solver/contact/planar_contact.h"

namespace percuss::solver {

/// The thesis' criterion (2.33), which judges a planar impact as a whole with Newton's e, from the
/// impulse P that brings slip to 0 and u_n to -e u_n: -sgn(u_t) P_t / P_n. Positive: slip goes on
/// for mu up to it, else it stops and the contact sticks. Negative: slip stops, and reverses for mu
/// up to its size (2.35). Whether a contact that has stopped holds is decided by CriticalFriction
/// instead.
double SlidingFriction(const PlanarContact<double>& contact, double e);

/// The smallest friction coefficient that holds a contact without slip: |A_tn| / A_tt in the plane,
/// |A_tt^-1 A_tn| in space.
double CriticalFriction(const PlanarContact<double>& contact);
double CriticalFriction(const Contact<double>& contact);

/// The friction coefficient at which slip keeps its first direction t, where one of at least 0
/// does: (A_tn x t) / ((A_tt t) x t). In the plane of motion, and where A_tt is isotropic, all or
/// none do: NaN, as without slip. It belongs to a direction, not to the body (natsiavas 6.2.2,
/// mu*).
double InvariantFriction(const Contact<double>& contact);

/// The friction coefficients at which an impact takes another course.
struct FrictionLimits {
  double critical = std::numeric_limits<double>::quiet_NaN();  ///< CriticalFriction
  /// SlidingFriction; NaN where the motion is not planar, or does not slip.
  double sliding = std::numeric_limits<double>::quiet_NaN();
  double invariant = std::numeric_limits<double>::quiet_NaN();  ///< InvariantFriction
};
/// @param e Newton's restitution; NaN if unknown, and `sliding` with it.
FrictionLimits CalcFrictionLimits(const Contact<double>& contact, double e);

/// What sun2017's Table 2.1 predicts of the slip from the impact as a whole: "slides", "sticks" or
/// "reverses"; empty where `sliding` is NaN. A law follows the impact through: it may differ.
std::string_view PredictSlip(const FrictionLimits& limits, double mu);

}  // namespace percuss::solver
