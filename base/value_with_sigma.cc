// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/value_with_sigma.h"

#include <charconv>
#include <cmath>

namespace percuss {
namespace {

std::optional<double> ParseNumber(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

}  // namespace

std::optional<ValueWithSigma> ParseValueWithSigma(std::string_view text) {
  for (const std::string_view sign : {"±", "+-", "+/-"}) {
    const std::size_t at = text.find(sign);
    if (at == std::string_view::npos) continue;
    const auto value = ParseNumber(text.substr(0, at));
    const auto sigma = ParseNumber(text.substr(at + sign.size()));
    if (!value || !sigma || *sigma < 0.0) return {};
    return ValueWithSigma{*value, *sigma};
  }
  const auto value = ParseNumber(text);
  if (!value) return {};
  return ValueWithSigma{*value, 0.0};
}

}  // namespace percuss
