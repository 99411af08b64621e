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

/// f(theta) = constant + cosine cos theta + sine sin theta + cosine_2 cos 2 theta + sine_2 sin 2
/// theta. The direction of slip in a contact problem with a circular friction cone is a root of
/// such a function.
struct TrigonometricQuadratic {
  double constant = 0.0;
  double cosine = 0.0, sine = 0.0;
  double cosine_2 = 0.0, sine_2 = 0.0;

  /// Takes the coefficients from values of a function that is of this form.
  template <class Function>
  static TrigonometricQuadratic Of(const Function& f) {
    TrigonometricQuadratic q;
    constexpr int kSamples = 5;
    for (int k = 0; k < kSamples; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / kSamples;
      const double value = f(angle) * (2.0 / kSamples);
      q.constant += 0.5 * value;
      q.cosine += value * std::cos(angle);
      q.sine += value * std::sin(angle);
      q.cosine_2 += value * std::cos(2.0 * angle);
      q.sine_2 += value * std::sin(2.0 * angle);
    }
    return q;
  }

  double operator()(double theta) const;
  double Slope(double theta) const;

  /// All real roots in [-pi, pi], at most four [rad], in no particular order; double ones may be
  /// listed more than once. None if f vanishes everywhere or is not finite.
  FewNumbers Roots() const;
};

}  // namespace percuss::solver
