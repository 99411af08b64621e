// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/LU>
#include <cmath>
#include <span>

#include "solver/algebraic/algebraic_law.h"
#include "solver/law/impact_law.h"
#include "solver/rigid/slip_motion.h"

namespace percuss::solver {

/// Bilinear law for contacts whose normal and tangential motion do not couple (spheres, disks):
///     P_n = -(1 + e) u_n / A_nn,   u_n' = -e u_n,
///     P_t = -(1 + e_t) A_tt^-1 u_t,   u_t' = -e_t u_t,
/// the latter scaled down to |P_t| = mu P_n where it is larger; the contact then slides throughout.
/// Source: chatterjee1997 (6.5).
struct BilinearLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e, e_t. Mode kSlip: limited by friction; else kStick, also for e_t != 0.
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    using std::sqrt;
    if (!IsFinite(contact, parameters)) return StraightImpulse(contact, NoImpulse<T>());
    const T &mu = parameters[0], &e = parameters[1], &e_t = parameters[2];
    const Eigen::Matrix<T, 2, 2> inverse =
        contact.inverse_mass.template topLeftCorner<2, 2>().inverse();
    const T normal = FrictionlessImpulse(contact, e);
    Vector2<T> tangential = -(T(1.0) + e_t) * (inverse * contact.velocity.template head<2>());
    const bool slips = Value(tangential).norm() > Value(mu) * Value(normal);
    if (slips) {
      tangential *= mu * normal / sqrt(tangential.squaredNorm());
    } else if (Value(mu) == 0.0) {
      tangential.setZero();  // without friction in derivatives as well
    }
    Vector3<T> impulse;
    impulse << tangential, normal;
    ImpactResult<T> result = StraightImpulse(contact, impulse);
    result.modes = {slips ? ContactMode::kSlip : ContactMode::kStick};
    return result;
  }
};

}  // namespace percuss::solver
