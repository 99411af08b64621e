// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/math/statistics.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/math/special_functions.h"

namespace percuss {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kTiny = 1e-300;
constexpr int kMaxTerms = 10000;

// Regularized upper incomplete gamma function Q(a, x): the power series of P below the hump at
// x = a + 1, the continued fraction of Q (evaluated by Lentz' recurrence) above it.
double UpperIncompleteGamma(double a, double x) {
  if (x <= 0.0) return 1.0;
  const double prefactor = std::exp(a * std::log(x) - x - LogGamma(a));
  if (x < a + 1.0) {
    double term = 1.0 / a;
    double sum = term;
    for (int n = 1; n < kMaxTerms && term > sum * kEpsilon; ++n) {
      term *= x / (a + n);
      sum += term;
    }
    return 1.0 - prefactor * sum;
  }
  double b = x + 1.0 - a;
  double c = 1.0 / kTiny;
  double d = 1.0 / b;
  double fraction = d;
  for (int n = 1; n < kMaxTerms; ++n) {
    const double numerator = -n * (n - a);
    b += 2.0;
    d = 1.0 / (numerator * d + b);
    c = b + numerator / c;
    const double factor = c * d;
    fraction *= factor;
    if (std::abs(factor - 1.0) < kEpsilon) break;
  }
  return prefactor * fraction;
}

}  // namespace

double Median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double NormalCdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

double ChiSquareSurvival(double chi_square, int dof) {
  if (!(chi_square >= 0.0)) {
    throw std::invalid_argument(
        fmt::format("ChiSquareSurvival: chi_square = {}, allowed 0 or more", chi_square));
  }
  if (dof < 0) {
    throw std::invalid_argument(fmt::format("ChiSquareSurvival: dof = {}, allowed 0 or more", dof));
  }
  if (dof == 0) return 1.0;
  if (std::isinf(chi_square)) return 0.0;
  return UpperIncompleteGamma(0.5 * dof, 0.5 * chi_square);
}

double ChiSquareQuantile(double probability, int dof) {
  if (!(probability > 0.0 && probability < 1.0)) {
    throw std::invalid_argument(
        fmt::format("ChiSquareQuantile: probability = {}, allowed between 0 and 1", probability));
  }
  if (dof < 1) {
    throw std::invalid_argument(fmt::format("ChiSquareQuantile: dof = {}, allowed 1 or more", dof));
  }
  double low = 0.0;
  double high = dof;
  while (1.0 - ChiSquareSurvival(high, dof) < probability) high *= 2.0;
  for (int i = 0; i < 100 && high - low > 1e-10 * high; ++i) {
    const double x = 0.5 * (low + high);
    (1.0 - ChiSquareSurvival(x, dof) < probability ? low : high) = x;
  }
  return 0.5 * (low + high);
}

double StudentTwoSidedQuantile(double probability, int dof) {
  if (!(probability > 0.0 && probability < 1.0)) {
    throw std::invalid_argument(fmt::format(
        "StudentTwoSidedQuantile: probability = {}, allowed between 0 and 1", probability));
  }
  if (dof < 1) {
    throw std::invalid_argument(
        fmt::format("StudentTwoSidedQuantile: dof = {}, allowed 1 or more", dof));
  }
  // P(|T| > t) = I_x(dof / 2, 1/2) with x = dof / (dof + t^2), which grows with x.
  double low = 0.0;
  double high = 1.0;
  for (int i = 0; i < 200; ++i) {
    const double x = 0.5 * (low + high);
    (IncompleteBeta(0.5 * dof, 0.5, x) < 1.0 - probability ? low : high) = x;
  }
  const double x = 0.5 * (low + high);
  return std::sqrt(dof * (1.0 - x) / x);
}

double FisherQuantile(double probability, int numerator_dof, int denominator_dof) {
  if (!(probability > 0.0 && probability < 1.0)) {
    throw std::invalid_argument(
        fmt::format("FisherQuantile: probability = {}, allowed between 0 and 1", probability));
  }
  if (numerator_dof < 1 || denominator_dof < 1) {
    throw std::invalid_argument(fmt::format("FisherQuantile: dof = {}, {}, allowed 1 or more",
                                            numerator_dof, denominator_dof));
  }
  // P(F <= f) = I_x(n / 2, d / 2) with x = n f / (n f + d), which grows with f.
  double low = 0.0;
  double high = 1.0;
  for (int i = 0; i < 200; ++i) {
    const double x = 0.5 * (low + high);
    (IncompleteBeta(0.5 * numerator_dof, 0.5 * denominator_dof, x) < probability ? low : high) = x;
  }
  const double x = 0.5 * (low + high);
  return denominator_dof * x / (numerator_dof * (1.0 - x));
}

}  // namespace percuss
