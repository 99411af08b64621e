// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "solver/mechanisms/body_pair.h"

namespace percuss::solver {

/// Two free bodies made of point masses whose contact has a diagonal mass matrix of any size: every
/// symmetric positive definite contact mass M belongs to some pair of bodies. In axes (1, 2, 3) at
/// the contact point X, the first body has M_a at X, M_c at the distance 1 m along -2, and m at 1 m
/// to either side of that along 3; the second has M_b at X and two M_c at 1 m along 3, offset by
/// +-h along 1. With h = 1/sqrt(2)
///     M_11 = M_a (3 M_b + 2 M_c) / (3 M_a + 3 M_b + 2 M_c)
///     M_22 = M_b (M_a + 2 m + M_c) / (M_a + M_b + 2 m + M_c)
///     M_33 = (M_b + 2 M_c) N / (N + 4 m M_b + M_c M_b + 8 m M_c + 2 M_c^2),
///            N = 4 m M_a + M_c M_a + 4 m^2 + 2 m M_c;
/// for M_c -> infinity they tend to M_a, M_b and M_a + 2 m.
///
/// Source: chatterjee1997 10.4 (the hinge half-length h is not stated there; 1/sqrt(2) is
/// the one that gives the printed M_11).
struct PointMassBodies {
  double a, b, c, m;  ///< M_a, M_b, M_c, m [kg]
};

/// (M_11, M_22, M_33) of such a pair by the formulas of the source [kg].
Eigen::Vector3d ContactMasses(const PointMassBodies& bodies);

/// The bodies with given contact masses M_11 < M_33 and M_22, and M_c = `far_mass`.
/// @throws std::invalid_argument if there are none: far_mass is too small, or M_33 too close to
/// M_11.
PointMassBodies BodiesOfContactMasses(const Eigen::Vector3d& masses, double far_mass);

/// First-order series of the same in 1 / far_mass.
PointMassBodies BodiesSeries(const Eigen::Vector3d& masses, double far_mass);

/// The pair as rigid bodies. Columns of `axes`: the axes 1, 2, 3 in W.
BodyPair RigidBodies(const PointMassBodies& bodies, const Eigen::Matrix3d& axes);

/// A pair of bodies at rest with the contact mass matrix M [kg], W axes: its eigenvectors are the
/// axes, the eigenvalues in ascending order M_11, M_22, M_33.
/// @throws std::invalid_argument as BodiesOfContactMasses, or if M is not symmetric positive
/// definite.
BodyPair BodiesWithContactMass(const Eigen::Matrix3d& contact_mass, double far_mass);

}  // namespace percuss::solver
