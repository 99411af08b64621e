// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/sweep/csv_row.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace percuss::app {
namespace {

std::string Written(double value) {
  std::array<char, kRoomForNumber> text;
  return {text.data(), WriteNumber(value, text.data())};
}

// Truth: the standard library.
std::string Standard(double value) {
  std::array<char, kRoomForNumber> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value,
                                     std::chars_format::general, kDigits)
                           .ptr};
}

// Whether the exact value lies within a quarter of the last digit from where rounding changes.
bool LiesNearHalf(double value) {
  const std::string digits = fmt::format("{:.{}e}", std::abs(value), kDigits + 3);
  const int behind = std::stoi(digits.substr(digits.find('e') - 4, 4));
  return std::abs(behind - 5000) <= 2500;
}

TEST(WriteNumber, WritesWhatTheStandardLibraryWrites) {
  std::mt19937_64 bits(5);
  int num_others = 0, num_all = 0;
  const auto check = [&](double value) {
    ++num_all;
    if (Written(value) == Standard(value)) return;
    ++num_others;
    EXPECT_TRUE(LiesNearHalf(value)) << Written(value) << " for " << fmt::format("{:.20g}", value);
    const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) + 1 - kDigits);
    EXPECT_NEAR(std::stod(Written(value)), value, 0.75 * unit + 1e-16 * std::abs(value));
  };
  for (int k = 0; k < 300000; ++k) {  // of all sizes, subnormal ones among them
    const auto value = std::bit_cast<double>(bits());
    if (std::isfinite(value) && value != 0.0) check(value);
  }
  std::normal_distribution<double> normal;
  for (int k = 0; k < 20000; ++k) {
    for (int power = -8; power <= 20; ++power) {  // where the notation changes
      check(normal(bits) * std::pow(10.0, power));
    }
  }
  // A quarter of a last digit is far more than a scaled double errs by: few values are so close.
  EXPECT_LT(num_others, num_all / 10);
}

TEST(WriteNumber, KeepsDecimals) {
  std::mt19937_64 random(6);
  std::uniform_int_distribution<std::int64_t> digits(-999999999999999, 999999999999999);
  std::uniform_int_distribution<int> dropped(0, 14), power(-40, 20);
  for (int k = 0; k < 200000; ++k) {
    std::int64_t significand = digits(random);
    for (int place = dropped(random); place > 0; --place) significand /= 10;
    if (significand == 0) continue;
    const double value = std::stod(fmt::format("{}e{}", significand, power(random)));
    ASSERT_EQ(Written(value), Standard(value));
  }
}

TEST(WriteNumber, RoundsUpToTheNextPower) {
  EXPECT_EQ(Written(0.99999999999999), "0.99999999999999");
  EXPECT_EQ(Written(0.9999999999999999), "1");
  EXPECT_EQ(Written(-999999999999999.9), "-1e+15");
  EXPECT_EQ(Written(99999.99999999999), "100000");
  EXPECT_EQ(Written(0.00009999999999999999), "0.0001");
}

TEST(WriteNumber, WritesTheEndsOfTheRange) {
  using Limits = std::numeric_limits<double>;
  for (const double value :
       {Limits::min(), Limits::max(), Limits::denorm_min(), Limits::epsilon(), -Limits::max(), 1.0,
        -1.0, 0.5, 9007199254740993.0, 1e-280, 1e280, 1.1e-280, 0.9e280}) {
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

}  // namespace
}  // namespace percuss::app
