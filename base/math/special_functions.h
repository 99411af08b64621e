// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace percuss {

/// log |Gamma(x)|. std::lgamma writes the sign of Gamma to a variable that all threads share.
double LogGamma(double x);

/// Regularised incomplete beta function I_x(a, b) for a, b > 0: 0 at x <= 0, 1 at x >= 1. Relative
/// accuracy about 1e-12.
double IncompleteBeta(double a, double b, double x);

}  // namespace percuss
