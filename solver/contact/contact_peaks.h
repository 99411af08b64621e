// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

namespace percuss::solver {

/// What the force of a contact over time comes to.
struct ContactPeaks {
  double duration = 0.0;          ///< of contact [s]
  double force = 0.0;             ///< the largest normal force [N]
  double compression = 0.0;       ///< the largest, d_max [m]
  double last_compression = 0.0;  ///< what is left of it where contact ends, d_p [m]
};

inline constexpr ContactPeaks kUnknownPeaks{
    std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN(),
    std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};

}  // namespace percuss::solver
