// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/algebraic/friction_impulse.h"
#include "solver/algebraic/straight_impulse.h"
#include "solver/law/impact_law.h"

namespace percuss::solver {

/// Impact as a complementarity problem with Newton's restitution: Coulomb's law between the impulse
/// and the velocity after it, and
///     0 <= P_n  complementary to  u_n' + e u_n >= 0.
/// An approaching contact has u_n' = -e u_n; for one contact this is the law of Kane and Levinson.
/// It can create kinetic energy where e > 0.
///
/// In the plane the cone has two rays and the problem is the linear one of the source; in space the
/// circular cone takes the place of the polygon.
///
/// Source: Anitescu & Potra, Nonlinear Dynamics 14 (1997) 231; chatterjee1997 5.1.2.
struct AnitescuPotraNewtonLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    const FrictionImpulse<T> solution =
        ImpulseToNormalVelocity<T>(contact, parameters[0], -parameters[1] * contact.velocity[2]);
    ImpactResult<T> result = StraightImpulse(contact, solution.impulse);
    result.modes = {solution.mode};
    return result;
  }
};

/// Impact as two complementarity problems with Poisson's restitution. Compression has u_n = 0 at
/// its end and the normal impulse P_cn; decompression starts from there with the normal impulse
///     P_rn = e P_cn + x,   0 <= x  complementary to  u_n' >= 0,
/// each with Coulomb's law between its impulse and the velocity at its end. For one contact x = 0:
/// this is provable in the plane, and in space no contact that needs x > 0 was found when
/// compression takes its solution of maximum dissipation.
///
/// Each phase is taken as a straight line for the works.
///
/// Source: Anitescu & Potra, Nonlinear Dynamics 14 (1997) 231.
struct AnitescuPotraPoissonLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const;
};

template <typename T>
ImpactResult<T> AnitescuPotraPoissonLaw::Solve(const Contact<T>& contact,
                                               std::span<const T> parameters) const {
  const T& mu = parameters[0];
  const FrictionImpulse<T> compression = ImpulseToNormalVelocity<T>(contact, mu, T(0));
  const Contact<T> compressed{contact.inverse_mass, compression.velocity};
  const T given = parameters[1] * compression.impulse[2];
  const FrictionImpulse<T> decompression = ImpulseOfNormalImpulse<T>(compressed, mu, given);
  ImpactResult<T> result = StraightImpulse(contact, compression.impulse);
  const ImpactResult<T> second = StraightImpulse(compressed, decompression.impulse);
  result.impulse += second.impulse;
  result.contact_velocity = contact.velocity + contact.inverse_mass * result.impulse;
  result.compression_impulse = compression.impulse[2];
  result.restitution_impulse = decompression.impulse[2];
  result.energy.normal_work += second.energy.normal_work;
  result.energy.friction_work += second.energy.friction_work;
  result.modes = {compression.mode, decompression.mode};
  return result;
}

}  // namespace percuss::solver
