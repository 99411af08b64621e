// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace percuss::solver {

// Restitution e of a frictionless impact of a mass m at the speed v on a normal element.

/// F = k d + c d d' with a = c v / k >= 0: the root of
///     -e - ln(1 - a e) / a = 1 - ln(1 + a) / a.
/// 1 - 2a/3 + 4a^2/9 for small, 1/a for large a. Source: chatterjee1997 (8.3).
double RestitutionOfNonlinearDashpot(double a);

/// F = k d + c d' until F = 0, with zeta = c / (2 sqrt(k m)) >= 0:
///     e = exp(-2 zeta acos(zeta) / sqrt(1 - zeta^2)),   exp(-2) at zeta = 1,
///     e = exp(-2 zeta acosh(zeta) / sqrt(zeta^2 - 1)) above.
/// Source: chatterjee1997 (8.4), to which this is equal.
double RestitutionOfLinearDashpot(double zeta);

}  // namespace percuss::solver
