// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "solver/body/scalar.h"

// Slip in a layer (planar_boundary_layer.h), while the ratio rho of the forces does not change.
// With g = 1 + a rho, c = kappa g and s = 1 - damping y the equations are linear in s:
//     s = s_0 e^-theta,   theta = damping c t,   y = y_0 + s_0 c t E_1(theta)
//     ln x = ln x_0 + y_0 t + s_0 c t^2 E_2(theta)
//     int f dt = kappa s_0 t E_1(theta),   int f y dt = (y_0 + y) / 2 int f dt
// with E_k(theta) = sum over n of (-theta)^n / (n + k)!. P_t alone, rho int f / x dt, takes a
// quadrature; its integrand is the exponential of an entire function.

namespace percuss::solver::internal {

/// e^-theta, E_1(theta) and E_2(theta), which are 1, 1 and 1/2 at 0.
template <typename T>
struct DecayFunctions {
  T e0, e1, e2;
};

inline DecayFunctions<double> DecayFunctionsAt(double theta, double* e3) {
  if (std::abs(theta) > 1.0) {
    const double e0 = std::exp(-theta), e1 = (1.0 - e0) / theta, e2 = (1.0 - e1) / theta;
    *e3 = (0.5 - e2) / theta;
    return {e0, e1, e2};
  }
  const int terms = std::abs(theta) > 0.1 ? 15 : 8;  // those left out are below rounding
  double sum = 1.0;
  for (int n = terms; n > 0; --n) sum = 1.0 - theta / (n + 3) * sum;
  *e3 = sum / 6.0;
  const double e2 = 0.5 - theta * *e3, e1 = 1.0 - theta * e2;
  return {1.0 - theta * e1, e1, e2};
}

template <typename T>
DecayFunctions<T> DecayFunctionsAt(const T& theta) {
  double e3 = 0.0;
  const DecayFunctions<double> at = DecayFunctionsAt(Value(theta), &e3);
  if constexpr (kIsAutodiff<T>) {
    const T change = theta - Value(theta);  // dE_k/dtheta = k E_(k+1) - E_k
    return {change * (-at.e0) + at.e0, change * (at.e2 - at.e1) + at.e1,
            change * (2.0 * e3 - at.e2) + at.e2};
  } else {
    return at;
  }
}

/// The motion from a state on, at times from there.
template <typename T>
class LayerSlip {
 public:
  /// x, y, P_t, int f y dt
  using State = std::array<T, 4>;

  /// @param ratio rho @param growth g
  LayerSlip(const State& start, const T& stiffness, const T& damping, const T& ratio,
            const T& growth)
      : start_(start),
        push_(stiffness * (T(1) - damping * start[1])),
        rise_(push_ * growth),
        decay_(stiffness * growth * damping),
        ratio_(ratio),
        damping_(damping) {
    using std::log;
    log_gap_ = log(start[0]);
  }

  double Rise() const { return Value(rise_); }

  /// With the impulse of the start.
  State At(double time) const {
    using std::exp;
    const DecayFunctions<T> decay = DecayFunctionsAt<T>(decay_ * time);
    const T rate = start_[1] + rise_ * decay.e1 * time;
    return {exp(LogGap(time, decay.e2)), rate, start_[2],
            start_[3] + push_ * decay.e1 * (rate + start_[1]) * (0.5 * time)};
  }

  State After(double time) const {
    State state = At(time);
    const double last = std::min(time, EndOfForce());
    for (double from = 0.0; from < last;) {
      const double to = std::min(last, from + LongestPanel(from));
      state[2] += ImpulseBetween(from, to);
      from = to;
    }
    return state;
  }

  /// P_t that is gained between two times which are no further apart than LongestPanel.
  T ImpulseBetween(double from, double to) const {
    const bool is_short = to - from <= kShort * LongestPanel(from);
    return is_short ? Quadrature(kFewNodes, from, to) : Quadrature(kNodes, from, to);
  }

  /// After it the quadrature errs by less than rounding: the exponent of the integrand changes by
  /// no more than 5 (by no more than 1 for the few nodes).
  double LongestPanel(double time) const {
    const double fade = std::abs(Value(decay_));
    const DecayFunctions<double> decay = DecayFunctionsAt<double>(Value(decay_) * time);
    const double rate = Value(start_[1]) + Rise() * time * decay.e1;
    const double rise = std::abs(Rise()) * decay.e0;
    return std::min({2.0 / fade, 1.5 / std::abs(rate), std::sqrt(3.0 / rise)});
  }

  /// From when on the force is nothing beside what it was.
  double EndOfForce() const {
    constexpr double kNothing = 40.0;
    const double fade = Value(decay_);
    return fade > 0.0 ? kNothing / fade : std::numeric_limits<double>::infinity();
  }

  /// When y = 0: the gap is least, or largest. Infinite if it never is.
  double Turn() const {
    const double y = Value(start_[1]), c = Rise() / (1.0 - Value(damping_) * y);
    const double time = -y / c;  // without damping
    if (!(time >= 0.0)) return std::numeric_limits<double>::infinity();
    const double z = -Value(damping_) * y;
    return std::abs(z) < 1e-9 ? time * (1.0 - 0.5 * z) : time * std::log1p(z) / z;
  }

  /// When the gap that opens is back at x = 1. Infinite if it never is.
  double End() const {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const double depth = -Value(log_gap_), y = Value(start_[1]), rise = Rise();
    if (!(depth > 0.0)) return 0.0;
    if (rise < 0.0 && !(Value(At(Turn())[0]) >= 1.0)) return kNever;
    // Without damping it would be there earlier; from there Newton's method keeps to one side.
    const double square = y * y + 2.0 * rise * depth;
    double time = rise > 0.0 ? 2.0 * depth / (y + std::sqrt(square)) : 0.0;
    for (int k = 0; k < 100; ++k) {
      const DecayFunctions<double> decay = DecayFunctionsAt<double>(Value(decay_) * time);
      const double value = -depth + y * time + rise * time * time * decay.e2;
      const double step = -value / (y + rise * time * decay.e1);
      if (!std::isfinite(step)) break;
      time += step;
      if (std::abs(step) <= 1e-12 * time) return time;
    }
    return kNever;
  }

 private:
  struct Node {
    double place, weight;
  };
  // Gauss and Legendre, of both signs of the place.
  static constexpr double kShort = 0.2;
  static constexpr std::array<Node, 3> kFewNodes = {
      {{0.23861918608319690863, 0.46791393457269104739},
       {0.66120938646626451366, 0.36076157304813860757},
       {0.93246951420315202781, 0.17132449237917034504}}};
  static constexpr std::array<Node, 5> kNodes = {
      {{0.14887433898163121089, 0.29552422471475287017},
       {0.43339539412924719080, 0.26926671930999635509},
       {0.67940956829902440623, 0.21908636251598204400},
       {0.86506336668898451073, 0.14945134915058059315},
       {0.97390652851717172008, 0.06667134430868813759}}};

  T Quadrature(std::span<const Node> nodes, double from, double to) const {
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    T sum(0);
    for (const auto& [place, weight] : nodes)
      sum += (ForceAt(middle - half * place) + ForceAt(middle + half * place)) * weight;
    return ratio_ * sum * half;
  }

  T LogGap(double time, const T& e2) const {
    return log_gap_ + start_[1] * time + rise_ * e2 * (time * time);
  }

  /// f / x
  T ForceAt(double time) const {
    using std::exp;
    const T theta = decay_ * time;
    return push_ * exp(-theta - LogGap(time, DecayFunctionsAt<T>(theta).e2));
  }

  State start_;
  T push_;   ///< f at the start
  T rise_;   ///< y' at the start
  T decay_;  ///< theta over time
  T ratio_, damping_, log_gap_;
};

}  // namespace percuss::solver::internal
