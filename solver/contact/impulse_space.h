// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "solver/contact/contact.h"

// The geometry of impulse space: what a single-point impact can do at all, whatever its law.
// Impulses [N s] in the contact frame (t1, t2, n); A is the inverse contact mass, M = A^-1, u the
// velocity before the impact, u' = u + A P. After chatterjee1997 2.3.3, 3.2 to 3.4, 10.6.

namespace percuss::solver {

/// Local kinetic energy 1/2 u^T M u [J]. Its changes are those of the kinetic energy of the bodies.
double LocalEnergy(const Contact<double>& contact, const Eigen::Vector3d& velocity);

/// Change of kinetic energy by an impulse, P . u + 1/2 P^T A P = P . (u + u') / 2 [J].
double EnergyChange(const Contact<double>& contact, const Eigen::Vector3d& impulse);

/// The impulses after which at least `loss` of the kinetic energy is gone:
///     (P - centre)^T A (P - centre) <= 2 (E - loss).
/// The centre -M u is where all motion stops. Ellipsoids of different loss are concentric; that of
/// loss 0, the energy ellipsoid, passes through P = 0.
struct EnergyEllipsoid {
  Eigen::Vector3d centre;
  Eigen::Matrix3d axes;       ///< columns: unit principal axes
  Eigen::Vector3d semi_axes;  ///< [N s], along the columns of axes, ascending
};

/// @throws std::invalid_argument if `loss` is above the local kinetic energy, the most there is.
EnergyEllipsoid EllipsoidOfLoss(const Contact<double>& contact, double loss = 0.0);

/// The impulse along a direction that dissipates most, s d with s = -d . u / d^T A d. Normality
/// principle: the outward normal of the ellipsoid of equal loss through P is u' itself (the
/// gradient of P^T A P + 2 P . u is 2 u'), so that u' is normal to d there.
Eigen::Vector3d MostDissipativeAlong(const Contact<double>& contact,
                                     const Eigen::Vector3d& direction);

/// normal . P = offset
struct ImpulsePlane {
  Eigen::Vector3d normal;
  double offset;
};

/// The impulses after which u_n' = -e_n u_n; parallel planes, with maximum compression at e_n = 0.
ImpulsePlane PlaneOfRestitution(const Contact<double>& contact, double e_n);

/// point + x direction
struct ImpulseLine {
  Eigen::Vector3d point;      ///< with P_n = 0
  Eigen::Vector3d direction;  ///< with the normal component 1
};

/// The impulses after which the contact sticks, u_t' = 0.
ImpulseLine LineOfSticking(const Contact<double>& contact);

/// |P_t| - mu P_n, which is negative inside the friction cone.
double FrictionConeExcess(const Eigen::Vector3d& impulse, double mu);

/// Points with names in chatterjee1997 chapters 3 (A, B) and 7 (C, G).
struct NamedImpulses {
  Eigen::Vector3d A;  ///< frictionless, e = 0
  Eigen::Vector3d B;  ///< frictionless, e = 1; no loss
  Eigen::Vector3d C;  ///< everything stops, -M u
  Eigen::Vector3d G;  ///< full reversal u' = -u, -2 M u; no loss
};
NamedImpulses NamedImpulsesOf(const Contact<double>& contact);

/// Whether an impulse is physically possible, condition by condition. The impulses that meet all
/// four make up the accessible region, which is closed, bounded and convex.
struct Accessibility {
  bool pushes;      ///< P_n > 0
  bool in_cone;     ///< |P_t| <= mu P_n
  bool dissipates;  ///< kinetic energy does not grow
  bool separates;   ///< u_n' >= 0
  bool All() const { return pushes && in_cone && dissipates && separates; }
};

/// @param tolerance relative: to |P| for the cone, to the energy before, and to |u|
Accessibility TestAccess(const Contact<double>& contact, double mu, const Eigen::Vector3d& impulse,
                         double tolerance = 1e-12);

/// Star coordinates of the accessible region about the interior point 3/2 A (frictionless,
/// e = 1/2), for mu > 0: the impulse at `fraction` (0 ... 1) of the way from there to the boundary
/// in a unit direction, and the whole length of that way. Random points are uniform over the volume
/// of the region if directions are uniform, fractions are cube roots of uniform numbers, and each
/// point has the weight reach^3.
struct StarPoint {
  Eigen::Vector3d impulse;
  double reach;  ///< from the interior point to the boundary [N s]
};
StarPoint AccessibleImpulse(const Contact<double>& contact, double mu,
                            const Eigen::Vector3d& direction, double fraction);

}  // namespace percuss::solver
