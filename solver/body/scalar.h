// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace percuss::solver {

/// The value part of a scalar: x itself for double, the real part `a` of a forward-mode autodiff
/// number (ceres::Jet). Branches, step counts and tolerances are chosen from it.
template <typename T>
double Value(const T& x) {
  if constexpr (requires { x.a; }) {
    return Value(x.a);
  } else {
    return static_cast<double>(x);
  }
}

template <typename T, int kRows, int kCols>
Eigen::Matrix<double, kRows, kCols> Value(const Eigen::Matrix<T, kRows, kCols>& x) {
  return x.unaryExpr([](const T& element) { return Value(element); });
}

template <typename T, std::size_t kSize>
std::array<double, kSize> Value(const std::array<T, kSize>& x) {
  std::array<double, kSize> values;
  for (std::size_t i = 0; i < kSize; ++i) values[i] = Value(x[i]);
  return values;
}

/// The size of the largest first derivative that a number carries; 0 for a plain one.
template <typename T>
double LargestDerivative(const T& x) {
  double largest = 0.0;
  if constexpr (requires { x.v; }) {
    for (Eigen::Index i = 0; i < x.v.size(); ++i) {
      largest = std::max(largest, std::abs(Value(x.v[i])));
    }
  }
  return largest;
}

/// True where a scalar carries derivatives.
template <typename T>
inline constexpr bool kIsAutodiff = !std::is_floating_point_v<T>;

}  // namespace percuss::solver
