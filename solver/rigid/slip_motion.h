// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "solver/body/scalar.h"
#include "solver/contact/contact.h"
#include "solver/integration/event_location.h"

// The ways a contact can move during an impact: it sticks or slips straight (here), or its slip
// turns (turning_slip.h, settling_slip.h). All quantities are in the contact frame (t1, t2, n);
// index t means the two tangents.

namespace percuss::solver {

template <typename T>
using Vector2 = Eigen::Matrix<T, 2, 1>;

/// Blocks of the inverse contact mass and the friction coefficient.
template <typename T>
struct ContactBlocks {
  Eigen::Matrix<T, 2, 2> tt;
  Vector2<T> tn;
  T nn;
  T mu;

  ContactBlocks(const Eigen::Matrix<T, 3, 3>& inverse_mass, const T& mu_in)
      : tt(inverse_mass.template topLeftCorner<2, 2>()),
        tn(inverse_mass.template topRightCorner<2, 1>()),
        nn(inverse_mass(2, 2)),
        mu(mu_in) {}
};

/// How far the impact has come.
template <typename T>
struct ImpulseState {
  T p = T(0);                            ///< normal impulse [N s]
  Vector2<T> j = Vector2<T>::Zero();     ///< tangential impulse [N s]
  Vector2<T> slip = Vector2<T>::Zero();  ///< tangential contact velocity [m/s]
  T u_n = T(0);                          ///< normal contact velocity [m/s]
  T work = T(0);                         ///< integral of u_n dp [J]
};

/// The state after further impulses p and j; `slip` and `work` are given because they would suffer
/// from cancellation.
template <typename T>
ImpulseState<T> Advanced(const ContactBlocks<T>& a, const ImpulseState<T>& from, const T& p,
                         const Vector2<T>& j, const Vector2<T>& slip, const T& work) {
  ImpulseState<T> state;
  state.p = from.p + p;
  state.j = from.j + j;
  state.slip = slip;
  state.u_n = from.u_n + a.nn * p + a.tn.dot(j);
  state.work = work;
  return state;
}

/// Rates of slip while it points along the unit vector t at the angle theta: with tau = dp / s,
///     d(ln s)/dtau = growth,  dtheta/dtau = turn,  d(turn)/dtheta = turn_slope.
struct SlipRates {
  double growth, turn, turn_slope;
};

inline SlipRates RatesAlong(const ContactBlocks<double>& a, const Eigen::Vector2d& t) {
  const Eigen::Vector2d across(-t.y(), t.x());
  const Eigen::Vector2d rate = a.tn - a.mu * a.tt * t;
  const double growth = t.dot(rate);
  return {growth, across.dot(rate), -growth - a.mu * across.dot(a.tt * across)};
}

/// What the rates of slip are small or large against.
inline double SlipRateScale(const ContactBlocks<double>& a) {
  return a.tn.norm() + a.mu * a.tt.norm();
}

/// The direction of slip that can keep its direction nearest to t, by Newton's method on turn = 0.
inline Eigen::Vector2d NearestSteadyDirection(const ContactBlocks<double>& a, Eigen::Vector2d t) {
  for (int k = 0; k < 12; ++k) {
    const SlipRates rates = RatesAlong(a, t);
    const double angle = -rates.turn / rates.turn_slope;
    t = (t + angle * Eigen::Vector2d(-t.y(), t.x())).normalized();
    if (std::abs(angle) < 1e-9) break;  // the next step would be its square
  }
  return t;
}

/// The smallest friction coefficient that holds a contact that does not slip: |A_tt^-1 A_tn|.
inline double CriticalFriction(const ContactBlocks<double>& a) {
  return (a.tt.inverse() * a.tn).norm();
}

/// The direction in which slip starts from rest when mu < CriticalFriction: the unit vector t with
///     A_tn - mu A_tt t = growth t,  growth > 0.
/// Eliminating t leaves |(mu A_tt + growth)^-1 A_tn| = 1, whose left side falls with growth from
/// mu_critical / mu > 1 to 0: there is exactly one solution. Newton on 1/|.| - 1 climbs to it.
inline Eigen::Vector2d ResumedSlipDirection(const ContactBlocks<double>& a) {
  double growth = std::max(0.0, a.tn.norm() - a.mu * a.tt.trace());
  Eigen::Vector2d t = a.tn;
  for (int k = 0; k < 60; ++k) {
    const Eigen::Matrix2d inverse = (a.mu * a.tt + growth * Eigen::Matrix2d::Identity()).inverse();
    t = inverse * a.tn;
    const double length = t.norm();
    const double step = (length - 1.0) * length * length / t.dot(inverse * t);
    growth += step;
    if (std::abs(step) <= 4.0 * std::numeric_limits<double>::epsilon() * growth) break;
  }
  return t.normalized();
}

/// Sticking contact: j = k p with k = -A_tt^-1 A_tn.
template <typename T>
class Stick {
 public:
  Stick(const ContactBlocks<T>& a, const ImpulseState<T>& from) : start_(from) {
    const Eigen::Matrix<T, 2, 2> inverse = a.tt.inverse();
    ratio_ = -(inverse * a.tn);
    // Slip is zero here in value; what derivatives it carries are brought to rest as well.
    const Vector2<T> rest = -(inverse * from.slip);
    start_.j += rest;
    start_.u_n += a.tn.dot(rest);
    start_.slip.setZero();
    rise_ = a.nn + a.tn.dot(ratio_);
  }

  ImpulseState<T> At(const T& p) const {
    ImpulseState<T> state = start_;
    state.p += p;
    state.j += ratio_ * p;
    state.u_n += rise_ * p;
    state.work += p * (start_.u_n + rise_ * p * T(0.5));
    return state;
  }

  /// Normal velocity, and normal impulse and work since the start of the impact, as functions of
  /// the normal impulse since the start of the motion.
  internal::Quadratic NormalVelocity() const { return {Value(start_.u_n), Value(rise_), 0.0}; }
  internal::Quadratic Impulse() const { return {Value(start_.p), 1.0, 0.0}; }
  internal::Quadratic Work() const {
    return {Value(start_.work), Value(start_.u_n), 0.5 * Value(rise_)};
  }
  double Length() const { return std::numeric_limits<double>::infinity(); }

 private:
  ImpulseState<T> start_;
  Vector2<T> ratio_;
  T rise_;
};

/// Slip that keeps its direction: everything is linear in the normal impulse.
///
/// The direction is a constant, double `along`; what the slip velocity has across it, w, is small
/// (rounding, or the last remnant of a turn) or only carries derivatives. It is followed to first
/// order in closed form: with s the slip speed, c = across . (A_tn - mu A_tt along) and
/// a = mu A_across,across,
///     ds/dp = f,   dw/dp = c - a w / s   =>   w = w_0 x + c alpha,
///     x = exp(-a tau),  alpha = s (1 - exp(-(f + a) tau)) / (f + a),  tau = int dp / s,
/// so that planar problems are exact and their out-of-plane derivatives correct.
template <typename T>
class StraightSlip {
 public:
  StraightSlip(const ContactBlocks<T>& a, const ImpulseState<T>& from, const Eigen::Vector2d& along)
      : a_(a), start_(from), along_(along), across_(-along.y(), along.x()) {
    const Vector2<T> l = along_.template cast<T>();
    const Vector2<T> c = across_.template cast<T>();
    tt_ll_ = l.dot(a.tt * l);
    tt_lc_ = l.dot(a.tt * c);
    tt_cc_ = c.dot(a.tt * c);
    tn_l_ = l.dot(a.tn);
    tn_c_ = c.dot(a.tn);
    speed_ = l.dot(from.slip);
    across_speed_ = c.dot(from.slip);
    growth_ = tn_l_ - a.mu * tt_ll_;
    push_ = tn_c_ - a.mu * tt_lc_;
    rise_ = a.nn - a.mu * tn_l_;
  }

  ImpulseState<T> At(const T& p) const {
    const Remnant remnant = RemnantAt(Value(p));
    const T w = across_speed_ * remnant.x + push_ * remnant.alpha;
    // Turned-away impulse mu int (w / s) dp, and its integral over p.
    const T turned =
        a_.mu * (across_speed_ * remnant.angle_integral_w + push_ * remnant.angle_integral_push);
    const T turned_integral =
        (push_ * p * p * T(0.5) - across_speed_ * (remnant.x_integral - Value(p)) -
         push_ * remnant.alpha_integral) /
        tt_cc_;
    ImpulseState<T> state = start_;
    state.p += p;
    const T speed = speed_ + growth_ * p - tt_lc_ * turned;
    for (int i = 0; i < 2; ++i) {
      state.j[i] -= a_.mu * p * along_[i] + turned * across_[i];
      state.slip[i] = speed * along_[i] + w * across_[i];
    }
    state.u_n += rise_ * p - tn_c_ * turned;
    state.work += p * (start_.u_n + rise_ * p * T(0.5)) - tn_c_ * turned_integral;
    return state;
  }

  /// The state where slip stops; only for Length() < infinity.
  ImpulseState<T> AtStop() const {
    T p = T(Length());
    const Vector2<T> left = At(p).slip;
    p -= (left[0] * along_[0] + left[1] * along_[1]) / growth_;
    ImpulseState<T> state = At(p);
    state.slip.setZero();
    return state;
  }

  /// Normal velocity, and normal impulse and work since the start of the impact, as functions of
  /// the normal impulse since the start of the motion.
  internal::Quadratic NormalVelocity() const { return {Value(start_.u_n), Value(rise_), 0.0}; }
  internal::Quadratic Impulse() const { return {Value(start_.p), 1.0, 0.0}; }
  internal::Quadratic Work() const {
    return {Value(start_.work), Value(start_.u_n), 0.5 * Value(rise_)};
  }
  /// Normal impulse until slip stops [N s].
  double Length() const {
    const double growth = Value(growth_);
    if (growth >= 0.0) return std::numeric_limits<double>::infinity();
    return std::max(0.0, -Value(speed_) / growth);
  }

 private:
  struct Remnant {
    double x, alpha;
    double angle_integral_w, angle_integral_push;  // int (w / s) dp for w_0 = 1 and for c = 1
    double x_integral, alpha_integral;
  };

  static double ExpIntegral(double rate, double tau) {  // int_0^tau exp(rate t) dt
    return std::abs(rate * tau) < 1e-12 ? tau : std::expm1(rate * tau) / rate;
  }

  // (E(high) - E(low)) / (high - low) of E(rate) = ExpIntegral(rate, tau). Where the two are close
  // it is taken over a wider interval about the same middle.
  static double ExpIntegralSlope(double low, double high, double tau) {
    const double middle = 0.5 * (low + high);
    const double width = std::max(std::abs(high - low), 2e-4 / tau);
    return (ExpIntegral(middle + 0.5 * width, tau) - ExpIntegral(middle - 0.5 * width, tau)) /
           width;
  }

  Remnant RemnantAt(double p) const {
    const double s0 = Value(speed_);
    const double f = Value(growth_);
    const double a = Value(a_.mu) * Value(tt_cc_);
    const double s = s0 + f * p;
    if (p == 0.0) return {1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    if (a == 0.0) return {1.0, p, 0.0, 0.0, p, 0.5 * p * p};  // no friction: nothing turns it
    if (!(s0 > 0.0)) {                                        // from rest: the remnant dies at once
      return {0.0, f * p / (f + a), 1.0 / a, p / (f + a), 0.0, 0.5 * f * p * p / (f + a)};
    }
    if (s <= 1e-15 * s0) {  // slip has stopped: tau is infinite
      return {0.0, 0.0, 1.0 / a, p / a, -s0 / (f - a), 0.5 * s0 * s0 / (f * (f - a))};
    }
    const double tau = std::abs(f * p) < 1e-12 * s0 ? p / s0 : std::log1p(f * p / s0) / f;
    return {.x = std::exp(-a * tau),
            .alpha = s * ExpIntegral(-f - a, tau),
            .angle_integral_w = ExpIntegral(-a, tau),
            .angle_integral_push = s0 * ExpIntegralSlope(-a, f, tau),
            .x_integral = s0 * ExpIntegral(f - a, tau),
            .alpha_integral = s0 * s0 * ExpIntegralSlope(f - a, 2.0 * f, tau)};
  }

  ContactBlocks<T> a_;
  ImpulseState<T> start_;
  Eigen::Vector2d along_, across_;
  T tt_ll_, tt_lc_, tt_cc_, tn_l_, tn_c_;
  T speed_, across_speed_, growth_, push_, rise_;
};

}  // namespace percuss::solver
