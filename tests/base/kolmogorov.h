// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace percuss::testing {

/// Kolmogorov's distance of probabilities from even ones, times the root of their number: above
/// 1.36 in 1 of 20, above 1.95 in 1 of 1000.
inline double KolmogorovDistance(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto k = static_cast<double>(i);
    distance = std::max({distance, values[i] - k / n, (k + 1.0) / n - values[i]});
  }
  return distance * std::sqrt(n);
}

}  // namespace percuss::testing
