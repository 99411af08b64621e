// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/algebraic/trigonometric_quadratic.h"
#include "solver/body/scalar.h"
#include "solver/contact/contact.h"
#include "solver/law/impact_law.h"
#include "solver/rigid/slip_motion.h"

// The contact problems of the laws that see the velocity after the impulse instead of a path to it:
// Coulomb's law holds between the whole impulse P and u' = u + A P,
//     |P_t| <= mu P_n, and P_t = -mu P_n u'_t / |u'_t| where u'_t is not zero,
// with the circular cone, not a polygon. Each function solves one contact exactly.

namespace percuss::solver {

template <typename T>
struct FrictionImpulse {
  Eigen::Matrix<T, 3, 1> impulse;
  Eigen::Matrix<T, 3, 1> velocity;  ///< u'; where the contact sticks u'_t is exactly zero
  ContactMode mode = ContactMode::kSlip;
};

namespace internal {

/// The unit vector at the angle theta, and the one a quarter turn ahead.
template <typename T>
Vector2<T> Along(const T& theta) {
  using std::cos;
  using std::sin;
  return {cos(theta), sin(theta)};
}
template <typename T>
Vector2<T> Across(const Vector2<T>& along) {
  return {-along[1], along[0]};
}

/// A root of f found in double, with its derivatives by one step of Newton's method in T.
template <typename T, class Function>
T RefinedRoot(double theta, double slope, const Function& f) {
  if (slope == 0.0) return T(theta);
  return T(theta) - f(T(theta)) / slope;
}

/// The impulse at which u' = (0, 0, normal_velocity).
template <typename T>
Eigen::Matrix<T, 3, 1> StickingImpulse(const Contact<T>& contact, const T& normal_velocity) {
  const ContactBlocks<T> a(contact.inverse_mass, T(0));
  const Eigen::Matrix<T, 2, 2> inverse = a.tt.inverse();
  const Vector2<T> rest = inverse * contact.velocity.template head<2>();
  const Vector2<T> ratio = inverse * a.tn;
  const T p = (normal_velocity - contact.velocity[2] + a.tn.dot(rest)) / (a.nn - a.tn.dot(ratio));
  Eigen::Matrix<T, 3, 1> impulse;
  impulse << -rest - ratio * p, p;
  return impulse;
}

/// A contact that is to slip along d: then P = p (-mu d, 1), and u'_n as wanted makes
/// p (A_nn - mu A_tn . d) = u'_n - u_n.
template <typename T>
struct SlipProblem {
  ContactBlocks<T> a;
  Vector2<T> slip;  ///< u_t
  T rise;           ///< u'_n - u_n

  T Denominator(const Vector2<T>& d) const { return a.nn - a.mu * a.tn.dot(d); }
  /// Zero where u'_t is parallel to d; times the denominator. Of degree two in d.
  T Turn(const T& theta) const {
    const Vector2<T> d = Along(theta);
    const Vector2<T> push = a.tn - a.mu * (a.tt * d);
    return Across(d).dot(slip * Denominator(d) + push * rise);
  }
  /// p where Turn vanishes: from the normal velocity, or, where the denominator is all but lost in
  /// rounding (next to a jam), from the slip across d.
  T NormalImpulse(const Vector2<T>& d) const {
    const Vector2<T> c = Across(d);
    const Vector2<T> push = a.tn - a.mu * (a.tt * d);
    const T denominator = Denominator(d), slip_across = c.dot(slip), push_across = c.dot(push);
    const double normal_digits =
        std::abs(Value(denominator)) / (Value(a.nn) + Value(a.mu) * Value(a.tn).norm());
    const double slip_digits = std::min(
        std::abs(Value(slip_across)) / Value(slip).norm(),
        std::abs(Value(push_across)) / (Value(a.tn).norm() + Value(a.mu) * Value(a.tt).norm()));
    return normal_digits < slip_digits ? T(-slip_across / push_across) : T(rise / denominator);
  }
  /// u'_t . d for the normal impulse p.
  T Speed(const Vector2<T>& d, const T& p) const {
    return d.dot(slip + p * (a.tn - a.mu * (a.tt * d)));
  }
  Eigen::Matrix<T, 3, 1> Impulse(const Vector2<T>& d, const T& p) const {
    Eigen::Matrix<T, 3, 1> impulse;
    impulse << d * (-a.mu * p), p;
    return impulse;
  }
};

/// Which of several slip directions is taken: one in which the contact does slip (speed not
/// negative, to rounding), and of these the one that leaves the least kinetic energy.
class SlipChoice {
 public:
  void Offer(double theta, double speed, double speed_scale, double energy) {
    const double shortfall = std::max(0.0, -speed / speed_scale - kRounding);
    if (shortfall > shortfall_ || (shortfall == shortfall_ && energy >= energy_)) return;
    theta_ = theta;
    shortfall_ = shortfall;
    energy_ = energy;
  }
  bool Any() const { return std::isfinite(shortfall_); }
  double Theta() const { return theta_; }

 private:
  static constexpr double kRounding = 1e-12;
  double theta_ = 0.0;
  double shortfall_ = std::numeric_limits<double>::infinity();
  double energy_ = std::numeric_limits<double>::infinity();
};

inline bool InCone(const Eigen::Vector3d& impulse, double mu) {
  return impulse.head<2>().norm() <= mu * impulse[2] * (1.0 + 1e-14);
}

}  // namespace internal

/// The impulse that brings the contact to the normal velocity u'_n = `normal_velocity` > u_n. The
/// contact sticks if it can; otherwise the slip direction is a root of a quartic, of which all real
/// ones are found. In the plane there is exactly one solution; in space several are possible with
/// strong coupling, and the one with the least kinetic energy is taken.
template <typename T>
FrictionImpulse<T> ImpulseToNormalVelocity(const Contact<T>& contact, const T& mu,
                                           const T& normal_velocity) {
  const Eigen::Matrix<T, 3, 1> sticking = internal::StickingImpulse(contact, normal_velocity);
  const FrictionImpulse<T> stick{sticking, {T(0), T(0), normal_velocity}, ContactMode::kStick};
  if (internal::InCone(Value(sticking), Value(mu))) return stick;
  const internal::SlipProblem<double> values{{Value(contact.inverse_mass), Value(mu)},
                                             Value(contact.velocity).template head<2>(),
                                             Value(normal_velocity) - Value(contact.velocity[2])};
  const auto turn = TrigonometricQuadratic::Of([&](double theta) { return values.Turn(theta); });
  internal::SlipChoice choice;
  for (const double theta : turn.Roots()) {
    const Eigen::Vector2d d = internal::Along(theta);
    const double p = values.NormalImpulse(d);
    if (!(p > 0.0)) continue;
    const Eigen::Vector3d impulse = values.Impulse(d, p);
    const double energy = 0.5 * impulse.dot(Value(contact.inverse_mass) * impulse) +
                          impulse.dot(Value(contact.velocity));
    choice.Offer(theta, values.Speed(d, p),
                 values.slip.norm() + p * Value(contact.inverse_mass).norm(), energy);
  }
  if (!choice.Any()) return stick;  // on the border of the cone, or arguments that are not finite
  const internal::SlipProblem<T> problem{{contact.inverse_mass, mu},
                                         contact.velocity.template head<2>(),
                                         normal_velocity - contact.velocity[2]};
  const Vector2<T> d = internal::Along(internal::RefinedRoot<T>(
      choice.Theta(), turn.Slope(choice.Theta()), [&](const T& x) { return problem.Turn(x); }));
  const T p = problem.NormalImpulse(d);
  FrictionImpulse<T> result{problem.Impulse(d, p), {}, ContactMode::kSlip};
  result.velocity << d * problem.Speed(d, p), normal_velocity;
  return result;
}

/// The impulse with the normal component `p` >= 0 given. Its tangential part is the minimum of a
/// strictly convex function over a disc, so that there is exactly one solution; where the contact
/// slips, u'_t = s d with
///     (mu p A_tt + s) d = v,   |d| = 1,   v = u_t + A_tn p,
/// whose left side, solved for d, gets shorter as s grows.
template <typename T>
FrictionImpulse<T> ImpulseOfNormalImpulse(const Contact<T>& contact, const T& mu, const T& p) {
  // From rest everything is proportional to p, which may be zero.
  const bool from_rest = Value(contact.velocity).template head<2>().isZero(0.0);
  const T unit = from_rest ? T(1) : p;
  const T scale = from_rest ? p : T(1);
  const ContactBlocks<T> a(contact.inverse_mass, mu);
  const Vector2<T> v = (from_rest ? Vector2<T>(Vector2<T>::Zero())
                                  : Vector2<T>(contact.velocity.template head<2>())) +
                       a.tn * unit;
  FrictionImpulse<T> result;
  const T radius = mu * unit;
  const Eigen::Matrix2d tt = Value(a.tt);
  const Eigen::Vector2d v_value = Value(v);
  const double r = Value(radius);
  if ((tt.inverse() * v_value).norm() <= r * (1.0 + 1e-14)) {
    const Vector2<T> tangential = -(a.tt.inverse() * v);
    result.impulse << tangential * scale, p;
    result.mode = ContactMode::kStick;
    result.velocity << T(0), T(0), T(0);
  } else {
    double speed = std::max(0.0, v_value.norm() - r * tt.trace());
    Eigen::Vector2d d = v_value;
    for (int k = 0; k < 60; ++k) {
      const Eigen::Matrix2d inverse = (r * tt + speed * Eigen::Matrix2d::Identity()).inverse();
      d = inverse * v_value;
      const double length = d.norm();
      const double step = (length - 1.0) * length * length / d.dot(inverse * d);
      speed += step;
      if (std::abs(step) <= 4.0 * std::numeric_limits<double>::epsilon() * speed) break;
    }
    d.normalize();
    const Eigen::Vector2d across = internal::Across(d);
    const double slope = -d.dot(v_value - r * (tt * d)) - r * across.dot(tt * across);
    const auto turn = [&](const T& theta) {
      const Vector2<T> at = internal::Along(theta);
      return T(internal::Across(at).dot(v - radius * (a.tt * at)));
    };
    const Vector2<T> along =
        internal::Along(internal::RefinedRoot<T>(std::atan2(d[1], d[0]), slope, turn));
    result.impulse << along * (-radius * scale), p;
    result.velocity << along * (scale * along.dot(v - radius * (a.tt * along))), T(0);
  }
  result.velocity[2] = contact.velocity[2] + contact.inverse_mass.row(2).dot(result.impulse);
  return result;
}

}  // namespace percuss::solver
