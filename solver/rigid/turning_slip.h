// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "solver/body/scalar.h"
#include "solver/integration/event_location.h"
#include "solver/rigid/slip_motion.h"

namespace percuss::solver {

/// The inverse contact mass and friction seen along and across a direction of slip, a unit tangent.
template <typename T>
struct SlipAxes {
  Vector2<T> along, across;
  T tn_l, tn_c;           ///< A_tn
  T mu_ll, mu_lc, mu_cc;  ///< mu A_tt

  SlipAxes(const ContactBlocks<T>& a, const Vector2<T>& direction)
      : along(direction), across(-direction[1], direction[0]) {
    tn_l = along.dot(a.tn);
    tn_c = across.dot(a.tn);
    const Vector2<T> friction = a.mu * (a.tt * along);
    mu_ll = along.dot(friction);
    mu_lc = across.dot(friction);
    mu_cc = a.mu * across.dot(a.tt * across);
  }
};

/// Slip whose direction turns, over one step. In tau, d tau = dp / s, the motion
///     d slip / dtau = s A_tn - mu A_tt slip,   s = |slip|,
/// is smooth right down to the stop, which lies at infinity; it is expanded in a Taylor series,
/// along and across the slip at its start and relative to its speed there.
template <typename T>
class TurningSlip {
 public:
  static constexpr int kOrder = 16;  // near the cheapest for kTolerance

  TurningSlip(const ContactBlocks<T>& a, const ImpulseState<T>& from)
      : a_(a), start_(from), scale_(Length(from.slip)), axes_(a, from.slip / scale_) {
    Expand();
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
    for (int k = 0; k < kOrder; ++k) p[k + 1] = scale_ * speed_[k] * kInverse[k + 1];
    return Polynomial(p);
  }

  ImpulseState<T> At(const T& tau) const {
    // Values at tau, and means from 0 to tau.
    T l = l_[kOrder], c = c_[kOrder], work = work_[kOrder];
    T mean_l = l * kInverse[kOrder + 1], mean_c = c * kInverse[kOrder + 1];
    T mean_speed = speed_[kOrder] * kInverse[kOrder + 1];
    for (int k = kOrder - 1; k >= 0; --k) {
      const double inverse = kInverse[k + 1];
      l = l * tau + l_[k];
      c = c * tau + c_[k];
      work = work * tau + work_[k];
      mean_l = mean_l * tau + l_[k] * inverse;
      mean_c = mean_c * tau + c_[k] * inverse;
      mean_speed = mean_speed * tau + speed_[k] * inverse;
    }
    const T p = scale_ * tau;
    const Vector2<T> j = axes_.along * mean_l + axes_.across * mean_c;
    const Vector2<T> slip = axes_.along * l + axes_.across * c;
    return Advanced<T>(a_, start_, p * mean_speed, j * T(-(a_.mu * p)), slip * scale_, work);
  }

 private:
  using Terms = std::array<T, kOrder + 1>;
  static constexpr double kTolerance = 1e-15;  // of the last two terms, relative
  static constexpr std::array<double, kOrder + 2> kInverse = [] {
    std::array<double, kOrder + 2> inverse{};
    for (int k = 1; k < kOrder + 2; ++k) inverse[k] = 1.0 / k;
    return inverse;
  }();

  static T Length(const Vector2<T>& vector) {
    using std::sqrt;
    return sqrt(vector[0] * vector[0] + vector[1] * vector[1]);
  }

  // Slip is scale (l, c); its length l + r follows from  r (l + r / 2) = c^2 / 2,  l_0 = 1, c_0 =
  // 0, where nothing cancels. Work is the integral of speed times normal velocity.
  //
  // Each new term is multiplied with the earlier ones at once, and the products are added to the
  // sums they belong to: these additions do not wait for each other.
  void Expand() {
    const T nn = a_.nn * scale_;
    const T nl = a_.mu * axes_.tn_l * scale_;
    const T nc = a_.mu * axes_.tn_c * scale_;
    Terms beyond, middle;  // r, l + r / 2
    Terms power;           // speed times normal velocity
    l_[0] = speed_[0] = middle[0] = T(1.0);
    u_n_[0] = start_.u_n;
    work_[0] = start_.work;
    work_[1] = scale_ * start_.u_n;
    beyond.fill(T(0.0));
    c_[0] = T(0.0);
    power.fill(T(0.0));
    for (int k = 1; k <= kOrder; ++k) {
      const double inverse = kInverse[k];
      l_[k] = (axes_.tn_l * speed_[k - 1] - axes_.mu_ll * l_[k - 1] - axes_.mu_lc * c_[k - 1]) *
              inverse;
      c_[k] = (axes_.tn_c * speed_[k - 1] - axes_.mu_lc * l_[k - 1] - axes_.mu_cc * c_[k - 1]) *
              inverse;
      u_n_[k] = (nn * speed_[k - 1] - nl * l_[k - 1] - nc * c_[k - 1]) * inverse;
      const T c = c_[k], r = beyond[k], m = middle[k] = l_[k] + T(0.5) * r;
      const T speed = speed_[k] = l_[k] + r;
      const T u_n = u_n_[k];
      for (int i = 1; i < k && i + k <= kOrder; ++i) {
        beyond[i + k] += c * c_[i] - r * middle[i] - m * beyond[i];
        power[i + k] += speed * u_n_[i] + u_n * speed_[i];
      }
      if (2 * k <= kOrder) {
        beyond[2 * k] += T(0.5) * c * c - r * m;
        power[2 * k] += speed * u_n;
      }
      power[k] += speed * start_.u_n + u_n;
      if (k < kOrder) work_[k + 1] = scale_ * power[k] * kInverse[k + 1];
    }
  }

  // From the binary exponents of the last two terms.
  double StepLength() const {
    double exponent = std::numeric_limits<double>::infinity();
    for (int k = kOrder - 1; k <= kOrder; ++k) {
      const double size =
          std::max({std::abs(Value(l_[k])), std::abs(Value(c_[k])), std::abs(Value(speed_[k]))});
      if (size > 0.0) exponent = std::min(exponent, std::ilogb(kTolerance / size) * kInverse[k]);
    }
    return std::exp2(exponent);
  }

  static auto Polynomial(const Terms& terms) {
    std::array<double, kOrder + 1> values;
    for (int k = 0; k <= kOrder; ++k) values[k] = Value(terms[k]);
    return [values](double tau) { return internal::EvaluatePolynomial(values, tau); };
  }

  const ContactBlocks<T>& a_;
  ImpulseState<T> start_;
  T scale_;  // the speed at the start [m/s]
  SlipAxes<T> axes_;
  Terms l_, c_, speed_, u_n_, work_;  // along, across and speed in units of scale
  double length_;
};

}  // namespace percuss::solver
