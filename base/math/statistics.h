// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace percuss {

/// The middle one of the values in their order, the upper one of the two in the middle of an even
/// number; NaN if there are none.
double Median(std::vector<double> values);

/// P(Z <= z) of a standard normal variable.
double NormalCdf(double z);

/// Regularised incomplete beta function I_x(a, b) for a, b > 0: 0 at x <= 0, 1 at x >= 1.
double IncompleteBeta(double a, double b, double x);

/// P(X >= chi_square) of a chi-square variable with `dof` degrees of freedom; 1 for dof = 0.
/// @throws std::invalid_argument if chi_square is negative or NaN, or dof is negative.
double ChiSquareSurvival(double chi_square, int dof);

/// The x with P(X <= x) = probability of a chi-square variable; dof >= 1.
/// @throws std::invalid_argument if probability is not inside (0, 1) or dof < 1.
double ChiSquareQuantile(double probability, int dof);

/// The t with P(|T| <= t) = probability of a Student variable with `dof` degrees of freedom; the
/// normal one (1.96 at 0.95) in the limit of many.
/// @throws std::invalid_argument if probability is not inside (0, 1) or dof < 1.
double StudentTwoSidedQuantile(double probability, int dof);

/// The f with P(X <= f) = probability of a variable of Fisher's F distribution with these degrees
/// of freedom of numerator and denominator.
/// @throws std::invalid_argument if probability is not inside (0, 1) or a dof < 1.
double FisherQuantile(double probability, int numerator_dof, int denominator_dof);

/// Threshold of a profile of the chi-square for a 95 % interval of one parameter.
inline constexpr double kChiSquare95 = 3.841458820694124;

}  // namespace percuss
