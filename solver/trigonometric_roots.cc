// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/trigonometric_roots.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace percuss::solver {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

template <std::size_t kTerms>
double Evaluate(const std::array<double, kTerms>& c, double x) {
  double sum = 0.0;
  for (std::size_t k = kTerms; k-- > 0;) sum = sum * x + c[k];
  return sum;
}

template <std::size_t kTerms>
std::array<double, kTerms - 1> Derivative(const std::array<double, kTerms>& c) {
  std::array<double, kTerms - 1> slope;
  for (std::size_t k = 1; k < kTerms; ++k) slope[k - 1] = static_cast<double>(k) * c[k];
  return slope;
}

// The root between two places of opposite sign: Newton's method, halving where it leaves them.
template <std::size_t kTerms>
double BracketedRoot(const std::array<double, kTerms>& c, double low, double high) {
  const std::array<double, kTerms - 1> slope = Derivative(c);
  const bool rises = Evaluate(c, high) > 0.0;
  double x = 0.5 * (low + high);
  for (int k = 0; k < 200; ++k) {
    const double value = Evaluate(c, x);
    ((value > 0.0) == rises ? high : low) = x;
    double next = x - value / Evaluate(slope, x);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - x) <= kEpsilon * std::abs(next)) return next;
    x = next;
  }
  return x;
}

template <std::size_t kTerms>
RootList RealRoots(const std::array<double, kTerms>& c, double low, double high) {
  RootList roots;
  if constexpr (kTerms == 2) {
    const double x = -c[0] / c[1];
    if (x >= low && x <= high) roots.push_back(x);
  } else {
    const RootList turning_points = RealRoots(Derivative(c), low, high);
    const auto search = [&](double from, double to) {
      const double before = Evaluate(c, from), after = Evaluate(c, to);
      if (before == 0.0) roots.push_back(from);
      if (before * after < 0.0) roots.push_back(BracketedRoot(c, from, to));
    };
    double from = low;
    for (const double x : turning_points) {
      search(from, x);
      from = x;
    }
    search(from, high);
  }
  return roots;
}

}  // namespace

double TrigonometricPolynomial::operator()(double x) const {
  return constant + cosine * std::cos(x) + sine * std::sin(x) + cosine_2 * std::cos(2.0 * x) +
         sine_2 * std::sin(2.0 * x);
}

double TrigonometricPolynomial::Slope(double x) const {
  return sine * std::cos(x) - cosine * std::sin(x) + 2.0 * sine_2 * std::cos(2.0 * x) -
         2.0 * cosine_2 * std::sin(2.0 * x);
}

RootList TrigonometricRoots(const TrigonometricPolynomial& f) {
  // Of nine places at most four are roots; the one farthest from a root becomes infinity.
  constexpr int kPlaces = 9;
  double infinity = 0.0;
  for (int k = 1; k < kPlaces; ++k) {
    const double x = 2.0 * std::numbers::pi * k / kPlaces;
    if (std::abs(f(x)) > std::abs(f(infinity))) infinity = x;
  }
  const double origin = infinity + std::numbers::pi;
  // f(origin + y) = a0 + a1 cos y + b1 sin y + a2 cos 2y + b2 sin 2y, then t = tan(y/2).
  const double c1 = std::cos(origin), s1 = std::sin(origin);
  const double c2 = std::cos(2.0 * origin), s2 = std::sin(2.0 * origin);
  const double a0 = f.constant;
  const double a1 = f.cosine * c1 + f.sine * s1, b1 = f.sine * c1 - f.cosine * s1;
  const double a2 = f.cosine_2 * c2 + f.sine_2 * s2, b2 = f.sine_2 * c2 - f.cosine_2 * s2;
  const std::array<double, 5> quartic = {a0 + a1 + a2, 2.0 * b1 + 4.0 * b2, 2.0 * a0 - 6.0 * a2,
                                         2.0 * b1 - 4.0 * b2, a0 - a1 + a2};
  double largest = 0.0;
  for (const double c : quartic) largest = std::max(largest, std::abs(c));
  RootList roots;
  if (!(quartic[4] != 0.0 && std::isfinite(largest))) return roots;
  const double bound = 1.0 + largest / std::abs(quartic[4]);
  for (const double t : RealRoots(quartic, -bound, bound)) {
    double x = origin + 2.0 * std::atan(t);
    for (int k = 0; k < 2; ++k) {  // the substitution costs digits
      const double step = f(x) / f.Slope(x);
      if (std::abs(step) < 1e-4) x -= step;
    }
    roots.push_back(std::remainder(x, 2.0 * std::numbers::pi));
  }
  return roots;
}

}  // namespace percuss::solver
