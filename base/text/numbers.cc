// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace percuss {
namespace {

constexpr const char* kNoNumber = "–";

bool IsUsable(double sigma) { return std::isfinite(sigma) && sigma > 0; }

// Exponent of the last of `digits` significant digits, after rounding: 0.0996 with two digits is
// 0.10, whose last digit stands for 1e-2.
int LastDigitExponent(double value, int digits) {
  const std::string text = fmt::format("{:.{}e}", std::abs(value), digits - 1);
  return std::stoi(text.substr(text.find('e') + 1)) - (digits - 1);
}

std::string FormatTo(double value, int last_digit_exponent) {
  if (last_digit_exponent > 0) {
    const double step = std::pow(10.0, last_digit_exponent);
    value = std::round(value / step) * step;
  }
  std::string text = fmt::format("{:.{}f}", value, std::max(0, -last_digit_exponent));
  const bool is_zero = text.find_first_of("123456789") == std::string::npos;
  if (is_zero && text.front() == '-') text.erase(0, 1);
  return text;
}

}  // namespace

std::string FormatValue(double value, double sigma) {
  if (!IsUsable(sigma)) return FormatSignificant(value, 4);
  if (!std::isfinite(value)) return FormatSignificant(value, 2);
  return FormatTo(value, LastDigitExponent(sigma, 2));
}

std::string FormatSigma(double sigma) {
  return IsUsable(sigma) ? FormatTo(sigma, LastDigitExponent(sigma, 2)) : kNoNumber;
}

std::string FormatWithSigma(double value, double sigma) {
  if (!std::isfinite(value) || !IsUsable(sigma)) return FormatValue(value, sigma);
  return FormatValue(value, sigma) + " ± " + FormatSigma(sigma);
}

std::string FormatWithSigma(const ValueWithSigma& measured, double scale) {
  return FormatWithSigma(scale * measured.value, scale * measured.sigma);
}

std::string FormatSignificant(double value, int digits) {
  if (std::isnan(value)) return kNoNumber;
  if (std::isinf(value)) return value > 0 ? "∞" : "-∞";
  if (value == 0) return "0";
  const bool fixed_is_readable = std::abs(value) >= 1e-4 && std::abs(value) < 1e7;
  if (!fixed_is_readable) return fmt::format("{:.{}e}", value, digits - 1);
  return FormatTo(value, std::min(0, LastDigitExponent(value, digits)));
}

std::string FormatProbability(double probability) {
  return probability < 1e-6 ? "< 0.000001" : FormatSignificant(probability, 2);
}

std::string FormatWhole(double value) {
  return std::isfinite(value) ? FormatTo(value, 0) : FormatSignificant(value, 1);
}

std::string Count(long long number, const std::string& singular) {
  return fmt::format("{} {}{}", number, singular, number == 1 ? "" : "s");
}

}  // namespace percuss
