// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

namespace percuss {

/// What a number is that the data cannot give.
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace percuss
