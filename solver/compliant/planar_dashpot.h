// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "solver/body/scalar.h"
#include "solver/integration/event_location.h"
#include "solver/rigid/planar_impact.h"

namespace percuss::solver::internal {

/// (-ln(1 - y) - y) / y^2 = 1/2 + y/3 + y^2/4 + ... for y < 1
template <typename T>
T LogarithmRemainder(const T& y) {
  using std::log;
  constexpr double kSmall = 0.1;  // below, the difference loses digits
  if (std::abs(Value(y)) > kSmall) return (-log(T(1) - y) - y) / (y * y);
  constexpr int kTerms = 16;  // the first left out is 1e-17 of the sum
  T sum = T(0);
  for (int k = kTerms - 1; k >= 0; --k) sum = sum * y + T(1.0 / (k + 2));
  return sum;
}

/// The end of restitution of a spring whose dashpot grows with its compression,
///     F = f(d) (1 + rate_factor d').
/// With d' = -u_n and dp = F dt
///     f(d) dd = -u_n / (1 - rate_factor u_n) dp,
/// so that contact ends, for any f, when the integral of the right side is back at zero. On a piece
/// with u_n = u + r s, s from 0 to `step`, it is
///     step / c (u + r step M(y) / c),   c = 1 - rate_factor u,   y = rate_factor r step / c,
/// with M the LogarithmRemainder.
///
/// Source: chatterjee1997 8.2.
template <typename T>
struct RestitutionByDashpot {
  T rate_factor;  ///< [s/m]

  T elastic_work = T(0);  ///< int u_n / (1 - rate_factor u_n) dp so far

  void Pass(const PlanarPath<T>& path, const T& step) { elastic_work += Work(*this, path, step); }
  void EndCompression(const PlanarPath<T>&) {}

  T ToEnd(const PlanarPath<T>& path) const {
    const PlanarPathValues at{Value(path.u_n), Value(path.rate_n)};
    const RestitutionByDashpot<double> values{Value(rate_factor), Value(elastic_work)};
    const auto left = [&](double step) {
      const double u_n = at.u_n + at.rate_n * step;
      return Look{RestitutionByDashpot<double>::Work(values, at, step) + values.elastic_work,
                  u_n / (1.0 - values.rate_factor * u_n)};
    };
    // Without the dashpot it would take longer; and u_n stays below 1 / rate_factor.
    const double elastic =
        -2.0 * values.elastic_work /
        (at.u_n + std::sqrt(at.u_n * at.u_n - 2.0 * at.rate_n * values.elastic_work));
    const double fastest = (1.0 - values.rate_factor * at.u_n) / (values.rate_factor * at.rate_n);
    const double step = RootBetween(left, true, 0.0, std::min(elastic, fastest));
    const double slope = left(step).slope;
    if (!kIsAutodiff<T> || !(slope > 0.0)) return T(step);
    return T(step) - (elastic_work + Work(*this, path, T(step))) / slope;
  }

 private:
  struct PlanarPathValues {
    double u_n, rate_n;
  };
  template <typename S>
  friend struct RestitutionByDashpot;

  template <class Path>
  static T Work(const RestitutionByDashpot& dashpot, const Path& path, const T& step) {
    const T slowed = T(1) - dashpot.rate_factor * path.u_n;
    const T rise = path.rate_n * step;
    const T mean_rise = rise * LogarithmRemainder(T(dashpot.rate_factor * rise / slowed)) / slowed;
    return step / slowed * (path.u_n + mean_rise);
  }
};

}  // namespace percuss::solver::internal
