// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace percuss::solver {

/// constant + cosine cos x + sine sin x + cosine_2 cos 2x + sine_2 sin 2x
struct TrigonometricPolynomial {
  double constant = 0.0;
  double cosine = 0.0, sine = 0.0;
  double cosine_2 = 0.0, sine_2 = 0.0;

  double operator()(double x) const;
  double Slope(double x) const;
};

/// At most four angles [rad].
struct RootList {
  std::array<double, 4> values{};
  std::size_t size = 0;

  void push_back(double x) { values[size++] = x; }
  const double* begin() const { return values.data(); }
  const double* end() const { return values.data() + size; }
};

/// Every angle in [-pi, pi] where the polynomial changes its sign, in no particular order: the real
/// roots of a quartic in tan((x - x_0) / 2), with x_0 chosen so that no root lies at infinity. The
/// stretches between its turning points are searched one by one, so that no root is missed.
RootList TrigonometricRoots(const TrigonometricPolynomial& f);

}  // namespace percuss::solver
