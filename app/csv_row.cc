// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/csv_row.h"

#include <dragonbox/dragonbox.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace percuss::app {
namespace {

constexpr int kMostDigits = 17;

constexpr auto kDigitPairs = [] {
  std::array<char, 200> pairs{};
  for (std::size_t k = 0; k < 100; ++k) {
    pairs[2 * k] = static_cast<char>('0' + k / 10);
    pairs[2 * k + 1] = static_cast<char>('0' + k % 10);
  }
  return pairs;
}();

constexpr auto kPowersOfTen = [] {
  std::array<std::uint64_t, kMostDigits + 1> powers{1};
  for (std::size_t k = 1; k < powers.size(); ++k) powers[k] = 10 * powers[k - 1];
  return powers;
}();

void WritePair(std::uint32_t value, char* at) { std::memcpy(at, &kDigitPairs[2 * value], 2); }

void WriteEightDigits(std::uint32_t value, char* at) {
  const std::uint32_t high = value / 10000, low = value % 10000;
  WritePair(high / 100, at);
  WritePair(high % 100, at + 2);
  WritePair(low / 100, at + 4);
  WritePair(low % 100, at + 6);
}

int CountDigits(std::uint64_t value) {
  // 1233 / 4096 is log10(2) to 5e-6.
  const int fewer = static_cast<int>(std::bit_width(value)) * 1233 >> 12;
  return fewer + (value >= kPowersOfTen[static_cast<std::size_t>(fewer)] ? 1 : 0);
}

}  // namespace

char* WriteNumber(double value, char* at) {
  if (value == 0.0) {
    *at = '0';
    return at + 1;
  }
  // value = +-significand * 10^exponent; the significand does not end in 0
  const auto decimal = jkj::dragonbox::to_decimal(value);
  if (decimal.exponent > 0) return std::to_chars(at, at + kRoomForNumber, value).ptr;  // integers
  const int count = CountDigits(decimal.significand);
  const std::uint64_t padded =
      decimal.significand * kPowersOfTen[static_cast<std::size_t>(kMostDigits - count)];
  const auto high = static_cast<std::uint32_t>(padded / 100000000);
  std::array<char, 2 * kMostDigits> digits{};  // the second half so that copies may read beyond
  digits[0] = static_cast<char>('0' + high / 100000000);
  WriteEightDigits(high % 100000000, &digits[1]);
  WriteEightDigits(static_cast<std::uint32_t>(padded % 100000000), &digits[9]);

  // All digits are copied and those beyond `count` written over later: a copy of a length known
  // beforehand is a few instructions.
  *at = '-';
  at += decimal.is_negative ? 1 : 0;
  const int power = count - 1 + decimal.exponent;  // of the scientific notation
  const int scientific_length = count + (count > 1 ? 1 : 0) + (std::abs(power) < 100 ? 4 : 5);
  const int fixed_length = power < 0 ? 1 + count - power : count + (decimal.exponent < 0 ? 1 : 0);
  if (fixed_length > scientific_length) {
    *at = digits[0];
    at[1] = '.';
    std::memcpy(at + 2, &digits[1], kMostDigits - 1);
    at += count > 1 ? count + 1 : 1;
    *at++ = 'e';
    *at++ = power < 0 ? '-' : '+';
    const auto size = static_cast<std::uint32_t>(std::abs(power));
    if (size >= 100) *at++ = static_cast<char>('0' + size / 100);
    WritePair(size % 100, at);
    return at + 2;
  }
  if (power < 0) {
    std::memcpy(at, "0.000000", 8);  // more zeros are scientific
    std::memcpy(at + 1 - power, digits.data(), kMostDigits);
    return at + 1 - power + count;
  }
  std::memcpy(at, digits.data(), kMostDigits);
  if (decimal.exponent == 0) return at + count;
  std::memcpy(at + power + 2, &digits[static_cast<std::size_t>(power) + 1], kMostDigits - 1);
  at[power + 1] = '.';
  return at + count + 1;
}

void CsvRow::Number(double value) {
  Separate();
  if (std::isfinite(value)) at_ = WriteNumber(value, at_);
}

void CsvRow::Text(std::string_view text) {
  Separate();
  Append(text);
}

void CsvRow::Empty(int cells) {
  for (int cell = 0; cell < cells; ++cell) Append(",");
}

void CsvRow::End() {
  Append("\n");
  Flush();
  first_ = true;
}

void CsvRow::Separate() {
  if (row_.data() + row_.size() - at_ < static_cast<std::ptrdiff_t>(kRoomForNumber) + 1) Flush();
  if (!first_) *at_++ = ',';
  first_ = false;
}

void CsvRow::Append(std::string_view text) {
  if (row_.data() + row_.size() - at_ < static_cast<std::ptrdiff_t>(text.size())) Flush();
  if (text.size() > row_.size()) {
    text_.append(text);
  } else {
    at_ = std::ranges::copy(text, at_).out;
  }
}

void CsvRow::Flush() {
  text_.append(row_.data(), at_);
  at_ = row_.data();
}

}  // namespace percuss::app
