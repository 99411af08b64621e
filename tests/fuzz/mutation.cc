// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fuzz/mutation.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace percuss::fuzz {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kNumbers[] = {"0",
                                         "-0",
                                         "-1",
                                         "1e999",
                                         "-1e999",
                                         "1e-999",
                                         "1e308",
                                         "4.9e-324",
                                         "nan",
                                         "NaN",
                                         "inf",
                                         ".inf",
                                         "1e400",
                                         "0x10",
                                         "1,5",
                                         "",
                                         "2147483647",
                                         "2147483648",
                                         "-2147483649",
                                         "65536",
                                         "1e7",
                                         "9223372036854775808",
                                         "0.30000000000000000000000000000001"};

constexpr std::string_view kWords[] = {"\0"sv,      "\""sv,       "'"sv,         "`"sv,
                                       "\\"sv,      "\n"sv,       "\r\n"sv,      "\t"sv,
                                       ","sv,       ";"sv,        ":"sv,         ": "sv,
                                       "- "sv,      "---\n"sv,    "{"sv,         "}"sv,
                                       "["sv,       "]"sv,        "[[[["sv,      "{{{{"sv,
                                       "]]"sv,      "}}"sv,       "&a "sv,       "*a"sv,
                                       "&a [*a]"sv, "<<: "sv,     "!!binary "sv, "null"sv,
                                       "~"sv,       "true"sv,     "\xff\xfe"sv,  "\xef\xbb\xbf"sv,
                                       "\xc3"sv,    "\x1b[31m"sv, "../../x"sv,   "%s%n"sv,
                                       "# "sv,      "|"sv,        ">"sv,         "\"\""sv};

std::size_t Place(std::mt19937& random, const std::string& text) {
  return Draw(random, text.size() + 1);
}

bool IsOfNumber(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
}

// A number of the text, or nothing.
std::pair<std::size_t, std::size_t> SomeNumber(std::mt19937& random, const std::string& text) {
  std::size_t from = Place(random, text);
  while (from < text.size() && !IsOfNumber(text[from])) ++from;
  std::size_t to = from;
  while (to < text.size() && IsOfNumber(text[to])) ++to;
  return {from, to - from};
}

std::pair<std::size_t, std::size_t> SomeLine(std::mt19937& random, const std::string& text) {
  std::size_t from = Place(random, text);
  while (from > 0 && text[from - 1] != '\n') --from;
  const std::size_t end = text.find('\n', from);
  return {from, (end == std::string::npos ? text.size() : end + 1) - from};
}

void Change(std::mt19937& random, const std::string& other, std::string& text) {
  const std::size_t place = Place(random, text);
  const std::size_t length = 1 + Draw(random, std::size_t{1} << Draw(random, 9));
  switch (Draw(random, 13)) {
    case 0:
      if (place < text.size()) text[place] ^= static_cast<char>(1 << Draw(random, 8));
      return;
    case 1:
      if (place < text.size()) text[place] = static_cast<char>(Draw(random, 256));
      return;
    case 2:
      text.erase(place, length);
      return;
    case 3:
      text.insert(place, text.substr(place, length));
      return;
    case 4:
      text.resize(place);
      return;
    case 5:
    case 6: {
      const auto [from, size] = SomeNumber(random, text);
      text.replace(from, size, kNumbers[Draw(random, std::size(kNumbers))]);
      return;
    }
    case 7:
    case 8:
      text.insert(place, kWords[Draw(random, std::size(kWords))]);
      return;
    case 9: {
      const auto [from, size] = SomeLine(random, text);
      const std::string line = text.substr(from, size);
      text.erase(from, size);
      text.insert(SomeLine(random, text).first, line);
      return;
    }
    case 10: {
      const auto [from, size] = SomeLine(random, text);
      text.insert(from, text.substr(from, size));
      return;
    }
    case 11:
      text.insert(place, other.substr(Place(random, other), length));
      return;
    default: {  // many of the same: deep nesting, long cells
      const std::string_view word = kWords[Draw(random, std::size(kWords))];
      std::string many;
      for (std::size_t k = Draw(random, 3000); k > 0; --k) many += word;
      text.insert(place, many);
    }
  }
}

}  // namespace

std::span<const std::string_view> EdgeNumbers() { return kNumbers; }

std::string Mutated(std::string text, const std::string& other, std::uint32_t seed) {
  std::mt19937 random(seed);
  for (std::size_t changes = 1 + Draw(random, 4); changes > 0; --changes)
    Change(random, other, text);
  return text;
}

}  // namespace percuss::fuzz
