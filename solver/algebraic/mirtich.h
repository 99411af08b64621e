// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/rigid/darboux_keller.h"

namespace percuss::solver {

/// The collision of impulse-based simulation: contact velocity integrated over the impulse with
/// Coulomb friction, ended by the work of the normal impulse, W_r = e^2 |W_c|. Slip that stops
/// sticks where sticking is stable, in terms of M = A^-1
///     |M_tn| <= mu M_nn,
/// and otherwise leaves along the one diverging ray. Since A_tt^-1 A_tn = -M_tn / M_nn, this is the
/// condition of the Darboux-Keller laws, and the law coincides with StrongeLaw; works done in
/// compression and in restitution are summed wherever on the path they occur in both.
///
/// Source: Mirtich & Canny 1995; Mirtich, thesis, Berkeley 1996.
struct MirtichLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return StrongeLaw{}.Solve<T>(contact, parameters.first(2));
  }
};

}  // namespace percuss::solver
