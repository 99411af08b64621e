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

/// The same k for bodies whose contact has the principal radii R' >= R'': elliptic Hertz contact.
double EllipticHertzStiffness(double plane_modulus, double larger_radius, double smaller_radius);

/// Tangential over normal stiffness before any slip, 2 (1 - nu) / (2 - nu), of two bodies of the
/// same Poisson's ratio.
template <typename T>
T MindlinStiffnessRatio(const T& nu) {
  return T(2) * (T(1) - nu) / (T(2) - nu);
}

// Source of all: chatterjee1997 5.2.1, 11.3 (after K. L. Johnson, Contact Mechanics, 1985).

}  // namespace percuss::solver
