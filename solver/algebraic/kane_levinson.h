// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>

#include "solver/algebraic/algebraic_law.h"
#include "solver/law/impact_law.h"
#include "solver/rigid/slip_motion.h"

namespace percuss::solver {

namespace internal {

enum class FinalSlipKind { kNone, kStops, kGoesOn };

/// What the slip is after an impact by Kane and Levinson's law.
struct FinalSlip {
  FinalSlipKind kind = FinalSlipKind::kNone;  ///< kNone only for arguments that are not finite
  Eigen::Vector2d direction = Eigen::Vector2d::Zero();  ///< unit vector where slip goes on
};
FinalSlip FinalSlipOf(const Contact<double>& contact, double mu, double e);

/// The impact with friction against the unit vector d:
///     P = P_n (n - mu d),   P_n = c / (A_nn - mu A_tn . d),   c = -(1 + e) u_n,
///     (A_nn - mu A_tn . d) u_t' = start + turn d.
template <typename T>
struct FrictionAgainst {
  FrictionAgainst(const Contact<T>& contact, const T& mu, const T& e)
      : a(contact.inverse_mass, mu), c(-(T(1.0) + e) * contact.velocity[2]) {
    const Vector2<T> slip = contact.velocity.template head<2>();
    start = a.nn * slip + c * a.tn;
    turn = -mu * (slip * a.tn.transpose() + c * a.tt);
  }

  T NormalResponse(const Vector2<T>& d) const { return a.nn - a.mu * a.tn.dot(d); }
  Vector2<T> ScaledSlip(const Vector2<T>& d) const { return start + turn * d; }
  Vector3<T> Impulse(const Vector2<T>& d) const {
    const T normal = c / NormalResponse(d);
    return Vector3<T>(-a.mu * normal * d[0], -a.mu * normal * d[1], normal);
  }

  ContactBlocks<T> a;
  T c;
  Vector2<T> start;
  Eigen::Matrix<T, 2, 2> turn;
};

template <typename T>
T Cross(const Vector2<T>& x, const Vector2<T>& y) {
  return x[0] * y[1] - x[1] * y[0];
}

/// A step of Newton's method on d x ScaledSlip(d) = 0 turns a solution in double into one that has
/// derivatives.
template <typename T>
Vector2<T> WithDerivatives(const FrictionAgainst<T>& friction, const Eigen::Vector2d& direction) {
  const Vector2<T> d = direction.template cast<T>();
  const Vector2<T> turned(-d[1], d[0]);
  const Vector2<T> slip = friction.ScaledSlip(d);
  const double slope = Value(Cross(turned, slip)) + Value(Cross<T>(d, friction.turn * turned));
  return d - turned * (Cross(d, slip) / slope);
}

template <typename T>
struct KaneLevinsonSolution {
  Vector3<T> impulse = NoImpulse<T>();
  FinalSlipKind slip = FinalSlipKind::kNone;
};

template <typename T>
KaneLevinsonSolution<T> SolveKaneLevinson(const Contact<T>& contact, const T& mu, const T& e) {
  const Contact<double> values{Value(contact.inverse_mass), Value(contact.velocity)};
  const FinalSlip final_slip = FinalSlipOf(values, Value(mu), Value(e));
  switch (final_slip.kind) {
    case FinalSlipKind::kNone:
      break;
    case FinalSlipKind::kStops: {
      const Vector3<T> end(T(0.0), T(0.0), -e * contact.velocity[2]);
      return {ImpulseForChange<T>(contact, end - contact.velocity), final_slip.kind};
    }
    case FinalSlipKind::kGoesOn: {
      const FrictionAgainst<T> friction(contact, mu, e);
      Vector2<T> d = final_slip.direction.template cast<T>();
      if constexpr (kIsAutodiff<T>) d = WithDerivatives(friction, final_slip.direction);
      return {friction.Impulse(d), final_slip.kind};
    }
  }
  return {};
}

}  // namespace internal

/// Law of Whittaker, Kane and Levinson: kinematic restitution, and friction against the slip after
/// the impact,
///     u_n' = -e u_n,   and either u_t' = 0 with |P_t| <= mu P_n, or P_t = -mu P_n u_t' / |u_t'|.
/// It creates kinetic energy in some contacts, without bound, though never for e = 0. The direction
/// of slip is a zero of a trigonometric polynomial of degree two, all of whose zeros are found. In
/// the plane one of them is a solution; in space there are three in rare contacts (very unequal
/// inverse masses, strong friction), of which the one that leaves the least energy is taken.
/// Source: chatterjee1997 5.1.2.
struct KaneLevinsonLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    if (!IsFinite(contact, parameters)) return StraightImpulse(contact, NoImpulse<T>());
    const auto solution = internal::SolveKaneLevinson(contact, parameters[0], parameters[1]);
    ImpactResult<T> result = StraightImpulse(contact, solution.impulse);
    const bool stops = solution.slip == internal::FinalSlipKind::kStops;
    result.modes = {stops ? ContactMode::kStick : ContactMode::kSlip};
    return result;
  }
};

}  // namespace percuss::solver
