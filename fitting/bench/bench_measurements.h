// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "fitting/bench/bench_methods.h"

namespace percuss::fitting {

/// What was read of one quantity: one value for each repeat, or one that serves for all.
struct Readings {
  std::vector<double> values;
  /// Standard deviation of the error that all repeats have in common: zero and scale of the ruler,
  /// of the protractor, of the clock. What changes from one repeat to the next shows in the scatter
  /// and is not stated again. A single reading has no scatter: here this is all of its error. An
  /// error said to be at most +-a, and no more known of it, has a / sqrt(3).
  double sigma = 0.0;
};

/// Part of the error of a coefficient that comes from one quantity.
struct ReadingPart {
  std::string quantity;
  double reading_sigma = 0.0;  ///< as stated, in the unit of the quantity
  double sigma = 0.0;          ///< what it makes of the coefficient
};

struct BenchMeasurement {
  std::string coefficient;
  double value = std::numeric_limits<double>::quiet_NaN();  ///< mean of the repeats
  double sigma = std::numeric_limits<double>::quiet_NaN();  ///< both parts in quadrature; NaN, as
                                                            ///< is ci95, if nothing is known
  std::array<double, 2> ci95{};  ///< cut at 0, and at 1 for a restitution
  std::vector<double> repeats;   ///< the coefficient of each repeat
  double scatter_sigma = 0.0;    ///< of the mean, from the scatter; 0 for one repeat
  double reading_sigma = 0.0;    ///< of the mean, from all reading errors
  std::vector<ReadingPart> readings;
  /// Why the interval says less than it seems to (one repeat; no error stated); empty when fine.
  std::string warning;
};

/// @param readings by the name of the quantity; the numbers of values are equal or one.
/// @throws std::invalid_argument quoting field, value and bound.
BenchMeasurement MeasureOnBench(const BenchMethod& method,
                                const std::map<std::string, Readings>& readings,
                                double gravity = 9.80665);

/// Half width of a 95 % interval of a mean with two kinds of error: scatter of the mean s,
/// estimated with few degrees of freedom, and b, a normal error of known standard deviation. With t
/// and z the 95 % quantiles of Student and normal distribution,
///
///     h^2 = z^2 (b^2 + c s^2) + (t^2 - c z^2) s^2 exp(-(k b^2 / s^2)^q),
///
/// which is t s or z b where there is but one kind. The constants were chosen so that the interval
/// holds the truth with a probability of 94.7 to 95.3 % whatever the true s / b, from three repeats
/// on; 94.6 to 96.1 % for two. (Adding t s and z b in quadrature holds it with up to 98.7 %, the
/// effective degrees of freedom of Welch and Satterthwaite with as little as 87 %.)
/// @param dof of the scatter; 0 if there is none (then s must be 0).
double HalfWidth95(double scatter_sigma, int dof, double known_sigma);

}  // namespace percuss::fitting
