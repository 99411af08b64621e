// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace percuss::solver::internal {

/// A function's value and slope.
struct Look {
  double value, slope;
};

/// The value and slope at x of the polynomial with coefficients c_0, c_1, ... Every fourth power by
/// itself: sums that do not wait for each other.
template <std::size_t kTerms>
Look EvaluatePolynomial(const std::array<double, kTerms>& coefficients, double x) {
  static_assert(kTerms >= 2);
  if (x == 0.0) return {coefficients[0], coefficients[1]};
  constexpr std::size_t kWays = 4;
  constexpr std::size_t kLast = (kTerms - 1) / kWays * kWays;
  const double x2 = x * x, y = x2 * x2;
  std::array<double, kWays> sum{}, slope{};  // slope by y
  for (std::size_t k = kLast; k < kTerms; ++k) sum[k - kLast] = coefficients[k];
  for (std::size_t k = kLast; k > 0; k -= kWays) {
    for (std::size_t way = 0; way < kWays; ++way) {
      slope[way] = slope[way] * y + sum[way];
      sum[way] = sum[way] * y + coefficients[k - kWays + way];
    }
  }
  const double by_y = (slope[0] + x * slope[1]) + x2 * (slope[2] + x * slope[3]);
  return {(sum[0] + x * sum[1]) + x2 * (sum[2] + x * sum[3]),
          (sum[1] + 2.0 * x * sum[2]) + x2 * (3.0 * sum[3] + 4.0 * x * by_y)};
}

/// c_0 + c_1 x + c_2 x^2
struct Quadratic {
  double constant, linear, square;

  Look operator()(double x) const {
    if (square == 0.0) return {constant + x * linear, linear};  // also for an infinite x
    return {constant + x * (linear + x * square), linear + 2.0 * x * square};
  }
};

/// function - target
template <class Function>
auto Less(const Function& function, double target) {
  if constexpr (std::is_same_v<Function, Quadratic>) {
    return Quadratic{function.constant - target, function.linear, function.square};
  } else {
    return [function, target](double x) {
      const Look look = function(x);
      return Look{look.value - target, look.slope};
    };
  }
}

/// A place and what the function is there.
struct Place {
  double x;
  Look at;
};

/// About where a function vanishes between two places: of the parabola with both values and the
/// slope at `low`, then a step of Newton's method on the cubic with both slopes.
inline double GuessRoot(const Place& low, const Place& high) {
  const double width = high.x - low.x;
  const double value = low.at.value, rise = high.at.value - value;
  const double linear = low.at.slope * width;
  const double bend = std::sqrt(std::max(0.0, linear * linear - 4.0 * value * (rise - linear)));
  const double t = -2.0 * value / (linear - std::copysign(bend, value));
  const double cube = linear + high.at.slope * width - 2.0 * rise;
  const double square = rise - linear - cube;
  const double left = value + t * (linear + t * (square + t * cube));
  return low.x + width * (t - left / (linear + t * (2.0 * square + 3.0 * t * cube)));
}

/// The root between two places of a function that changes sign there once, upwards or downwards: by
/// Newton's method, kept in the bracket, until a step is so small that the next, its square, would
/// be lost in rounding.
template <class Function>
double RootBetween(const Function& function, bool upwards, const Place& from, const Place& to) {
  double low = from.x, high = to.x;
  double x = GuessRoot(from, to);
  for (int k = 0; k < 200; ++k) {
    if (!(x > low && x < high)) x = 0.5 * (low + high);
    const Look look = function(x);
    ((look.value < 0.0) == upwards ? low : high) = x;
    const double next = x - look.value / look.slope;
    if (std::abs(next - x) <= 1e-9 * std::abs(x)) return next;
    x = next;
  }
  return x;
}

/// The same in closed form; `to` may be infinitely far.
inline double RootBetween(const Quadratic& function, bool, const Place& from, const Place&) {
  const auto& [value, slope] = from.at;
  if (function.square == 0.0) return from.x - value / slope;
  const double bend = std::sqrt(std::max(0.0, slope * slope - 4.0 * value * function.square));
  return from.x - 2.0 * value / (slope + bend);
}

template <class Function>
double RootBetween(const Function& function, bool upwards, double low, double high) {
  return RootBetween(function, upwards, Place{low, function(low)}, Place{high, function(high)});
}

}  // namespace percuss::solver::internal
