// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/csv_row.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>

namespace percuss::app {
namespace {

std::string Written(double value) {
  std::array<char, kRoomForNumber> text;
  return {text.data(), WriteNumber(value, text.data())};
}

// Truth: the standard library.
std::string Standard(double value) {
  std::array<char, kRoomForNumber> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

TEST(WriteNumber, WritesWhatTheStandardLibraryWrites) {
  std::mt19937_64 bits(5);
  for (int k = 0; k < 300000; ++k) {  // of all sizes, subnormal ones among them
    const auto value = std::bit_cast<double>(bits());
    if (std::isfinite(value) && value != 0.0) {
      ASSERT_EQ(Written(value), Standard(value));
    }
  }
  std::normal_distribution<double> normal;
  for (int k = 0; k < 20000; ++k) {
    const double value = normal(bits);
    for (int power = -8; power <= 20; ++power) {  // where the notation changes
      const double scaled = value * std::pow(10.0, power);
      ASSERT_EQ(Written(scaled), Standard(scaled));
      const double few_digits = std::round(100.0 * value) * std::pow(10.0, power);
      if (few_digits != 0.0) {
        ASSERT_EQ(Written(few_digits), Standard(few_digits));
      }
    }
  }
}

TEST(WriteNumber, WritesTheEndsOfTheRange) {
  using Limits = std::numeric_limits<double>;
  for (const double value : {Limits::min(), Limits::max(), Limits::denorm_min(), Limits::epsilon(),
                             -Limits::max(), 1.0, -1.0, 0.5, 9007199254740993.0}) {
    EXPECT_EQ(Written(value), Standard(value));
  }
  EXPECT_EQ(Written(0.0), "0");
  EXPECT_EQ(Written(-0.0), "0");
}

TEST(CsvRow, SeparatesCellsAndLeavesThoseWithoutNumberEmpty) {
  std::string text;
  CsvRow row(text);
  row.Number(1.5);
  row.Number(std::nan(""));
  row.Text("word");
  row.Empty(2);
  row.Number(-0.25);
  row.End();
  row.Text("next");
  row.End();
  EXPECT_EQ(text, "1.5,,word,,,-0.25\nnext\n");
}

// A row longer than what it is put together in.
TEST(CsvRow, HasNoLongestRow) {
  std::string text, expected;
  CsvRow row(text);
  for (int k = 0; k < 500; ++k) {
    row.Number(k + 0.125);
    expected += (k > 0 ? "," : "") + Standard(k + 0.125);
  }
  const std::string long_text(5000, 'x');
  row.Text(long_text);
  row.End();
  EXPECT_EQ(text, expected + "," + long_text + "\n");
}

}  // namespace
}  // namespace percuss::app
