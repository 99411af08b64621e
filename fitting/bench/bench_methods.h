// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace percuss::fitting {

// Coefficients from bench-top tests, without a camera: static friction from an incline on which the
// body begins to slide, kinetic friction from a timed slide, restitution from a vertical drop
// without spin (sun2017 4.4).

/// Something that is read from an instrument, with the values it can have.
struct BenchQuantity {
  std::string_view name;  ///< as on the command line and in tables: `drop_height`, `angle_deg`
  std::string_view unit;
  std::string_view
      kind;            ///< quantities of one kind are read with one instrument: height, time, ...
  double lower = 0.0;  ///< allowed: lower <= value <= upper, or lower < value if exclusive
  double upper = std::numeric_limits<double>::infinity();
  bool lower_exclusive = true;
  std::string_view meaning;
};

/// One way to a coefficient: the readings it needs and the formula.
struct BenchMethod {
  std::string_view measurement;  ///< incline | slide | drop
  std::string_view coefficient;  ///< mu_s | mu_k | e
  std::string_view formula;
  std::vector<BenchQuantity> quantities;
  /// @param readings one per quantity, in their order; @param gravity [m/s^2].
  double (*Calculate)(std::span<const double> readings, double gravity) = nullptr;
};

const std::vector<BenchMethod>& BenchMethods();

/// The method of a measurement that needs exactly these quantities (any order).
/// @throws std::invalid_argument listing what the measurement can be made from.
const BenchMethod& FindBenchMethod(std::string_view measurement,
                                   const std::vector<std::string>& quantities);

}  // namespace percuss::fitting
