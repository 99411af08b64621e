// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/csv_row.h"

#include <dragonbox/dragonbox.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace percuss::app {
namespace {

static_assert(std::endian::native == std::endian::little);  // SixteenDigits
constexpr int kMostDigits = 17;

constexpr auto kPowersOfTen = [] {
  std::array<std::uint64_t, kMostDigits + 1> powers{1};
  for (std::size_t k = 1; k < powers.size(); ++k) powers[k] = 10 * powers[k - 1];
  return powers;
}();

// The sixteen digits of a number below 10^16 as text. Four at a time stand in the lanes of one word
// and are halved twice: 2 + 2, then 1 + 1 + 1 + 1 digits.
using FourLanes [[gnu::vector_size(16)]] = std::uint32_t;
using EightLanes [[gnu::vector_size(16)]] = std::uint16_t;

EightLanes SixteenDigits(std::uint64_t value) {
  const auto first = static_cast<std::uint32_t>(value / 100'000'000);
  const auto second = static_cast<std::uint32_t>(value % 100'000'000);
  const FourLanes fours = {first / 10000, first % 10000, second / 10000, second % 10000};
  // x * 10486 >> 20 is x / 100 up to 9999, x * 103 >> 10 is x / 10 up to 99.
  const auto high_twos = fours * 10486 >> 20;
  const auto twos = std::bit_cast<EightLanes>(high_twos | (fours - 100 * high_twos) << 16);
  const EightLanes high_ones = twos * 103 >> 10;
  return (high_ones | (twos - 10 * high_ones) << 8) | 0x3030;
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
  constexpr std::uint64_t kSixteen = kPowersOfTen[16];
  const auto first = static_cast<char>('0' + padded / kSixteen);
  const EightLanes others = SixteenDigits(padded % kSixteen);

  // All digits are written and those beyond `count` written over later: a length known beforehand
  // is a few instructions. Nothing is read back, which would wait for what is being written.
  const auto write_digits = [&](char* place, int gap) {
    *place = first;
    std::memcpy(place + 1 + gap, &others, sizeof others);
  };
  *at = '-';
  at += decimal.is_negative ? 1 : 0;
  const int power = count - 1 + decimal.exponent;  // of the scientific notation
  const int scientific_length = count + (count > 1 ? 1 : 0) + (std::abs(power) < 100 ? 4 : 5);
  const int fixed_length = power < 0 ? 1 + count - power : count + (decimal.exponent < 0 ? 1 : 0);
  if (fixed_length > scientific_length) {
    write_digits(at, 1);
    at[1] = '.';
    at += count > 1 ? count + 1 : 1;
    *at++ = 'e';
    *at++ = power < 0 ? '-' : '+';
    const int size = std::abs(power);
    if (size >= 100) *at++ = static_cast<char>('0' + size / 100);
    *at++ = static_cast<char>('0' + size / 10 % 10);
    *at++ = static_cast<char>('0' + size % 10);
    return at;
  }
  if (power < 0) {
    std::memcpy(at, "0.000000", 8);  // more zeros are scientific
    write_digits(at + 1 - power, 0);
    return at + 1 - power + count;
  }
  if (decimal.exponent == 0) {
    write_digits(at, 0);
    return at + count;
  }
  write_digits(at, 1);
  for (int k = 1; k <= power; ++k) at[k] = at[k + 1];
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
