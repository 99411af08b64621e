// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace percuss::solver {

// Elastic contact after Hertz and Mindlin, as used by the incremental laws and to judge the time
// and force scales of an impact. E* is the plane modulus, 1/E* = (1 - nu_1^2)/E_1 + (1 -
// nu_2^2)/E_2.

/// k of F = k d^(3/2) for spheres, (4/3) E* sqrt(R) [N/m^(3/2)], 1/R = 1/R_1 + 1/R_2.
double HertzStiffness(double plane_modulus, double radius);

/// Maximum compression (5 m v^2 / (4 k))^(2/5) [m] of a mass m at the speed v.
double HertzMaximumCompression(double mass, double speed, double stiffness);

/// Duration of contact, 2.943 d_max / v [s].
double HertzDuration(double mass, double speed, double stiffness);

/// Compression [m] under a force, of a body with the principal radii R' >= R'' against a plane:
/// elliptic Hertz contact.
double EllipticHertzCompression(double force, double plane_modulus, double larger_radius,
                                double smaller_radius);

/// Compression of the contact line of a disk relative to its centre [m], under a force at both ends
/// of a diameter, per unit of thickness: plane strain between rigid plates.
///     P' (1 - nu^2) / (pi E) (2 ln(4R/a) - 1),   a^2 = 4 P' R / (pi E*)
double CylinderCompression(double force_per_length, double plane_modulus, double radius);

/// Tangential over normal stiffness before any slip, 2 (1 - nu) / (2 - nu), of two bodies of the
/// same Poisson's ratio.
template <typename T>
T MindlinStiffnessRatio(const T& nu) {
  return T(2) * (T(1) - nu) / (T(2) - nu);
}

// Source of all: chatterjee1997 5.2.1, 11.3 (after K. L. Johnson, Contact Mechanics, 1985).

}  // namespace percuss::solver
