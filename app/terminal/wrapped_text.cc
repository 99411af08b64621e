// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/terminal/wrapped_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/numbers.h"

namespace percuss::app {

std::string JoinedModes(const std::vector<std::string>& modes) {
  return modes.empty() ? "-" : fmt::format("{}", fmt::join(modes, ", "));
}

std::string ValueAndInterval(const ValueWithSigma& value) {
  const double half = kSigmasOf95 * value.sigma;
  return fmt::format("{}, 95 % interval [{}, {}]", FormatWithSigma(value),
                     FormatValue(value.value - half, value.sigma),
                     FormatValue(value.value + half, value.sigma));
}

void PrintWrapped(std::FILE* out, const std::string& first_indent, const std::string& indent,
                  const std::string& text) {
  std::string line = first_indent;
  bool empty = true;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!empty && line.size() + 1 + word.size() > kTerminalWidth) {
      fmt::print(out, "{}\n", line);
      line = indent;
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
    at = end + 1;
  }
  fmt::print(out, "{}\n", line);
}

}  // namespace percuss::app
