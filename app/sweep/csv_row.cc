// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/sweep/csv_row.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace percuss::app {
namespace {

constexpr int kLargestPower = 300;

// 10^-300 ... 10^300.
constexpr auto kPowersOfTen = [] {
  std::array<double, 2 * kLargestPower + 1> powers{};
  long double power = 1.0L;
  for (int k = 0; k <= kLargestPower; ++k) {
    powers[kLargestPower + k] = static_cast<double>(power);
    powers[kLargestPower - k] = static_cast<double>(1.0L / power);
    power *= 10.0L;
  }
  return powers;
}();

double PowerOfTen(int power) { return kPowersOfTen[kLargestPower + power]; }

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
  std::array<char, 2 * kDigits> digits;
  std::to_chars(digits.data(), digits.data() + kDigits, number);
  int count = kDigits;
  while (digits[count - 1] == '0') --count;

  // All digits are copied, and those beyond the end written over later: a length known beforehand
  // is one instruction.
  if (power < -4 || power >= kDigits) {
    at[0] = digits[0];
    at[1] = '.';
    std::memcpy(at + 2, &digits[1], kDigits);
    at += count > 1 ? count + 1 : 1;
    *at++ = 'e';
    *at++ = power < 0 ? '-' : '+';
    if (std::abs(power) < 10) *at++ = '0';
    return std::to_chars(at, at + 3, std::abs(power)).ptr;
  }
  if (power < 0) {
    std::memcpy(at, "0.000", 5);
    std::memcpy(at + 1 - power, digits.data(), kDigits);
    return at + 1 - power + count;
  }
  const int whole = power + 1;  // digits before the point
  std::memcpy(at, digits.data(), kDigits);
  at[whole] = '.';
  std::memcpy(at + whole + 1, &digits[whole], kDigits);
  return at + (count > whole ? count + 1 : whole);
}

}  // namespace percuss::app
