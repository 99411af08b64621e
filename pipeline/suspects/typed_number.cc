// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/suspects/typed_number.h"

#include <fmt/format.h>

#include <cmath>

namespace percuss::pipeline {

double RoundNumber(double measured, double sigma) {
  if (measured == 0.0 || !(sigma > 0.0)) return measured;
  if (std::abs(measured) <= 2.0 * sigma) return 0.0;
  const int first = static_cast<int>(std::floor(std::log10(std::abs(measured))));
  for (int digit = first;; --digit) {
    // Powers of ten are exact upwards, so that 23 thousandths are read back as 0.023.
    const double scale = std::pow(10.0, std::abs(digit));
    const double rounded =
        digit < 0 ? std::round(measured * scale) / scale : std::round(measured / scale) * scale;
    if (std::abs(rounded - measured) <= 2.0 * sigma) return rounded;
  }
}

std::string NumberText(double value) { return fmt::format("{:.10g}", value == 0.0 ? 0.0 : value); }

std::string VectorText(const Eigen::Vector3d& vector) {
  return fmt::format("[{}, {}, {}]", NumberText(vector.x()), NumberText(vector.y()),
                     NumberText(vector.z()));
}

}  // namespace percuss::pipeline
