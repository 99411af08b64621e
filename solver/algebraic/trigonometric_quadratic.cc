// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/algebraic/trigonometric_quadratic.h"

#include <algorithm>

namespace percuss::solver {
namespace {

template <std::size_t kTerms>
double Evaluate(const std::array<double, kTerms>& polynomial, double x) {
  double sum = polynomial[kTerms - 1];
  for (std::size_t k = kTerms - 1; k-- > 0;) sum = sum * x + polynomial[k];
  return sum;
}

// The root between two points where the values have opposite signs, by bisection of the bracket
// whenever Newton's method leaves it.
template <std::size_t kTerms>
double RootBetween(const std::array<double, kTerms>& polynomial,
                   const std::array<double, kTerms - 1>& slope, double low, double high) {
  const bool rises = Evaluate(polynomial, low) < 0.0;
  double x = 0.5 * (low + high);
  for (int k = 0; k < 200; ++k) {
    const double value = Evaluate(polynomial, x);
    ((value < 0.0) == rises ? low : high) = x;
    double next = x - value / Evaluate(slope, x);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - x) <= 1e-16 * std::abs(next)) return next;
    x = next;
  }
  return x;
}

// All real roots, ascending: between the roots of the derivative a polynomial is monotonic. Where
// it touches zero without crossing, rounding may hide the crossing; such points count as roots.
template <std::size_t kTerms>
FewNumbers RealRoots(const std::array<double, kTerms>& polynomial) {
  FewNumbers roots;
  if constexpr (kTerms == 2) {
    roots.push_back(-polynomial[0] / polynomial[1]);
  } else {
    std::array<double, kTerms - 1> slope;
    for (std::size_t k = 0; k + 1 < kTerms; ++k) {
      slope[k] = static_cast<double>(k + 1) * polynomial[k + 1];
    }
    double bound = 0.0;  // Cauchy's, on the size of every root
    for (std::size_t k = 0; k + 1 < kTerms; ++k) {
      bound = std::max(bound, std::abs(polynomial[k] / polynomial[kTerms - 1]));
    }
    bound += 1.0;
    const auto touches = [&](double x) {
      double size = 0.0, power = 1.0;
      for (const double term : polynomial) {
        size += std::abs(term) * power;
        power *= std::abs(x);
      }
      return std::abs(Evaluate(polynomial, x)) <= 1e-14 * size;
    };
    double low = -bound;
    const auto search = [&](double high) {
      if (Evaluate(polynomial, low) * Evaluate(polynomial, high) < 0.0) {
        roots.push_back(RootBetween(polynomial, slope, low, high));
      }
      low = high;
    };
    for (const double turning : RealRoots(slope)) {
      search(turning);
      if (touches(turning)) roots.push_back(turning);
    }
    search(bound);
  }
  return roots;
}

}  // namespace

double TrigonometricQuadratic::operator()(double theta) const {
  return constant + cosine * std::cos(theta) + sine * std::sin(theta) +
         cosine_2 * std::cos(2.0 * theta) + sine_2 * std::sin(2.0 * theta);
}

double TrigonometricQuadratic::Slope(double theta) const {
  return sine * std::cos(theta) - cosine * std::sin(theta) +
         2.0 * (sine_2 * std::cos(2.0 * theta) - cosine_2 * std::sin(2.0 * theta));
}

// With t = tan((theta - origin) / 2), (1 + t^2)^2 f is a quartic. The angle opposite to the origin,
// where t is infinite, is put where f is large, so that no root is near it.
FewNumbers TrigonometricQuadratic::Roots() const {
  constexpr int kSamples = 16;
  double pole = 0.0, largest = 0.0;
  for (int k = 0; k < kSamples; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / kSamples;
    if (const double size = std::abs((*this)(angle)); size > largest) {
      largest = size;
      pole = angle;
    }
  }
  FewNumbers angles;
  if (!(largest > 0.0) || !std::isfinite(largest)) return angles;
  const double origin = pole - std::numbers::pi;
  const double c = std::cos(origin), s = std::sin(origin);
  const double cc = std::cos(2.0 * origin), ss = std::sin(2.0 * origin);
  const double c1 = cosine * c + sine * s, s1 = sine * c - cosine * s;
  const double c2 = cosine_2 * cc + sine_2 * ss, s2 = sine_2 * cc - cosine_2 * ss;
  const std::array<double, 5> quartic = {constant + c1 + c2, 2.0 * s1 + 4.0 * s2,
                                         2.0 * constant - 6.0 * c2, 2.0 * s1 - 4.0 * s2,
                                         constant - c1 + c2};
  for (const double t : RealRoots(quartic)) {
    double theta = origin + 2.0 * std::atan(t);
    for (int k = 0; k < 2; ++k) {  // the substitution costs digits
      const double step = (*this)(theta) / Slope(theta);
      if (std::abs(step) < 1e-4) theta -= step;
      if (std::abs(step) < 1e-9) break;  // the next would be its square
    }
    angles.push_back(std::remainder(theta, 2.0 * std::numbers::pi));
  }
  return angles;
}

}  // namespace percuss::solver
