// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <math.h>  // lgamma_r is POSIX's, not the standard library's

namespace percuss::capture {

/// log |Gamma(x)|. std::lgamma writes the sign of Gamma to a variable that all threads share.
inline double LogGamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace percuss::capture
