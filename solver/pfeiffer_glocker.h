// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/algebraic_law.h"
#include "solver/impact_law.h"
#include "solver/kane_levinson.h"
#include "solver/slip_frame.h"

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
/// Source: chatterjee1997 5.1.5, digest 3.12.
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

    const double sign = (Value(compression_t) > 0.0) - (Value(compression_t) < 0.0);
    const T stored = T(0.5) * (sign * mu * nu * normal + e * e_t * compression_t);
    const T friction = mu * normal - (Value(stored) < 0.0 ? T(-stored) : stored);
    T slip = T(0.0);
    if (!stops)
      slip =
          t.dot((contact.velocity + contact.inverse_mass * compression.impulse).template head<2>());
    T tangential = -(slip + t.dot(a.tn) * normal) / t.dot(a.tt * t);
    const bool sticks = std::abs(Value(tangential - stored)) <= Value(friction);
    if (!sticks)
      tangential = Value(tangential) > Value(stored) ? T(stored + friction) : T(stored - friction);

    Vector3<T> impulse = compression.impulse;
    impulse[2] += normal;
    for (int i = 0; i < 2; ++i) impulse[i] += tangential * t[i];
    ImpactResult<T> result = StraightImpulse(contact, impulse);
    result.modes = {stops ? ContactMode::kStick : ContactMode::kSlip,
                    sticks ? ContactMode::kStick : ContactMode::kSlip};
    return result;
  }
};

}  // namespace percuss::solver
