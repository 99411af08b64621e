// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>

#include "solver/body/scalar.h"
#include "solver/integration/event_location.h"
#include "solver/rigid/slip_motion.h"
#include "solver/rigid/turning_slip.h"

namespace percuss::solver {

/// Slip that comes to a stop while its direction settles, all the way to the stop, in one series.
///
/// Let t be the direction that slip keeps in the end, c the tangent across it, f < 0 the growth
/// rate of slip along t and a > 0 the rate at which a small angle to t decays, both per tau,
/// d tau = dp / s. Then the motion of TurningSlip is
///     slip = scale w (y_l(z) t + y_c(z) c),   w = exp(f tau),   z = z_0 exp(-a tau),
/// with power series y that start with (1, 0) and the free amplitude z in y_c. Their coefficients
/// follow from f y - a z y' = |y| A_tn - mu A_tt y one by one, and the impulses by integrating term
/// by term over tau. The stop is w = 0, where nothing is singular any more.
///
/// The motion is given by x = 1 - w, from 0 to the stop at 1.
template <typename T>
class SettlingSlip {
 public:
  static constexpr int kOrder = 16;

  /// @param steady the direction t; growth along it is negative, and turning decays towards it.
  SettlingSlip(const ContactBlocks<T>& a, const ImpulseState<T>& from,
               const Eigen::Vector2d& steady)
      : a_(a), start_(from) {
    FindAxes(steady);
    Expand();
    converges_ = FindAmplitude();
    if (converges_) Integrate();
  }

  /// False where the slip is still too far from t for the series; nothing else may be asked then.
  bool Converges() const { return converges_; }
  double Length() const { return 1.0; }

  /// Normal velocity, and normal impulse and work since the start of the impact, as functions of x.
  auto NormalVelocity() const {
    return [this](double x) -> internal::Look {
      const Place at(*this, x);
      return {Value(u_n_stop_) + at.w * Sum(u_n_, at.z), -Sum(u_n_slope_, at.z) / f_};
    };
  }
  auto Impulse() const {
    return [this](double x) -> internal::Look {
      const Place at(*this, x);
      return {Value(p_stop_) + at.w * Sum(impulse_, at.z), -Sum(speed_, at.z) / f_};
    };
  }
  auto Work() const {
    return [this](double x) -> internal::Look {
      const Place at(*this, x);
      const double u_n = Value(u_n_stop_) + at.w * Sum(u_n_, at.z);
      return {Value(WorkAt(T(at.w), T(at.z))), -u_n * Sum(speed_, at.z) / f_};
    };
  }

  ImpulseState<T> At(const T& x) const {
    using std::pow;
    const T w = T(1.0) - x;
    return StateAt(w, z_ * pow(w, decay_));
  }
  ImpulseState<T> AtStop() const {
    ImpulseState<T> state = StateAt(T(0.0), T(0.0));
    state.slip.setZero();
    return state;
  }

 private:
  using Terms = std::array<T, kOrder + 1>;
  using Series = std::array<double, kOrder + 1>;

  // Where x is in terms of the series; w d tau / dx = -1 / f everywhere.
  struct Place {
    double w, z;
    Place(const SettlingSlip& slip, double x)
        : w(std::max(1.0 - x, 0.0)), z(slip.z_start_ * std::pow(w, Value(slip.decay_))) {}
  };

  // The steady direction with its derivatives: one step of Newton's method on turn = 0.
  void FindAxes(const Eigen::Vector2d& steady) {
    using std::sqrt;
    const Vector2<T> t = steady.cast<T>();
    const Vector2<T> c(-t[1], t[0]);
    const Vector2<T> rate = a_.tn - a_.mu * (a_.tt * t);
    const T slope = -t.dot(rate) - a_.mu * c.dot(a_.tt * c);
    along_ = t - c * (c.dot(rate) / slope);
    along_ /= sqrt(along_.squaredNorm());
    across_ = {-along_[1], along_[0]};
    const T tt_cc = a_.mu * across_.dot(a_.tt * across_);
    growth_ = along_.dot(a_.tn) - a_.mu * along_.dot(a_.tt * along_);
    turn_ = growth_ + tt_cc;
    decay_ = -turn_ / growth_;
    f_ = Value(growth_);
    a_turn_ = Value(turn_);
  }

  void Expand() {
    const T tn_l = along_.dot(a_.tn);
    const T tn_c = across_.dot(a_.tn);
    const T coupling = a_.mu * along_.dot(a_.tt * across_);
    const T inverse_turn = T(1.0) / turn_;
    y_l_[0] = s_[0] = T(1.0);
    y_c_[0] = T(0.0);
    y_c_[1] = T(1.0);
    y_l_[1] = s_[1] = coupling * inverse_turn;
    for (int k = 2; k <= kOrder; ++k) {
      T slips = T(0.0), speeds = T(0.0);
      for (int i = 1; i < k; ++i) {
        slips += y_l_[i] * y_l_[k - i] + y_c_[i] * y_c_[k - i];
        speeds += s_[i] * s_[k - i];
      }
      const T rest = T(0.5) * (slips - speeds);
      y_c_[k] = rest * tn_c * inverse_turn * (1.0 / (1 - k));
      y_l_[k] = (coupling * y_c_[k] - rest * tn_l) * inverse_turn * (1.0 / k);
      s_[k] = y_l_[k] + rest;
    }
  }

  // z_0 from the direction of the slip at the start: y_c(z) slip_l = y_l(z) slip_c.
  bool FindAmplitude() {
    using std::sqrt;
    const T slip_l = along_.dot(start_.slip);
    const T slip_c = across_.dot(start_.slip);
    const double target = Value(slip_c) / Value(slip_l);
    if (!(Value(slip_l) > 0.0) || !(std::abs(target) < 1.0)) return false;
    double z = target;
    double slope = 1.0, step = 1.0;
    for (int k = 0; k < 8 && std::abs(step) > 1e-15 * std::abs(z); ++k) {
      const internal::Look l = EvaluateValues(y_l_, z);
      const internal::Look c = EvaluateValues(y_c_, z);
      slope = c.slope - target * l.slope;
      step = (target * l.value - c.value) / slope;
      z += step;
    }
    double power = 1.0;  // |z|^(kOrder - 2)
    for (int k = 2; k < kOrder; ++k) power *= std::abs(z);
    const double last =
        std::abs(z) * std::max(std::abs(Value(y_l_[kOrder])), std::abs(Value(y_c_[kOrder])));
    const double last_but_one =
        std::max(std::abs(Value(y_l_[kOrder - 1])), std::abs(Value(y_c_[kOrder - 1])));
    // Written so that it is false, too, for a z that is not finite.
    const bool found = std::abs(step) <= 1e-12 * std::abs(z) && slope > 0.0;
    if (!(found && power * std::max(last, last_but_one) < 1e-15)) return false;
    z_ = T(z);
    z_ -= (Sum(y_c_, z_) * slip_l - Sum(y_l_, z_) * slip_c) / (slope * Value(slip_l));
    z_start_ = Value(z_);
    scale_ = sqrt(start_.slip.squaredNorm()) / Sum(s_, z_);
    return true;
  }

  // Coefficients of the impulses [N s], the normal velocity and the normal work.
  void Integrate() {
    const T a_l = along_.dot(a_.tn);
    const T a_c = across_.dot(a_.tn);
    for (int k = 0; k <= kOrder; ++k) {
      const T by_impulse = scale_ / (growth_ - turn_ * T(k));
      impulse_[k] = s_[k] * by_impulse;
      impulse_l_[k] = -(a_.mu * y_l_[k]) * by_impulse;
      impulse_c_[k] = -(a_.mu * y_c_[k]) * by_impulse;
      u_n_[k] = a_.nn * impulse_[k] + a_l * impulse_l_[k] + a_c * impulse_c_[k];
      u_n_slope_[k] = Value(u_n_[k]) * (f_ - a_turn_ * k);
      speed_[k] = Value(scale_) * Value(s_[k]);
    }
    // Where the slip stops; from there on back the normal velocity is u_n_stop + w sum u_n_k z^k.
    p_stop_ = start_.p - Sum(impulse_, z_);
    u_n_stop_ = start_.u_n - Sum(u_n_, z_);
    for (int k = 0; k <= kOrder; ++k) {
      T power = T(0.0);
      for (int i = 0; i <= k; ++i) power += s_[i] * u_n_[k - i];
      work_[k] = power * scale_ / (T(2.0) * growth_ - turn_ * T(k));
    }
    work_stop_ = start_.work - u_n_stop_ * Sum(impulse_, z_) - Sum(work_, z_);
  }

  T WorkAt(const T& w, const T& z) const {
    return work_stop_ + w * (u_n_stop_ * Sum(impulse_, z) + w * Sum(work_, z));
  }

  ImpulseState<T> StateAt(const T& w, const T& z) const {
    const T slip_l = scale_ * w * Sum(y_l_, z);
    const T slip_c = scale_ * w * Sum(y_c_, z);
    const auto gained = [&](const Terms& terms) { return T(w * Sum(terms, z) - Sum(terms, z_)); };
    const Vector2<T> j = along_ * gained(impulse_l_) + across_ * gained(impulse_c_);
    return Advanced<T>(a_, start_, gained(impulse_), j, along_ * slip_l + across_ * slip_c,
                       WorkAt(w, z));
  }

  template <typename U>
  static U Sum(const std::array<U, kOrder + 1>& terms, const U& z) {
    U sum = terms[kOrder];
    for (int k = kOrder - 1; k >= 0; --k) sum = sum * z + terms[k];
    return sum;
  }
  static double Sum(const std::array<T, kOrder + 1>& terms, double z) requires kIsAutodiff<T> {
    double sum = Value(terms[kOrder]);
    for (int k = kOrder - 1; k >= 0; --k) sum = sum * z + Value(terms[k]);
    return sum;
  }
  static internal::Look EvaluateValues(const Terms& terms, double z) {
    double value = Value(terms[kOrder]), slope = 0.0;
    for (int k = kOrder - 1; k >= 0; --k) {
      slope = slope * z + value;
      value = value * z + Value(terms[k]);
    }
    return {value, slope};
  }

  const ContactBlocks<T>& a_;
  ImpulseState<T> start_;
  bool converges_ = false;
  Vector2<T> along_, across_;
  T growth_, turn_, decay_;
  double f_, a_turn_;
  Terms y_l_, y_c_, s_;
  T z_, scale_;
  double z_start_;
  Terms impulse_, impulse_l_, impulse_c_, u_n_, work_;
  Series speed_, u_n_slope_;
  T p_stop_, u_n_stop_, work_stop_;
};

}  // namespace percuss::solver
