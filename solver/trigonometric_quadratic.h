// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace percuss::solver {

/// A few numbers, kept in place.
class FewNumbers {
 public:
  void push_back(double x) {
    if (size_ < numbers_.size()) numbers_[size_++] = x;
  }
  const double* begin() const { return numbers_.data(); }
  const double* end() const { return numbers_.data() + size_; }
  std::size_t size() const { return size_; }

 private:
  std::array<double, 8> numbers_{};
  std::size_t size_ = 0;
};

/// f(theta) = c0 + c1 cos theta + s1 sin theta + c2 cos 2 theta + s2 sin 2 theta. The direction of
/// slip in a contact problem with a circular friction cone is a root of such a function.
class TrigonometricQuadratic {
 public:
  /// Takes the coefficients from values of a function that is of this form.
  template <class Function>
  static TrigonometricQuadratic Of(const Function& f) {
    TrigonometricQuadratic q;
    constexpr int kSamples = 5;
    for (int k = 0; k < kSamples; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / kSamples;
      const double value = f(angle) * (2.0 / kSamples);
      q.c0_ += 0.5 * value;
      q.c1_ += value * std::cos(angle);
      q.s1_ += value * std::sin(angle);
      q.c2_ += value * std::cos(2.0 * angle);
      q.s2_ += value * std::sin(2.0 * angle);
    }
    return q;
  }

  double operator()(double theta) const;
  double Slope(double theta) const;

  /// All real roots in one turn, at most four [rad]; double ones may be listed more than once. None
  /// if f vanishes everywhere or is not finite.
  FewNumbers Roots() const;

 private:
  double c0_ = 0.0, c1_ = 0.0, s1_ = 0.0, c2_ = 0.0, s2_ = 0.0;
};

}  // namespace percuss::solver
