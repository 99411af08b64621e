// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>

#include "solver/algebraic/algebraic_law.h"
#include "solver/algebraic/kane_levinson.h"
#include "solver/law/impact_law.h"
#include "solver/rigid/slip_frame.h"

namespace percuss::solver {

/// Pfeiffer and Glocker's law for one planar contact, in two stages; C and E are the end of
/// compression and the impulse of expansion, t is a tangent in the plane of the impact.
///  - Compression: Kane and Levinson's law with e = 0, so that u_Cn = 0.
///  - Expansion: P_En = e P_Cn. Part of the tangential impulse of compression is stored and given
///    back,
///        S = (mu nu P_En sign(P_Ct) + e e_t P_Ct) / 2,
///    and friction acts about it with what is left of the cone, F = mu P_En - |S|:
///        u_t' = 0 with |P_Et - S| <= F,   or   P_Et = S - F sign(u_t').
///    As u_t' rises with P_Et, that is the impulse of sticking, limited to S - F and S + F.
///
/// No contact is known in which the law creates energy, but there is no proof.
/// Source: chatterjee1997 5.1.5.
struct PfeifferGlockerLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e, e_t, nu. The modes are those of the two stages.
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    if (!IsFinite(contact, parameters)) return StraightImpulse(contact, NoImpulse<T>());
    const T &mu = parameters[0], &e = parameters[1], &e_t = parameters[2], &nu = parameters[3];
    const auto compression = internal::SolveKaneLevinson(contact, mu, T(0.0));
    const bool stops = compression.slip == internal::FinalSlipKind::kStops;
    const Vector2<T> t = SlipFrameOf(contact).against_slip;
    const ContactBlocks<T> a(contact.inverse_mass, mu);
    const T compression_t = t.dot(compression.impulse.template head<2>());
    const T normal = e * compression.impulse[2];

    // In units of P_En, which may be 0.
    const double sign = (Value(compression_t) > 0.0) - (Value(compression_t) < 0.0);
    const T stored = T(0.5) * (sign * mu * nu + e_t * compression_t / compression.impulse[2]);
    const T friction = mu - sign * stored;
    T sticking = -t.dot(a.tn);
    if (!stops) {
      const Vector3<T> u_c = contact.velocity + contact.inverse_mass * compression.impulse;
      sticking -= t.dot(u_c.template head<2>()) / normal;
    }
    sticking /= t.dot(a.tt * t);
    const double excess = Value(sticking) - Value(stored);
    const bool sticks = std::abs(excess) <= Value(friction);
    const T ratio = sticks ? sticking : T(stored + (excess > 0.0 ? friction : T(-friction)));

    const Vector3<T> impulse =
        compression.impulse + normal * Vector3<T>(ratio * t[0], ratio * t[1], T(1.0));
    ImpactResult<T> result = StraightImpulse(contact, impulse);
    result.modes = {stops ? ContactMode::kStick : ContactMode::kSlip,
                    sticks ? ContactMode::kStick : ContactMode::kSlip};
    return result;
  }
};

}  // namespace percuss::solver
