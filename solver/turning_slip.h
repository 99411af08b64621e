// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "solver/event_location.h"
#include "solver/scalar.h"
#include "solver/slip_motion.h"

namespace percuss::solver {

/// Slip whose direction turns, over one step. In tau, d tau = dp / s, the motion
///     d slip / dtau = s A_tn - mu A_tt slip,   s = |slip|,
/// is smooth right down to the stop, which lies at infinity; it is expanded in a Taylor series.
template <typename T>
class TurningSlip {
 public:
  static constexpr int kOrder = 16;  // near the cheapest for kTolerance

  TurningSlip(const ContactBlocks<T>& a, const ImpulseState<T>& from) : a_(a), start_(from) {
    using std::sqrt;
    slip1_[0] = from.slip[0];
    slip2_[0] = from.slip[1];
    speed_[0] = sqrt(slip1_[0] * slip1_[0] + slip2_[0] * slip2_[0]);
    const T half_inverse_speed = T(0.5) / speed_[0];
    const T m11 = a.mu * a.tt(0, 0), m12 = a.mu * a.tt(0, 1), m22 = a.mu * a.tt(1, 1);
    for (int k = 0; k < kOrder; ++k) {
      slip1_[k + 1] = (speed_[k] * a.tn[0] - m11 * slip1_[k] - m12 * slip2_[k]) * kInverse[k + 1];
      slip2_[k + 1] = (speed_[k] * a.tn[1] - m12 * slip1_[k] - m22 * slip2_[k]) * kInverse[k + 1];
      ExpandSpeed(k + 1, half_inverse_speed);
    }
    u_n_[0] = from.u_n;
    work_[0] = from.work;
    const Vector2<T> friction = a.mu * a.tn;
    for (int k = 0; k < kOrder; ++k) {
      u_n_[k + 1] =
          (a.nn * speed_[k] - friction[0] * slip1_[k] - friction[1] * slip2_[k]) * kInverse[k + 1];
      T power = speed_[0] * u_n_[k];
      for (int i = 1; i <= k; ++i) power += speed_[i] * u_n_[k - i];
      work_[k + 1] = power * kInverse[k + 1];
    }
    length_ = StepLength();
  }

  double Length() const { return length_; }  ///< in tau [kg]

  /// Normal velocity, and normal impulse and work since the start of the impact, as functions of
  /// tau.
  auto NormalVelocity() const { return Polynomial(u_n_); }
  auto Work() const { return Polynomial(work_); }
  auto Impulse() const {
    Terms p;
    p[0] = start_.p;
    for (int k = 0; k < kOrder; ++k) p[k + 1] = speed_[k] * kInverse[k + 1];
    return Polynomial(p);
  }

  ImpulseState<T> At(const T& tau) const {
    // Values at tau, and means from 0 to tau.
    T slip1 = slip1_[kOrder], slip2 = slip2_[kOrder];
    T mean1 = slip1 * kInverse[kOrder + 1], mean2 = slip2 * kInverse[kOrder + 1];
    T mean_speed = speed_[kOrder] * kInverse[kOrder + 1];
    T work = work_[kOrder];
    for (int k = kOrder - 1; k >= 0; --k) {
      const double inverse = kInverse[k + 1];
      slip1 = slip1 * tau + slip1_[k];
      slip2 = slip2 * tau + slip2_[k];
      mean1 = mean1 * tau + slip1_[k] * inverse;
      mean2 = mean2 * tau + slip2_[k] * inverse;
      mean_speed = mean_speed * tau + speed_[k] * inverse;
      work = work * tau + work_[k];
    }
    const T friction = -(a_.mu * tau);
    return Advanced<T>(a_, start_, mean_speed * tau, {friction * mean1, friction * mean2},
                       {slip1, slip2}, work);
  }

 private:
  using Terms = std::array<T, kOrder + 1>;
  static constexpr double kTolerance = 1e-15;  // of the last two terms, relative
  static constexpr std::array<double, kOrder + 2> kInverse = [] {
    std::array<double, kOrder + 2> inverse{};
    for (int k = 1; k < kOrder + 2; ++k) inverse[k] = 1.0 / k;
    return inverse;
  }();

  // From s^2 = |slip|^2, coefficient by coefficient.
  void ExpandSpeed(int k, const T& half_inverse_speed) {
    T slips = slip1_[0] * slip1_[k] + slip2_[0] * slip2_[k];
    T speeds = T(0.0);
    for (int i = 1; 2 * i < k; ++i) {
      slips += slip1_[i] * slip1_[k - i] + slip2_[i] * slip2_[k - i];
      speeds += speed_[i] * speed_[k - i];
    }
    slips *= 2.0;
    speeds *= 2.0;
    if (k % 2 == 0) {
      const int i = k / 2;
      slips += slip1_[i] * slip1_[i] + slip2_[i] * slip2_[i];
      speeds += speed_[i] * speed_[i];
    }
    speed_[k] = (slips - speeds) * half_inverse_speed;
  }

  double StepLength() const {
    double length = std::numeric_limits<double>::infinity();
    for (int k = kOrder - 1; k <= kOrder; ++k) {
      const double size = std::max(
          {std::abs(Value(slip1_[k])), std::abs(Value(slip2_[k])), std::abs(Value(speed_[k]))});
      if (size > 0.0) {
        length = std::min(length, std::exp2(std::log2(kTolerance * Value(speed_[0]) / size) / k));
      }
    }
    return length;
  }

  static auto Polynomial(const Terms& terms) {
    std::array<double, kOrder + 1> values;
    for (int k = 0; k <= kOrder; ++k) values[k] = Value(terms[k]);
    return [values](double tau) { return internal::EvaluatePolynomial(values, tau); };
  }

  const ContactBlocks<T>& a_;
  ImpulseState<T> start_;
  Terms slip1_, slip2_, speed_, u_n_, work_;
  double length_;
};

}  // namespace percuss::solver
