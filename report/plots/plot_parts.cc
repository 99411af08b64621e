// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/plots/plot_parts.h"

#include <cmath>

namespace percuss::report {

std::string Shortened(const std::string& text, std::size_t longest) {
  if (text.size() <= longest) return text;
  std::size_t end = longest - 3;
  // Not within a letter of several bytes (UTF-8).
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

void Extent::Include(double value) {
  if (!std::isfinite(value)) return;
  low = std::fmin(low, value);
  high = std::fmax(high, value);
}

double NiceStep(double range) {
  const double decade = std::pow(10.0, std::floor(std::log10(range / 5)));
  const double steps = range / 5 / decade;
  return decade * (steps <= 1 ? 1 : steps <= 2 ? 2 : steps <= 5 ? 5 : 10);
}

}  // namespace percuss::report
