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

/// The value and slope at x of the polynomial with coefficients c_0, c_1, ... Even and odd powers
/// by themselves: sums that do not wait for each other.
template <std::size_t kTerms>
Look EvaluatePolynomial(const std::array<double, kTerms>& coefficients, double x) {
  static_assert(kTerms >= 2);
  if (x == 0.0) return {coefficients[0], coefficients[1]};
  constexpr std::size_t kLastEven = (kTerms - 1) / 2 * 2;
  const double y = x * x;
  double even = coefficients[kLastEven], even_slope = 0.0;  // by y
  double odd = 0.0, odd_slope = 0.0;
  if constexpr (kLastEven + 1 < kTerms) odd = coefficients[kLastEven + 1];
  for (std::size_t k = kLastEven; k >= 2; k -= 2) {
    even_slope = even_slope * y + even;
    even = even * y + coefficients[k - 2];
    odd_slope = odd_slope * y + odd;
    odd = odd * y + coefficients[k - 1];
  }
  return {even + x * odd, 2.0 * x * even_slope + (odd + 2.0 * y * odd_slope)};
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

/// The root in [low, high] of a function that changes sign there once, upwards or downwards. For a
/// Quadratic in closed form, `high` may be infinite; else by Newton's method, kept in the bracket,
/// until a step is so small that the next, its square, would be lost in rounding.
template <class Function>
double RootBetween(const Function& function, bool upwards, double low, double high) {
  const Look at_low = function(low);
  if constexpr (std::is_same_v<Function, Quadratic>) {
    if (function.square == 0.0) return low - at_low.value / at_low.slope;
    const double discriminant = at_low.slope * at_low.slope - 4.0 * at_low.value * function.square;
    return low - 2.0 * at_low.value / (at_low.slope + std::sqrt(std::max(0.0, discriminant)));
  } else {
    double x = low - at_low.value / at_low.slope;
    for (int k = 0; k < 200; ++k) {
      if (!(x > low && x < high)) x = 0.5 * (low + high);
      const Look look = function(x);
      ((look.value < 0.0) == upwards ? low : high) = x;
      const double next = x - look.value / look.slope;
      if (std::abs(next - x) <= 1e-12 * std::abs(x)) return next;
      x = next;
    }
    return x;
  }
}

}  // namespace percuss::solver::internal
