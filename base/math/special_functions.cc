// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/math/special_functions.h"

#include <math.h>  // lgamma_r is POSIX's, not the standard library's

#include <cmath>
#include <limits>

namespace percuss {

double LogGamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// Continued fraction by Lentz' recurrence, which converges fast below the mean; above it by the
// mirror image.
double IncompleteBeta(double a, double b, double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  if (x > (a + 1.0) / (a + b + 2.0)) return 1.0 - IncompleteBeta(b, a, 1.0 - x);
  constexpr double kTiny = 1e-300;
  constexpr int kMaxTerms = 10000;
  const auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1.0, d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
  double fraction = d;
  for (int m = 1; m < kMaxTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0));
    double factor = 1.0;
    for (const double term : {even, odd}) {
      d = 1.0 / away_from_zero(1.0 + term * d);
      c = away_from_zero(1.0 + term / c);
      factor = c * d;
      fraction *= factor;
    }
    if (std::abs(factor - 1.0) < std::numeric_limits<double>::epsilon()) break;
  }
  return fraction / a *
         std::exp(LogGamma(a + b) - LogGamma(a) - LogGamma(b) + a * std::log(x) +
                  b * std::log1p(-x));
}

}  // namespace percuss
