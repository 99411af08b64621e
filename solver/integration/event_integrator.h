// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "solver/body/scalar.h"
#include "solver/integration/event_handover.h"

namespace percuss::solver {

/// Tableau of the Runge-Kutta-Fehlberg pair of orders 7 and 8; the step is that of order 8.
struct Fehlberg78 {
  static constexpr std::size_t kStages = 13;
  /// The last row are the weights of the step.
  static constexpr double kMatrix[kStages + 1][kStages] = {
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
       33.0 / 164, 12.0 / 41, 0, 1.0},
      {0, 0, 0, 0, 0, 34.0 / 105, 9.0 / 35, 9.0 / 35, 9.0 / 280, 9.0 / 280, 0, 41.0 / 840,
       41.0 / 840}};
  static constexpr double kError = 41.0 / 840;  // times k_1 + k_11 - k_12 - k_13
};

namespace internal {

/// start + h sum_j row[j] rates[j] of the rates before that row. It is known when this is compiled:
/// its zeros cost nothing.
template <std::size_t kRow, typename T, std::size_t kSize>
std::array<T, kSize> Combine(const std::array<T, kSize>& start,
                             const std::array<std::array<T, kSize>, Fehlberg78::kStages>& rates,
                             double h) {
  std::array<T, kSize> sum = start;
  const auto add = [&]<std::size_t kRate>(std::integral_constant<std::size_t, kRate>) {
    constexpr double kFactor = Fehlberg78::kMatrix[kRow][kRate];
    if constexpr (kFactor != 0.0) {
      const double factor = h * kFactor;
      for (std::size_t i = 0; i < kSize; ++i) sum[i] += rates[kRate][i] * factor;
    }
  };
  [&]<std::size_t... kRates>(std::index_sequence<kRates...>) {
    (add(std::integral_constant<std::size_t, kRates>()), ...);
  }
  (std::make_index_sequence<kRow>());
  return sum;
}

}  // namespace internal

/// One step of length h from `start`, where the rate is `start_rate`; `error`, if asked for,
/// becomes the largest difference of the two orders over 1 + |component|.
template <class System, typename T, std::size_t kSize>
std::array<T, kSize> FehlbergStep(const System& system, const std::array<T, kSize>& start,
                                  const std::array<T, kSize>& start_rate, double h,
                                  double* error = nullptr) {
  using Tableau = Fehlberg78;
  std::array<std::array<T, kSize>, Tableau::kStages> rates;
  rates[0] = start_rate;
  [&]<std::size_t... kBefore>(std::index_sequence<kBefore...>) {
    ((rates[kBefore + 1] = system.Rate(internal::Combine<kBefore + 1>(start, rates, h))), ...);
  }
  (std::make_index_sequence<Tableau::kStages - 1>());
  const std::array<T, kSize> state = internal::Combine<Tableau::kStages>(start, rates, h);
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
  static constexpr std::size_t kNoEvent = internal::kNoEvent;

  /// @param tolerance error of a step, relative to 1 + |component|
  EventIntegrator(const System& system, const SystemOf<double>& values, const State& start,
                  double tolerance, double max_step = std::numeric_limits<double>::infinity())
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

  /// Goes on from a state that was found in another way, at an event to first order or at none.
  void JumpTo(const State& state, std::size_t event) {
    state_ = state;
    if (event != kNoEvent) MoveOnto(event);
  }

  /// One step, cut short at the first event in it. Returns the event, or kNoEvent.
  std::size_t Step() {
    const ValueState start = Value(state_), start_rate = values_.Rate(start);
    double error = 0.0;
    step_ = std::min(step_, max_step_);
    ValueState end = FehlbergStep(values_, start, start_rate, step_, &error);
    while (!(error <= tolerance_)) {
      step_ *= std::clamp(0.9 * std::pow(tolerance_ / error, 0.125), 0.1, 0.8);
      if (step_ < 1e-14) {
        failed_ = true;
        return kNoEvent;
      }
      end = FehlbergStep(values_, start, start_rate, step_, &error);
    }
    const auto [event, length] = handovers_.Pass(FirstEvent(start, start_rate, end), step_);
    if constexpr (kIsAutodiff<T>) {
      state_ = FehlbergStep(system_, state_, system_.Rate(state_), length);
    } else {
      state_ = length == step_ ? end : FehlbergStep(values_, start, start_rate, length);
    }
    if (event != kNoEvent) {
      MoveOnto(event);
    } else {
      step_ *= std::clamp(0.9 * std::pow(tolerance_ / (error + 1e-30), 0.125), 0.3, 4.0);
    }
    return event;
  }

 private:
  // A step of this length, in units of the system's own time, errs by its square.
  static constexpr double kLastStep = 1e-7;

  using Found = internal::FoundEvent;

  // An event's value and its slope after a step of some length.
  struct Place {
    double length, value, slope;
  };

  Found FirstEvent(const ValueState& start, const ValueState& start_rate,
                   const ValueState& end) const {
    Found first{kNoEvent, step_};
    const ValueState end_rate = values_.Rate(end);
    for (std::size_t k = 0; k < System::kEvents; ++k) {
      const auto at = [&](double h) {
        const ValueState state = FehlbergStep(values_, start, start_rate, h);
        return Place{h, values_.Event(k, state), Slope(k, state, values_.Rate(state))};
      };
      Place low{0.0, values_.Event(k, start), Slope(k, start, start_rate)};
      Place high = first.event == kNoEvent
                       ? Place{first.length, values_.Event(k, end), Slope(k, end, end_rate)}
                       : at(first.length);
      if (!(high.value > 0.0)) {
        const bool whole = first.event == kNoEvent && low.value < 0.0 && low.value != high.value;
        if (!whole) continue;
        const double peak = PeakBetween(low, high);
        if (!(peak > 0.0)) continue;
        high = at(peak);
        if (!(high.value > 0.0)) continue;
      }
      // A start on the event itself, to rounding: it is behind us, unless the value never comes
      // below zero.
      const bool starts_on_it = low.value >= -1e-12 * high.value;
      if (starts_on_it) {
        Place inside = at(0.5 * high.length);
        while (inside.length > 1e-12 * high.length && inside.value >= 0.0) {
          inside = at(0.25 * inside.length);
        }
        if (!(inside.length > 1e-12 * high.length)) {
          first = {k, 0.0};
          continue;
        }
        low = inside;
      }
      first = {k, RootBetween(at, low, high)};
    }
    return first;
  }

  // Where a value that is negative at both ends of the step may be positive in between: the top of
  // the parabola with the slopes at the ends; 0 if it stays below.
  static double PeakBetween(const Place& low, const Place& high) {
    const double step = high.length - low.length;
    const bool may = low.slope > 0.0 && high.slope < 0.0 && low.value + step * low.slope > 0.0 &&
                     high.value - step * high.slope > 0.0;
    return may ? low.length + step * low.slope / (low.slope - high.slope) : 0.0;
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

  // Newton's method from the root of the cubic through values and slopes at the ends, halving the
  // bracket where it leaves it or is slow, to where one more step is exact.
  template <class Function>
  static double RootBetween(const Function& at, Place low, Place high) {
    double x = RootOfCubic(low, high);
    double last_step = high.length - low.length;
    for (int k = 0; k < 100; ++k) {
      if (!(x > low.length && x < high.length)) x = 0.5 * (low.length + high.length);
      const Place place = at(x);
      const double step = -place.value / place.slope;
      const bool fast = std::abs(step) <= 0.5 * std::abs(last_step);
      if (std::abs(step) <= kLastStep * std::min(1.0, x)) return x + step;
      if (high.length - low.length <= 1e-10 * x) return x;
      (place.value > 0.0 ? high : low) = place;
      last_step = fast ? step : high.length - low.length;
      x = fast ? x + step : 0.5 * (low.length + high.length);
    }
    return high.length;
  }

  // Between two places with values of different signs.
  static double RootOfCubic(const Place& low, const Place& high) {
    const double width = high.length - low.length, rise = high.value - low.value;
    const double up = width * low.slope, down = width * high.slope;
    double part = -low.value / rise, below = 0.0, above = 1.0;
    for (int k = 0; k < 20; ++k) {
      const double square = 3.0 * rise - 2.0 * up - down, cube = up + down - 2.0 * rise;
      const double value = low.value + part * (up + part * (square + part * cube));
      const double slope = up + part * (2.0 * square + part * 3.0 * cube);
      (value > 0.0 ? above : below) = part;
      double next = part - value / slope;
      if (!(next > below && next < above)) next = 0.5 * (below + above);
      const bool settled = std::abs(next - part) <= 1e-9;
      part = next;
      if (settled) break;
    }
    return low.length + part * width;
  }

  // The last, first-order step onto the event; the length of the step becomes a T by it.
  void MoveOnto(std::size_t event) {
    const ValueState at = Value(state_);
    const double slope = Slope(event, at, values_.Rate(at));
    if (!(std::abs(slope) > 0.0) || !std::isfinite(slope)) return;
    const T length = system_.Event(event, state_) / (-slope);
    if (!(std::abs(Value(length)) <= 10.0 * kLastStep)) return;
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
  internal::HandoverLimit handovers_;
};

}  // namespace percuss::solver
