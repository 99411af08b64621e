// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/sweep/csv_row.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace percuss::app {
namespace {

static_assert(std::endian::native == std::endian::little);  // FifteenDigits
__extension__ using Characters = unsigned __int128;         // sixteen, the first in the lowest byte

constexpr int kLargestPower = 300;

/// 10^-300 ... 10^300.
constexpr auto kPowersOfTen = [] {
  std::array<double, 2 * kLargestPower + 1> powers{};
  long double power = 1.0L;
  for (std::size_t k = 0; k <= kLargestPower; ++k) {
    powers[kLargestPower + k] = static_cast<double>(power);
    powers[kLargestPower - k] = static_cast<double>(1.0L / power);
    power *= 10.0L;
  }
  return powers;
}();

double PowerOfTen(int power) {
  return kPowersOfTen[static_cast<std::size_t>(kLargestPower + power)];
}

using FourLanes [[gnu::vector_size(16)]] = std::int32_t;
using FourFloats [[gnu::vector_size(16)]] = float;
using EightLanes [[gnu::vector_size(16)]] = std::uint16_t;

/// The digits of a number below 10^15 and a zero. Four at a time stand in the lanes of one word and
/// are halved twice: 2 + 2, then 1 + 1 + 1 + 1 digits.
Characters FifteenDigits(std::int64_t value) {
  const auto first = static_cast<std::int32_t>(value / 10'000'000);
  const auto second = static_cast<std::int32_t>(value % 10'000'000);
  const FourLanes fours = {first / 10'000, first % 10'000, second / 1'000, second % 1'000 * 10};
  // Division by 100 is exact in floats, half a unit away from where it would jump; x * 103 >> 10 is
  // x / 10 up to 99. Products of lanes of 16 bits are one instruction, of 32 bits ten.
  const FourFloats hundredths = (__builtin_convertvector(fours, FourFloats) + 0.5F) * 0.01F;
  const auto high_twos = __builtin_convertvector(hundredths, FourLanes);
  const auto hundreds = std::bit_cast<FourLanes>(std::bit_cast<EightLanes>(high_twos) * 100);
  const auto twos = std::bit_cast<EightLanes>(high_twos | (fours - hundreds) << 16);
  const EightLanes high_ones = twos * 103 >> 10;
  return std::bit_cast<Characters>((high_ones | (twos - 10 * high_ones) << 8) | 0x3030);
}

/// How many are left without the zeros at the end; not all are zeros.
int CountDigits(Characters characters) {
  constexpr std::uint64_t kZeros = 0x3030303030303030;
  const std::uint64_t first = static_cast<std::uint64_t>(characters) ^ kZeros;
  const std::uint64_t last = static_cast<std::uint64_t>(characters >> 64) ^ kZeros;
  return last != 0 ? 16 - std::countl_zero(last) / 8 : 8 - std::countl_zero(first) / 8;
}

}  // namespace

char* WriteNumber(double value, char* at) {
  const double size = std::abs(value);
  if (size == 0.0) {
    *at = '0';
    return at + 1;
  }
  if (!(size > 1e-280 && size < 1e280)) {
    return std::to_chars(at, at + kRoomForNumber, value, std::chars_format::general, kDigits).ptr;
  }
  *at = '-';
  at += value < 0.0 ? 1 : 0;

  // 10^power <= size < 10^(power + 1); 78913 / 2^18 is log10(2) to 3e-8.
  const int binary = static_cast<int>(std::bit_cast<std::uint64_t>(size) >> 52) - 1023;
  int power = binary * 78913 >> 18;
  power += size >= PowerOfTen(power + 1) ? 1 : 0;
  auto number = static_cast<std::int64_t>(size * PowerOfTen(kDigits - 1 - power) + 0.5);
  if (number == 1'000'000'000'000'000) {
    number /= 10;
    ++power;
  }
  const Characters digits = FifteenDigits(number);
  const int count = CountDigits(digits);

  // All sixteen characters are written and those beyond the end written over later: a length known
  // beforehand is one instruction. Nothing is read back, which would wait for what is being
  // written.
  const auto write = [](Characters characters, char* place) {
    std::memcpy(place, &characters, sizeof characters);
  };
  if (power < -4 || power >= kDigits) {
    *at = static_cast<char>(digits);
    at[1] = '.';
    write(digits >> 8, at + 2);
    at += count > 1 ? count + 1 : 1;
    *at++ = 'e';
    *at++ = power < 0 ? '-' : '+';
    const int exponent = std::abs(power);
    if (exponent >= 100) *at++ = static_cast<char>('0' + exponent / 100);
    *at++ = static_cast<char>('0' + exponent / 10 % 10);
    *at++ = static_cast<char>('0' + exponent % 10);
    return at;
  }
  if (power < 0) {
    std::memcpy(at, "0.000", 5);
    write(digits, at + 1 - power);
    return at + 1 - power + count;
  }
  const int whole = power + 1;  // digits before the point
  write(digits, at);
  at[whole] = '.';
  write(digits >> (8 * whole), at + whole + 1);
  return at + (count > whole ? count + 1 : whole);
}

void CsvRow::Empty(int cells) {
  for (int cell = 0; cell < cells; ++cell) Append(",");
}

void CsvRow::AppendLong(std::string_view text) {
  Flush();
  text_.append(text);
}

void CsvRow::Flush() {
  text_.append(buffer_.data(), at_);
  at_ = buffer_.data();
}

}  // namespace percuss::app
