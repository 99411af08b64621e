// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/algebraic/algebraic_law.h"
#include "solver/algebraic/impulse_direction_laws.h"
#include "solver/rigid/slip_frame.h"

namespace percuss::solver {

/// Friction against the incoming slip to the end, and kinematic restitution,
///     P = P_n (n - mu u_t / |u_t|),   u_n' = -e u_n,
/// without friction where there is no slip before. Creates energy where friction turns slip round.
struct SlidingLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return SolveAlgebraically(contact, parameters, [&]() -> Vector3<T> {
      const SlipFrame<T> frame = SlipFrameOf(contact);
      const T ratio = Value(frame.slip_speed) > 0.0 ? parameters[0] : T(0.0);
      const Vector3<T> direction = frame.ToContactFrame(T(1.0), ratio, T(0.0));
      return ImpulseAlongDirection(contact, direction, parameters[1]);
    });
  }
};

}  // namespace percuss::solver
