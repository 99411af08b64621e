// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "base/nan.h"

namespace percuss {

/// A quantity and its standard deviation in the same unit; NaN where unknown.
struct ValueWithSigma {
  double value = kNaN;
  double sigma = kNaN;
};

/// Of "0.24±0.01", "0.24 +- 0.01" or "0.24 +/- 0.01"; of a number alone with a sigma of 0. Nothing
/// where it is something else, not finite or a negative sigma.
std::optional<ValueWithSigma> ParseValueWithSigma(std::string_view text);

}  // namespace percuss
