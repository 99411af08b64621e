// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "solver/body/scalar.h"
#include "solver/integration/event_handover.h"
#include "solver/integration/event_location.h"

namespace percuss::solver {

namespace internal {

/// Nodes and weights of the Gauss-Legendre rule with ten nodes on [0, 1]: exact for polynomials up
/// to the 19th degree.
struct GaussTen {
  static constexpr std::array<double, 5> kOffset = {0.074437169490815605, 0.21669769706462359,
                                                    0.33970478414951220, 0.43253168334449227,
                                                    0.48695326425858586};
  static constexpr std::array<double, 5> kWeight = {0.14776211235737644, 0.13463335965499817,
                                                    0.10954318125799102, 0.074725674575290293,
                                                    0.033335672154344069};
};

}  // namespace internal

/// Integrates a piecewise linear autonomous system and stops exactly where an event happens.
///
/// `SystemOf<S>` is the system over the scalar S, with
///     static constexpr std::size_t kSize, kEvents;
///     std::array<S, kSize> Rate(const std::array<S, kSize>& z, double one) const;
///     bool IsPossible(std::size_t event) const;
///     S Event(std::size_t event, const std::array<S, kSize>& z, double one) const;
///     std::pair<S, S> Power(const std::array<S, kSize>& z, double one) const;
/// all linear in (z, one) together, `one` being 1 but for differences of states, where it is 0. An
/// event happens where its value rises through zero, and at once where it starts above zero and
/// stays there. `work()` is the integral of the product of the pair.
///
/// A step is the Taylor series of the motion, whose terms follow from one another by Rate, so that
/// the motion is known all along it: half a period of a free oscillation takes two of them. Events
/// are found in double; the step onto one gets its derivatives from an autodiff T.
template <template <typename> class SystemOf, typename T>
class LinearEventIntegrator {
 public:
  using System = SystemOf<T>;
  static constexpr std::size_t kSize = System::kSize;
  using State = std::array<T, kSize>;
  using ValueState = std::array<double, kSize>;
  static constexpr std::size_t kNoEvent = internal::kNoEvent;

  LinearEventIntegrator(const System& system, const SystemOf<double>& values, const State& start)
      : system_(system), values_(values), state_(start) {}

  const State& state() const { return state_; }
  State& state() { return state_; }
  const System& system() const { return system_; }
  const SystemOf<double>& values() const { return values_; }
  const T& work() const { return work_; }
  bool failed() const { return failed_; }

  /// Calls change(system) for the system over T and the one over double.
  template <class Change>
  void ChangeSystem(const Change& change) {
    change(system_);
    change(values_);
  }

  /// One step, cut short at the first event in it. Returns the event, or kNoEvent.
  std::size_t Step() {
    Expand();
    const auto [event, length] = FirstEvent(StepLength());
    if (!std::isfinite(length)) {
      failed_ = true;
      return kNoEvent;
    }
    if (event == kNoEvent) {
      AddWork(length, T(length));
      state_ = At(length);
    } else {
      const T exact = LengthTo(event, length);
      AddWork(length, exact);
      state_ = At(exact);
    }
    return event;
  }

 private:
  static constexpr std::size_t kOrder = 24;     // near the cheapest for kTolerance
  static constexpr double kTolerance = 1e-15;   // of the last two terms, relative to the state
  static constexpr std::size_t kIntervals = 8;  // of a step, in which events are looked for
  static constexpr double kOnTheEvent = 1e-12;  // of its largest value in the step: rounding
  using Terms = std::array<State, kOrder + 1>;
  using Polynomial = std::array<double, kOrder + 1>;

  using Found = internal::FoundEvent;

  void Expand() {
    terms_[0] = state_;
    for (std::size_t k = 1; k <= kOrder; ++k) {
      terms_[k] = system_.Rate(terms_[k - 1], k == 1 ? 1.0 : 0.0);
      const double inverse = 1.0 / static_cast<double>(k);
      for (T& component : terms_[k]) component *= inverse;
    }
    for (std::size_t k = 0; k <= kOrder; ++k) value_terms_[k] = Value(terms_[k]);
  }

  static double SizeOf(const ValueState& z) {
    double size = 0.0;
    for (const double component : z) size = std::max(size, std::abs(component));
    return size;
  }

  // The units of the state are those of the impact: its parts are near 1, or were.
  double StepLength() const {
    const double allowed = kTolerance * std::max(1.0, SizeOf(value_terms_[0]));
    double length = std::numeric_limits<double>::infinity();
    for (std::size_t k = kOrder - 1; k <= kOrder; ++k) {
      const double size = SizeOf(value_terms_[k]);
      if (!std::isfinite(size)) return std::numeric_limits<double>::quiet_NaN();
      if (size > 0.0)
        length = std::min(length, std::pow(allowed / size, 1.0 / static_cast<double>(k)));
    }
    // A motion at rest would otherwise go on for ever in one step.
    constexpr double kLongest = 10.0;
    return std::min(length, kLongest);
  }

  Found FirstEvent(double length) {
    Found first{kNoEvent, length};
    for (std::size_t k = 0; k < System::kEvents; ++k) {
      if (!values_.IsPossible(k)) continue;
      const double at = FirstRise(k, first.length);
      if (at < first.length || (at == 0.0 && first.event == kNoEvent)) first = {k, at};
    }
    return handovers_.Pass(first, length);
  }

  // Where the value of an event first rises through zero within `length`; infinite if it does not.
  double FirstRise(std::size_t event, double length) const {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    Polynomial polynomial;
    for (std::size_t k = 0; k <= kOrder; ++k)
      polynomial[k] = values_.Event(event, value_terms_[k], k == 0 ? 1.0 : 0.0);
    const auto look = [&](double x) { return internal::EvaluatePolynomial(polynomial, x); };
    std::array<internal::Look, kIntervals + 1> looks;
    const double width = length / kIntervals;
    double largest = 0.0;
    for (std::size_t i = 0; i <= kIntervals; ++i) {
      looks[i] = look(static_cast<double>(i) * width);
      largest = std::max(largest, std::abs(looks[i].value));
    }
    if (largest == 0.0) return kNever;
    double start = 0.0;
    if (looks[0].value >= -kOnTheEvent * largest) {
      // A start on the event itself: it is behind us, unless the value never comes below zero.
      const double tiny = 1e-12 * width;
      double inside = 0.5 * width;
      while (inside > tiny && look(inside).value >= 0.0) inside *= 0.25;
      if (inside <= tiny) return looks[1].value > 0.0 ? 0.0 : kNever;
      start = inside;
      looks[0] = look(inside);
    }
    for (std::size_t i = 0; i < kIntervals; ++i) {
      const double low = i == 0 ? start : static_cast<double>(i) * width;
      internal::Place high{static_cast<double>(i + 1) * width, looks[i + 1]};
      if (!(looks[i].value < 0.0)) return low;
      if (!(looks[i + 1].value > 0.0)) {
        high.x = PeakBetween(low, looks[i], high.x, looks[i + 1]);
        if (!(high.x > low)) continue;
        high.at = look(high.x);
        if (!(high.at.value > 0.0)) continue;
      }
      return internal::RootBetween(look, true, {low, looks[i]}, high);
    }
    return kNever;
  }

  // Where a value that is negative at both ends may be positive in between: the top of the parabola
  // with the slopes at the ends; 0 if it stays below.
  static double PeakBetween(double low, const internal::Look& at_low, double high,
                            const internal::Look& at_high) {
    const double width = high - low;
    const bool may = at_low.slope > 0.0 && at_high.slope < 0.0 &&
                     at_low.value + width * at_low.slope > 0.0 &&
                     at_high.value - width * at_high.slope > 0.0;
    return may ? low + width * at_low.slope / (at_low.slope - at_high.slope) : 0.0;
  }

  // The length to an event with its derivatives, by one more step of Newton's method.
  T LengthTo(std::size_t event, double length) const {
    if constexpr (!kIsAutodiff<T>) {
      return length;
    } else {
      const State at = At(length);
      const double slope = values_.Event(event, values_.Rate(Value(at), 1.0), 0.0);
      if (!(std::abs(slope) > 0.0) || !std::isfinite(slope)) return T(length);
      T offset = system_.Event(event, at, 1.0) / (-slope);
      offset -= Value(offset);
      return T(length) + offset;
    }
  }

  template <typename Length>
  State At(const Length& length) const {
    State z = terms_[kOrder];
    for (std::size_t k = kOrder; k-- > 0;) {
      for (std::size_t i = 0; i < kSize; ++i) z[i] = z[i] * length + terms_[k][i];
    }
    return z;
  }

  // The integral to `length`, and what the rest up to `exact` adds to its derivatives.
  void AddWork(double length, const T& exact) {
    std::array<std::pair<T, T>, kOrder + 1> factors;
    for (std::size_t k = 0; k <= kOrder; ++k)
      factors[k] = system_.Power(terms_[k], k == 0 ? 1.0 : 0.0);
    const auto power = [&](double at) {
      auto [a, b] = factors[kOrder];
      for (std::size_t k = kOrder; k-- > 0;) {
        a = a * at + factors[k].first;
        b = b * at + factors[k].second;
      }
      return T(a * b);
    };
    T mean(0.0);
    for (std::size_t i = 0; i < internal::GaussTen::kOffset.size(); ++i) {
      const double offset = internal::GaussTen::kOffset[i];
      mean += (power(length * (0.5 - offset)) + power(length * (0.5 + offset))) *
              internal::GaussTen::kWeight[i];
    }
    work_ += mean * length;
    if constexpr (kIsAutodiff<T>) work_ += Value(power(length)) * (exact - length);
  }

  System system_;
  SystemOf<double> values_;
  State state_;
  T work_ = T(0);
  Terms terms_;
  std::array<ValueState, kOrder + 1> value_terms_;
  bool failed_ = false;
  internal::HandoverLimit handovers_;
};

}  // namespace percuss::solver
