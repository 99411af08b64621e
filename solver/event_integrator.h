// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "solver/scalar.h"

namespace percuss::solver {

template <typename T, std::size_t kSize>
std::array<double, kSize> Value(const std::array<T, kSize>& state) {
  std::array<double, kSize> values;
  for (std::size_t i = 0; i < kSize; ++i) values[i] = Value(state[i]);
  return values;
}

/// Tableau of the Runge-Kutta-Fehlberg pair of orders 7 and 8; the step is that of order 8.
struct Fehlberg78 {
  static constexpr std::size_t kStages = 13;
  static constexpr double kMatrix[kStages][12] = {
      {},
      {2.0 / 27},
      {1.0 / 36, 1.0 / 12},
      {1.0 / 24, 0, 1.0 / 8},
      {5.0 / 12, 0, -25.0 / 16, 25.0 / 16},
      {1.0 / 20, 0, 0, 1.0 / 4, 1.0 / 5},
      {-25.0 / 108, 0, 0, 125.0 / 108, -65.0 / 27, 125.0 / 54},
      {31.0 / 300, 0, 0, 0, 61.0 / 225, -2.0 / 9, 13.0 / 900},
      {2.0, 0, 0, -53.0 / 6, 704.0 / 45, -107.0 / 9, 67.0 / 90, 3.0},
      {-91.0 / 108, 0, 0, 23.0 / 108, -976.0 / 135, 311.0 / 54, -19.0 / 60, 17.0 / 6, -1.0 / 12},
      {2383.0 / 4100, 0, 0, -341.0 / 164, 4496.0 / 1025, -301.0 / 82, 2133.0 / 4100, 45.0 / 82,
       45.0 / 164, 18.0 / 41},
      {3.0 / 205, 0, 0, 0, 0, -6.0 / 41, -3.0 / 205, -3.0 / 41, 3.0 / 41, 6.0 / 41},
      {-1777.0 / 4100, 0, 0, -341.0 / 164, 4496.0 / 1025, -289.0 / 82, 2193.0 / 4100, 51.0 / 82,
       33.0 / 164, 12.0 / 41, 0, 1.0}};
  static constexpr double kWeights[kStages] = {
      0,        0,         0,         0, 0,          34.0 / 105, 9.0 / 35,
      9.0 / 35, 9.0 / 280, 9.0 / 280, 0, 41.0 / 840, 41.0 / 840};
  static constexpr double kError = 41.0 / 840;  // times k_1 + k_11 - k_12 - k_13
};

/// One step of length h; `error`, if asked for, becomes the largest difference of the two orders
/// over 1 + |component|.
template <class System, typename T, std::size_t kSize>
std::array<T, kSize> FehlbergStep(const System& system, const std::array<T, kSize>& start, double h,
                                  double* error = nullptr) {
  using Tableau = Fehlberg78;
  std::array<std::array<T, kSize>, Tableau::kStages> rates;
  std::array<T, kSize> state = start;
  for (std::size_t stage = 0; stage < Tableau::kStages; ++stage) {
    state = start;
    for (std::size_t j = 0; j < stage; ++j) {
      const double factor = h * Tableau::kMatrix[stage][j];
      if (factor == 0.0) continue;
      for (std::size_t i = 0; i < kSize; ++i) state[i] += rates[j][i] * factor;
    }
    rates[stage] = system.Rate(state);
  }
  state = start;
  for (std::size_t j = 0; j < Tableau::kStages; ++j) {
    const double factor = h * Tableau::kWeights[j];
    if (factor == 0.0) continue;
    for (std::size_t i = 0; i < kSize; ++i) state[i] += rates[j][i] * factor;
  }
  if (error != nullptr) {
    *error = 0.0;
    for (std::size_t i = 0; i < kSize; ++i) {
      const double difference =
          Value(rates[0][i]) + Value(rates[10][i]) - Value(rates[11][i]) - Value(rates[12][i]);
      const double share =
          std::abs(h * Tableau::kError * difference) / (1.0 + std::abs(Value(state[i])));
      *error =
          std::isfinite(share) ? std::max(*error, share) : std::numeric_limits<double>::infinity();
    }
  }
  return state;
}

/// Integrates a piecewise smooth autonomous system and stops exactly where an event happens.
///
/// `SystemOf<S>` is the system over the scalar S, with
///     static constexpr std::size_t kSize, kEvents;
///     std::array<S, kSize> Rate(const std::array<S, kSize>&) const;
///     S Event(std::size_t, const std::array<S, kSize>&) const;   // rises through zero where it
///     happens
/// and no discontinuity between events. Steps and events are found with the system over double; an
/// autodiff T then follows with the same steps, and a step of Newton's method in T gives the place
/// of an event its derivatives. What is integrated must therefore not depend on where a step that
/// is no event ends.
template <template <typename> class SystemOf, typename T>
class EventIntegrator {
 public:
  using System = SystemOf<T>;
  static constexpr std::size_t kSize = System::kSize;
  using State = std::array<T, kSize>;
  using ValueState = std::array<double, kSize>;
  static constexpr std::size_t kNoEvent = std::numeric_limits<std::size_t>::max();

  EventIntegrator(const System& system, const SystemOf<double>& values, const State& start,
                  double tolerance, double max_step)
      : system_(system),
        values_(values),
        state_(start),
        tolerance_(tolerance),
        max_step_(max_step) {}

  const State& state() const { return state_; }
  State& state() { return state_; }
  const System& system() const { return system_; }
  const SystemOf<double>& values() const { return values_; }

  /// Calls change(system) for the system over T and the one over double.
  template <class Change>
  void ChangeSystem(const Change& change) {
    change(system_);
    change(values_);
  }

  bool failed() const { return failed_; }

  /// One step, cut short at the first event in it. Returns the event, or kNoEvent.
  std::size_t Step() {
    const ValueState start = Value(state_);
    double error = 0.0;
    step_ = std::min(step_, max_step_);
    ValueState end = FehlbergStep(values_, start, step_, &error);
    while (!(error <= tolerance_)) {
      step_ *= std::clamp(0.9 * std::pow(tolerance_ / error, 0.125), 0.1, 0.8);
      if (step_ < 1e-14) {
        failed_ = true;
        return kNoEvent;
      }
      end = FehlbergStep(values_, start, step_, &error);
    }
    const auto [event, length] = FirstEvent(start, end);
    if constexpr (kIsAutodiff<T>) {
      state_ = FehlbergStep(system_, state_, length);
    } else {
      state_ = event == kNoEvent ? end : FehlbergStep(values_, start, length);
    }
    if (event != kNoEvent) {
      MoveOnto(event);
    } else {
      step_ *= std::clamp(0.9 * std::pow(tolerance_ / (error + 1e-30), 0.125), 0.3, 4.0);
    }
    return event;
  }

 private:
  struct Found {
    std::size_t event;
    double length;
  };

  Found FirstEvent(const ValueState& start, const ValueState& end) const {
    Found first{kNoEvent, step_};
    const ValueState start_rate = values_.Rate(start), end_rate = values_.Rate(end);
    for (std::size_t k = 0; k < System::kEvents; ++k) {
      const auto at = [&](double h) { return values_.Event(k, FehlbergStep(values_, start, h)); };
      double low = 0.0, high = first.length;
      double at_low = values_.Event(k, start);
      double at_high = first.event == kNoEvent ? values_.Event(k, end) : at(high);
      if (!(at_high > 0.0)) {
        const bool whole = first.event == kNoEvent && at_low < 0.0 && at_low != at_high;
        if (!whole) continue;
        high = PeakBetween(Slope(k, start, start_rate), Slope(k, end, end_rate), at_low, at_high);
        if (!(high > 0.0) || !(at(high) > 0.0)) continue;
      }
      // A start on the event itself, to rounding: it is behind us, unless the value never comes
      // below zero.
      const bool starts_on_it = at_low >= -1e-12 * at(high);
      if (starts_on_it) {
        double inside = 0.5 * high;
        while (inside > 1e-12 * high && at(inside) >= 0.0) inside *= 0.25;
        low = inside > 1e-12 * high ? inside : 0.0;
      }
      first = {k, low == 0.0 && starts_on_it ? 0.0 : RootBetween(at, low, high)};
    }
    return first;
  }

  // Where a value that is negative at both ends of the step may be positive in between: the top of
  // the parabola with the slopes at the ends; 0 if it stays below.
  double PeakBetween(double up, double down, double at_low, double at_high) const {
    const bool may =
        up > 0.0 && down < 0.0 && at_low + step_ * up > 0.0 && at_high - step_ * down > 0.0;
    return may ? step_ * up / (up - down) : 0.0;
  }

  double Slope(std::size_t k, const ValueState& state, const ValueState& rate) const {
    ValueState near[2] = {state, state};
    constexpr double kStep = 1e-6;
    for (std::size_t i = 0; i < kSize; ++i) {
      near[0][i] -= kStep * rate[i];
      near[1][i] += kStep * rate[i];
    }
    return (values_.Event(k, near[1]) - values_.Event(k, near[0])) / (2.0 * kStep);
  }

  // Regula falsi (Illinois) with bisection where it is slow, to where one step of Newton's method
  // is exact.
  template <class Function>
  static double RootBetween(const Function& f, double low, double high) {
    double at_low = f(low), at_high = f(high);
    int side = 0;
    double last = low;
    for (int k = 0; k < 100; ++k) {
      double x = high - at_high * (high - low) / (at_high - at_low);
      if (!(x > low && x < high) || k % 8 == 7) x = 0.5 * (low + high);
      const double y = f(x);
      if (y == 0.0 || std::abs(x - last) <= 1e-10 * x) return x;
      last = x;
      if (y > 0.0) {
        high = x;
        at_high = y;
        if (side == 1) at_low *= 0.5;
        side = 1;
      } else {
        low = x;
        at_low = y;
        if (side == -1) at_high *= 0.5;
        side = -1;
      }
    }
    return high;
  }

  // The last, first-order step onto the event; the length of the step becomes a T by it.
  void MoveOnto(std::size_t event) {
    const ValueState at = Value(state_);
    const double slope = Slope(event, at, values_.Rate(at));
    if (!(std::abs(slope) > 0.0) || !std::isfinite(slope)) return;
    const T length = system_.Event(event, state_) / (-slope);
    if (!(std::abs(Value(length)) <= 1e-9)) return;
    const State rate = system_.Rate(state_);
    for (std::size_t i = 0; i < kSize; ++i) state_[i] += rate[i] * length;
  }

  System system_;
  SystemOf<double> values_;
  State state_;
  double tolerance_;
  double max_step_;
  double step_ = 1e-2;
  bool failed_ = false;
};

}  // namespace percuss::solver
