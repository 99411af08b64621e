// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/experiment/coefficients.h"

namespace percuss::capture {

Coefficients ReadCoefficients(const YamlField& field) {
  Coefficients coefficients;
  if (!field.Given()) return coefficients;
  for (const auto& [name, entry] : field.Entries("a map of coefficients, such as mu: 0.24±0.01")) {
    constexpr std::string_view kAllowed = "a number with its sigma, such as 0.24±0.01";
    const auto value = ParseValueWithSigma(entry.Text(kAllowed));
    if (!value) entry.Throw(kAllowed);
    coefficients[name] = *value;
  }
  return coefficients;
}

Coefficients ReadCoefficients(const std::filesystem::path& file) {
  return ReadCoefficients(YamlField::ReadFile(file)["coefficients"]);
}

}  // namespace percuss::capture
