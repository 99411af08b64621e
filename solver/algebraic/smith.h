// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/LU>
#include <cmath>
#include <optional>
#include <span>

#include "solver/algebraic/algebraic_law.h"
#include "solver/algebraic/kane_levinson.h"
#include "solver/law/impact_law.h"
#include "solver/rigid/slip_motion.h"

namespace percuss::solver {

namespace internal {

/// Smith's conditions on the change of slip x = u_t' - u_t. With P = M (u' - u),
///     P_t + mu P_n h(x) = 0,   h = (|u_t| u_t + |u_t'| u_t') / (|u_t|^2 + |u_t'|^2),   |h| <= 1.
template <typename T>
struct SmithConditions {
  Vector3<T> Impulse(const Vector2<T>& x) const {
    return ImpulseForChange(contact, Vector3<T>(x[0], x[1], -(T(1.0) + e) * contact.velocity[2]));
  }
  Vector2<T> FrictionDirection(const Vector2<T>& x) const {
    using std::sqrt;
    const Vector2<T> before = contact.velocity.template head<2>();
    const Vector2<T> after = before + x;
    const T before_squared = before.squaredNorm(), after_squared = after.squaredNorm();
    Vector2<T> sum = sqrt(before_squared) * before;
    if (Value(after_squared) > 0.0) sum += sqrt(after_squared) * after;
    return sum / (before_squared + after_squared);
  }
  Vector2<T> Residual(const Vector2<T>& x) const {
    const Vector3<T> impulse = Impulse(x);
    return impulse.template head<2>() + mu * impulse[2] * FrictionDirection(x);
  }

  const Contact<T>& contact;
  T mu, e;
};

/// A solution x for a contact that slips before the impact, and the derivative of
/// SmithConditions::Residual by x there.
struct SmithSolution {
  Eigen::Vector2d slip_change;
  Eigen::Matrix2d slope;
};
/// None if the search fails, as it does for arguments that are not finite; else it does for about
/// one in a million contacts, with slip near 1e-8 |u| and inverse masses of six orders of
/// magnitude.
std::optional<SmithSolution> FollowSmithSolution(const Contact<double>& contact, double mu,
                                                 double e);

}  // namespace internal

/// Smith's law: kinematic restitution, and friction against a mean of the slip before and after,
/// weighted by the speeds,
///     u_n' = -e u_n,
///     P_t = -mu P_n (|u_t| u_t + |u_t'| u_t') / (|u_t|^2 + |u_t'|^2).
/// Energy is never created. Without slip before the impact (less than 1e-8 |u|) the limit is taken,
/// which is Kane and Levinson's law: the contact sticks if friction can hold it, else friction
/// opposes u_t'.
///
/// u_t' is followed from mu = 0, where the conditions are linear, along the curve of solutions,
/// which always arrives at mu. In space the curve may fold back, and then there are further
/// solutions; the first one that it meets is taken. Source: chatterjee1997 5.1.3, (5.1), (6.3),
/// 10.3.
struct SmithLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return SolveAlgebraically(contact, parameters, [&]() -> Vector3<T> {
      const T &mu = parameters[0], &e = parameters[1];
      const Contact<double> values{Value(contact.inverse_mass), Value(contact.velocity)};
      constexpr double kNoSlip = 1e-8;
      if (values.velocity.template head<2>().norm() <= kNoSlip * values.velocity.norm()) {
        return internal::SolveKaneLevinson(contact, mu, e).impulse;
      }
      const auto solution = internal::FollowSmithSolution(values, Value(mu), Value(e));
      if (!solution) return NoImpulse<T>();
      const internal::SmithConditions<T> conditions{contact, mu, e};
      Vector2<T> slip_change = solution->slip_change.template cast<T>();
      if constexpr (kIsAutodiff<T>) {  // a step of Newton's method gives it its derivatives
        const Eigen::Matrix2d inverse = solution->slope.inverse();
        slip_change -= inverse.template cast<T>() * conditions.Residual(slip_change);
      }
      return conditions.Impulse(slip_change);
    });
  }
};

}  // namespace percuss::solver
