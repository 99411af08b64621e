// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace percuss::capture {

/// How a lens bends rays; the equations are at calibration::Project.
enum class LensModel {
  kBrown,     ///< radial k1 k2 k3 and tangential p1 p2: nearly every lens up to 80 degrees
  kRational,  ///< the same over a denominator k4 k5 k6: wide lenses
  kFisheye,   ///< polynomial in the angle to the axis, k1 to k4: from some 100 degrees
};

struct LensModelName {
  LensModel lens;
  std::string_view name;  ///< in files
};
inline constexpr std::array<LensModelName, 3> kLensModelNames = {{
    {LensModel::kBrown, "brown"},
    {LensModel::kRational, "rational"},
    {LensModel::kFisheye, "fisheye"},
}};

inline constexpr std::string_view Name(LensModel lens) {
  return kLensModelNames[static_cast<std::size_t>(lens)].name;
}

}  // namespace percuss::capture
