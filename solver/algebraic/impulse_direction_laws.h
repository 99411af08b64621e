// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/algebraic/algebraic_law.h"
#include "solver/law/impact_law.h"
#include "solver/rigid/slip_frame.h"

// Laws that are told the direction of the impulse and give its size. They are changes of variables
// rather than predictions: every impulse in reach is the answer for some parameters.

namespace percuss::solver {

/// The impulse along a known unit direction d after which u_n' = -e_n u_n:
///     P = -(1 + e_n) u_n / (n . A d) d.
/// NaN where n . A d <= 0: no impulse along d ends the approach.
/// Source: chatterjee1997 (6.2).
template <typename T>
Vector3<T> ImpulseAlongDirection(const Contact<T>& contact, const Vector3<T>& direction,
                                 const T& e_n) {
  const T rise = contact.inverse_mass.row(2).dot(direction);
  if (!(Value(rise) > 0.0)) return NoImpulse<T>();
  return direction * (-(T(1.0) + e_n) * contact.velocity[2] / rise);
}

namespace internal {
/// n + f_2 (axis 2) + f_3 (axis 3), with f_2 and f_3 from parameters[1] on; f_3 is 0 if left out.
template <typename T>
Vector3<T> DirectionOfRatios(const Contact<T>& contact, std::span<const T> parameters) {
  const T f_3 = parameters.size() > 2 ? parameters[2] : T(0.0);
  return SlipFrameOf(contact).ToContactFrame(T(1.0), parameters[1], f_3);
}
}  // namespace internal

/// Brach's linear law: impulse ratios and kinematic restitution are given,
///     P = P_n (n + f_2 t_2 + f_3 t_3),   u_n' = -e u_n,
/// with t_2 against the incoming slip and t_3 = n x t_2 (SlipFrame), so that friction that opposes
/// slip has f_2 > 0 and a sphere that slides throughout has f_2 = mu. Nothing bounds the energy.
/// NaN where no impulse along that direction ends the approach.
/// Source: chatterjee1997 5.1.1.
struct BrachLaw {
  static const LawInfo& Info();

  /// @param parameters e, f_2 and, if given, f_3 (else 0)
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return SolveAlgebraically(contact, parameters, [&] {
      return ImpulseAlongDirection(contact, internal::DirectionOfRatios(contact, parameters),
                                   parameters[0]);
    });
  }
};

/// BrachLaw with f_3 among the parameters that must be given, so that a fit estimates it.
struct Brach3dLaw : BrachLaw {
  static const LawInfo& Info();
};

/// Ivanov's law: along the direction d = n + f_2 t_2 + f_3 t_3 (axes as for BrachLaw),
///     P = (1 + eta) s* d,   s* = -(d . u) / (d . A d),
/// where s* d is the impulse of largest dissipation. Energy after the impact is
///     E' = E_min + eta^2 (E - E_min),   E_min = E(u + s* A d),
/// so that it is never created; but the surfaces may still approach each other afterwards. NaN
/// where d . u >= 0: no impulse along d dissipates. The inverse is IvanovRestitution.
/// Source: chatterjee1997 (10.8), (10.9).
struct IvanovLaw {
  static const LawInfo& Info();

  /// @param parameters eta, f_2 and, if given, f_3 (else 0)
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return SolveAlgebraically(contact, parameters, [&]() -> Vector3<T> {
      const Vector3<T> d = internal::DirectionOfRatios(contact, parameters);
      const T approach = d.dot(contact.velocity);
      if (!(Value(approach) < 0.0)) return NoImpulse<T>();
      const T response = d.dot(contact.inverse_mass * d);
      return d * (-(T(1.0) + parameters[0]) * approach / response);
    });
  }
};

/// IvanovLaw with f_3 among the parameters that must be given, so that a fit estimates it.
struct Ivanov3dLaw : IvanovLaw {
  static const LawInfo& Info();
};

}  // namespace percuss::solver
