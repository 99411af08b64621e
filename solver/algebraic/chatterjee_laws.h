// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>
#include <cmath>
#include <span>

#include "solver/algebraic/algebraic_law.h"
#include "solver/law/impact_law.h"
#include "solver/rigid/slip_frame.h"

// Chatterjee's collision laws I, II, III and their combination: explicit formulas without equations
// to solve, that never create energy, keep to the friction cone and separate, for every contact.
// r_n (here e) is a normal and r_t (here e_t) a tangential restitution; where tangential and normal
// motion do not couple all four are the bilinear law. M = A^-1 is the contact mass [kg].

namespace percuss::solver {

namespace internal {

/// An impulse outside the friction cone is drawn towards the frictionless impulse a n as far as the
/// cone:
///     (1 - alpha) a n + alpha P,   alpha = mu a / (mu a - mu P_n + |P_t|).
template <typename T>
Vector3<T> DrawnIntoCone(const Vector3<T>& impulse, const T& frictionless, const T& mu) {
  using std::sqrt;
  const Vector3<T> start(T(0.0), T(0.0), frictionless);
  const Vector2<T> tangential = impulse.template head<2>();
  const double size = Value(tangential).norm();
  if (size == 0.0 && Value(mu) == 0.0) return start;  // without friction in derivatives as well
  if (!(size > Value(mu) * Value(impulse[2]))) return impulse;
  const T excess = sqrt(tangential.squaredNorm()) - mu * impulse[2];
  const T alpha = mu * frictionless / (mu * frictionless + excess);
  return start + alpha * (impulse - start);
}

/// Law I. The impulse of uncoupled masses gives the direction; its size is brought to zero
/// dissipation and then down to u_n' = -r_n u_n, or, should the surfaces still approach, moved
/// along n to zero dissipation on the separating side.
template <typename T>
Vector3<T> FirstChatterjeeImpulse(const Contact<T>& contact, const T& mu, const T& r_n,
                                  const T& r_t) {
  const SlipFrame<T> frame = SlipFrameOf(contact);
  const Eigen::Matrix<T, 3, 3>& a = contact.inverse_mass;
  const Eigen::Matrix<T, 3, 3> m = a.llt().solve(Eigen::Matrix<T, 3, 3>::Identity());
  const T m_slip = frame.against_slip.dot(m.template topLeftCorner<2, 2>() * frame.against_slip);
  const T normal = m(2, 2) * (T(1.0) + r_n) * frame.normal_speed;
  const T tangential = m_slip * (T(1.0) + r_t) * frame.slip_speed;
  T ratio = mu;  // also where normal = 0
  if (!(Value(tangential) > Value(mu) * Value(normal))) {
    ratio = Value(normal) > 0.0 ? tangential / normal : T(0.0);
  }
  const Vector3<T> direction = frame.ToContactFrame(T(1.0), ratio, T(0.0));
  const Vector3<T> response = a * direction;
  Vector3<T> impulse =
      direction * (T(-2.0) * direction.dot(contact.velocity) / direction.dot(response));
  const T u_n_end = contact.velocity[2] + a.row(2).dot(impulse);
  if (Value(u_n_end) > 0.0 && Value(u_n_end) >= Value(r_n) * Value(frame.normal_speed)) {
    return impulse * ((T(1.0) + r_n) * frame.normal_speed / (u_n_end + frame.normal_speed));
  }
  if (Value(u_n_end) < 0.0) impulse[2] -= T(2.0) * u_n_end / a(2, 2);
  return impulse;
}

/// Law II, (6.7): P = (1 + r_n) P_1 + (1 + r_t) (P_2 - P_1), where P_1 ends the approach without
/// friction and P_2 = -M u brings the contact to rest. u_n' = -r_n u_n.
template <typename T>
Vector3<T> SecondChatterjeeImpulse(const Contact<T>& contact, const T& mu, const T& r_n,
                                   const T& r_t) {
  const Vector3<T> first(T(0.0), T(0.0), FrictionlessImpulse(contact, T(0.0)));
  const Vector3<T> second = ImpulseForChange<T>(contact, -contact.velocity);
  const T frictionless = (T(1.0) + r_n) * first[2];
  Vector3<T> impulse = (T(1.0) + r_t) * (second - first);
  impulse[2] += frictionless;
  return DrawnIntoCone(impulse, frictionless, mu);
}

/// Law III: P = M (u' - u) with u' = -(r_t u_t, r_n u_n), shortened if that had more energy than u.
template <typename T>
Vector3<T> ThirdChatterjeeImpulse(const Contact<T>& contact, const T& mu, const T& r_n,
                                  const T& r_t) {
  using std::sqrt;
  const Vector3<T>& u = contact.velocity;
  Vector3<T> end(-r_t * u[0], -r_t * u[1], -r_n * u[2]);
  const T before = u.dot(ImpulseForChange(contact, u));
  const T after = end.dot(ImpulseForChange(contact, end));
  if (Value(after) > Value(before)) end *= sqrt(before / after);
  const Vector3<T> impulse = ImpulseForChange<T>(contact, end - u);
  return DrawnIntoCone(impulse, FrictionlessImpulse(contact, r_n), mu);
}

}  // namespace internal

/// Law I: the impulse computed from u. The only one of the three whose u_n' / u_n is not bounded by
/// e; it can exceed 1 near grazing, without creating energy. There is no impulse across the slip.
/// Source: chatterjee1997 6.5.1.
struct FirstChatterjeeLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e, e_t
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return SolveAlgebraically(contact, parameters, [&] {
      return internal::FirstChatterjeeImpulse(contact, parameters[0], parameters[1], parameters[2]);
    });
  }
};

/// Law II: the impulse computed from M u; u_n' = -e u_n always.
/// Source: chatterjee1997 6.5.2, (6.7).
struct SecondChatterjeeLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e, e_t
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return SolveAlgebraically(contact, parameters, [&] {
      return internal::SecondChatterjeeImpulse(contact, parameters[0], parameters[1],
                                               parameters[2]);
    });
  }
};

/// Law III: the velocity after the impact computed from u; -u_n' / u_n never exceeds e.
/// Source: chatterjee1997 6.5.3.
struct ThirdChatterjeeLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e, e_t
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return SolveAlgebraically(contact, parameters, [&] {
      return internal::ThirdChatterjeeImpulse(contact, parameters[0], parameters[1], parameters[2]);
    });
  }
};

/// P = s_1 P_I + s_2 P_II + (1 - s_1 - s_2) P_III: admissible because the admissible impulses form
/// a convex set. Shares that add up to more than 1 are both divided by their sum, so that a search
/// may move each of them in [0, 1].
/// Source: chatterjee1997 6.6.
struct CombinedChatterjeeLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e, e_t, s_1, s_2
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return SolveAlgebraically(contact, parameters, [&]() -> Vector3<T> {
      const T &mu = parameters[0], &r_n = parameters[1], &r_t = parameters[2];
      T s_1 = parameters[3], s_2 = parameters[4];
      if (const T sum = s_1 + s_2; Value(sum) > 1.0) {
        s_1 /= sum;
        s_2 /= sum;
      }
      return s_1 * internal::FirstChatterjeeImpulse(contact, mu, r_n, r_t) +
             s_2 * internal::SecondChatterjeeImpulse(contact, mu, r_n, r_t) +
             (T(1.0) - s_1 - s_2) * internal::ThirdChatterjeeImpulse(contact, mu, r_n, r_t);
    });
  }
};

}  // namespace percuss::solver
