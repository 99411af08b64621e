// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace percuss::solver {

/// A contact that happens in a layer 0 < x <= b at the surface, in dimensionless form: the unit of
/// velocity is the approach velocity v = |u_n|, that of mass 1/A_nn, that of length b. With x the
/// gap and w = ln x,
///     F_n = (kappa / x) (1 - damping w'),   |F_t| <= mu F_n (Coulomb),
///     w'' = x (A F)_n,
///     u' = (A - (1 - x^2) h h^T) F + x w'^2 h,   h = A e_n   (A_nn = 1),
/// from x = 1, w' = -1 until the gap is back at x = 1. The force pushes always, and the surface is
/// never reached. Source: natsiavas (compact form of the paper's (21), (23),
/// (30), (31)).
template <typename T>
struct BoundaryLayerModel {
  T mu = T(0);
  T stiffness = T(10);  ///< kappa = k b^2 A_nn / v^2, above 0: the impact is the shorter the larger
  T damping = T(0);     ///< c / (k b), not negative
};

}  // namespace percuss::solver
