// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

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
  static constexpr int kOrder = 19;  // near the cheapest for kTolerance

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
    std::array<double, kOrder + 1> p;
    p[0] = Value(start_.p);
    for (int k = 0; k < kOrder; ++k) p[k + 1] = Value(scale_) * Value(speed_[k]) * kInverse[k + 1];
    return [p](double tau) { return internal::EvaluatePolynomial(p, tau); };
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
  // Of the last two terms, relative; what follows them is less, and a contact has few steps.
  static constexpr double kTolerance = 1e-13, kWorkTolerance = 1e-12;
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
  // sums they belong to. What a term waits for is short: terms follow from the last ones by factors
  // that are made beforehand, and the last one enters the next sum last.
  void Expand() {
    const T nl = a_.mu * axes_.tn_l, nc = a_.mu * axes_.tn_c;
    Terms beyond, middle;  // r, l + r / 2
    Terms power;           // speed times normal velocity
    l_[0] = speed_[0] = middle[0] = T(1.0);
    u_n_[0] = start_.u_n;
    work_[0] = start_.work;
    work_[1] = scale_ * start_.u_n;
    beyond.fill(T(0.0));
    c_[0] = T(0.0);
    power.fill(T(0.0));
    const auto add_term = [&](auto k) __attribute__((always_inline)) {
      const double inverse = kInverse[k];
      const T scaled = scale_ * inverse;
      const T& l_before = l_[k - 1];
      const T& c_before = c_[k - 1];
      const T& speed_before = speed_[k - 1];
      l_[k] = (axes_.tn_l * inverse) * speed_before -
              ((axes_.mu_ll * inverse) * l_before + (axes_.mu_lc * inverse) * c_before);
      c_[k] = (axes_.tn_c * inverse) * speed_before -
              ((axes_.mu_lc * inverse) * l_before + (axes_.mu_cc * inverse) * c_before);
      u_n_[k] =
          (a_.nn * scaled) * speed_before - ((nl * scaled) * l_before + (nc * scaled) * c_before);
      const T l = l_[k], c = c_[k], r = beyond[k], u_n = u_n_[k];
      const T m = middle[k] = l + T(0.5) * r;
      const T speed = speed_[k] = l + r;
      for (int i = 1; i < k && i + k <= kOrder; ++i) {
        beyond[i + k] += c * c_[i] - (r * middle[i] + m * beyond[i]);
        power[i + k] += speed * u_n_[i] + u_n * speed_[i];
      }
      if (2 * k <= kOrder) {
        beyond[2 * k] += T(0.5) * c * c - r * m;
        power[2 * k] += speed * u_n;
      }
      power[k] += speed * start_.u_n + u_n;
      if (k < kOrder) work_[k + 1] = power[k] * (scale_ * kInverse[k + 1]);
    };
    if constexpr (kIsAutodiff<T>) {
      for (int k = 1; k <= kOrder; ++k) add_term(k);
    } else {  // unrolled: a twentieth of the whole impact
      [&]<int... k>(std::integer_sequence<int, k...>) __attribute__((always_inline)) {
        (add_term(std::integral_constant<int, k + 1>()), ...);
      }
      (std::make_integer_sequence<int, kOrder>());
    }
  }

  // From the last two terms, by logarithms to a tenth of a bit: doubles read as integers. Those of
  // work, a product, fall the more slowly the farther the terms of slip are from a geometric series
  // (exponential functions: 2^k times); they are held against the energy of the normal motion.
  double StepLength() const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kOneBit = 0x1p52, kBias = 1023.0;
    const double u_n = Value(start_.u_n);
    const double energy = std::abs(Value(start_.work)) + 0.5 * u_n * u_n / Value(a_.nn);
    // Without any, the end of restitution is too near to matter.
    const double per_work = energy > 0.0 ? kTolerance / (kWorkTolerance * energy) : 0.0;
    double log2 = kInfinity;
    for (int k = kOrder - 1; k <= kOrder; ++k) {
      const double size =
          std::max({std::abs(Value(l_[k])), std::abs(Value(c_[k])), std::abs(Value(speed_[k])),
                    std::abs(Value(work_[k])) * per_work});
      if (!(size > 0.0)) continue;
      const auto bits = static_cast<double>(std::bit_cast<std::int64_t>(kTolerance / size));
      log2 = std::min(log2, (bits / kOneBit - kBias) * kInverse[k]);
    }
    if (log2 == kInfinity) return kInfinity;
    return std::bit_cast<double>(static_cast<std::int64_t>((log2 + kBias) * kOneBit));
  }

  // Of terms that stay where they are.
  static auto Polynomial(const Terms& terms) {
    if constexpr (kIsAutodiff<T>) {
      std::array<double, kOrder + 1> values;
      for (int k = 0; k <= kOrder; ++k) values[k] = Value(terms[k]);
      return [values](double tau) { return internal::EvaluatePolynomial(values, tau); };
    } else {
      return [&terms](double tau) { return internal::EvaluatePolynomial(terms, tau); };
    }
  }

  const ContactBlocks<T>& a_;
  ImpulseState<T> start_;
  T scale_;  // the speed at the start [m/s]
  SlipAxes<T> axes_;
  Terms l_, c_, speed_, u_n_, work_;  // along, across and speed in units of scale
  double length_;
};

}  // namespace percuss::solver
