// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/app/documents/document.h"

#include <cmath>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "base/files/files.h"

namespace percuss::testing {
namespace {

std::vector<std::string> Lines(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Numbers and what stands between them, without spaces.
std::vector<std::string> Words(const std::string& line) {
  static const std::regex word(R"([-+]?\d+(\.\d+)?(e[-+]?\d+)?|[A-Za-z_]+|[^\sA-Za-z_\d])");
  return {std::sregex_token_iterator(line.begin(), line.end(), word), {}};
}

bool IsNumber(const std::string& word) { return word.find_first_of("0123456789") < 2; }

// The last digit of "12.34" counts 0.01, that of "2.607e+05" counts 100.
double LastDigit(const std::string& number) {
  const std::size_t e = number.find('e');
  const std::string digits = number.substr(0, e);
  const std::size_t point = digits.find('.');
  const double decimals =
      point == std::string::npos ? 0.0 : static_cast<double>(digits.size() - point - 1);
  return std::pow(10.0,
                  (e == std::string::npos ? 0.0 : std::stod(number.substr(e + 1))) - decimals);
}

bool SameWords(const std::string& shown, const std::string& printed) {
  const std::vector<std::string> a = Words(shown), b = Words(printed);
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (!IsNumber(a[i]) || !IsNumber(b[i])) return false;
    const double tolerance = 1.01 * LastDigit(a[i]);
    if (!(std::abs(std::stod(a[i]) - std::stod(b[i])) <= tolerance)) return false;
  }
  return true;
}

}  // namespace

std::vector<FencedBlock> FencedBlocks(std::string_view markdown) {
  std::vector<FencedBlock> blocks;
  bool open = false;
  int number = 0;
  for (const std::string& line : Lines(markdown)) {
    ++number;
    const bool fence = line.starts_with("```");
    if (fence && !open) blocks.push_back({line.substr(3), "", number});
    if (!fence && open) blocks.back().text += line + "\n";
    open = open != fence;
  }
  if (open) throw std::runtime_error("a fence is not closed");
  return blocks;
}

std::vector<std::string> InlineCommands(std::string_view markdown) {
  const std::string text(markdown);
  static const std::regex code("`(percuss [^`]*)`");
  return {std::sregex_token_iterator(text.begin(), text.end(), code, 1), {}};
}

std::string MissingFromOutput(std::string_view shown, std::string_view printed) {
  const std::vector<std::string> output = Lines(printed);
  std::size_t next = 0;
  bool gap = true;  // what comes before the first line shown may be anything
  for (const std::string& line : Lines(shown)) {
    if (line == "...") {
      gap = true;
      continue;
    }
    if (line.empty()) continue;
    while (next < output.size() &&
           (output[next].empty() || (gap && !SameWords(line, output[next])))) {
      ++next;
    }
    if (next == output.size() || !SameWords(line, output[next])) {
      return line + (next < output.size() ? "\n  printed here: " + output[next] : "");
    }
    ++next;
    gap = false;
  }
  return "";
}

std::string TextOfRepository(const std::filesystem::path& file) {
  return ReadFile(std::filesystem::path(PERCUSS_DATA_DIR) / ".." / file);
}

}  // namespace percuss::testing
