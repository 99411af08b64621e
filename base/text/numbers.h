// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/nan.h"
#include "base/value_with_sigma.h"

namespace percuss {

/// A number as people read it: rounded to two significant digits of its standard deviation, so that
/// no digit is printed that the data do not carry. NaN reads as an en dash.

/// A width of +- this many sigmas holds 95 of 100 values of a normal distribution.
inline constexpr double kSigmasOf95 = 1.96;

/// "0.2600" for (0.26, 0.0021); without a usable sigma, four significant digits.
std::string FormatValue(double value, double sigma);
/// "0.0021": two significant digits. En dash unless finite and positive.
std::string FormatSigma(double sigma);
/// "0.2600 ± 0.0021"; the value alone without a usable sigma.
std::string FormatWithSigma(double value, double sigma);
/// The same of `scale` times a quantity: 1e3 for millimetres.
std::string FormatWithSigma(const ValueWithSigma& measured, double scale = 1.0);
/// A number that has no sigma, in fixed notation where that is readable.
std::string FormatSignificant(double value, int digits);
/// "0.037", "1.0"; "< 0.000001" for what is as good as impossible.
std::string FormatProbability(double probability);
/// A count: no decimals.
std::string FormatWhole(double value);
/// "1 frame", "2 frames".
std::string Count(long long number, const std::string& singular);

}  // namespace percuss
