// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/pictures/packed_pixels.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace percuss::capture {
namespace {

// The table of the Cine File Format that takes 10 bits to 12, as differences from one value to the
// next: it begins at 2 and, after 4064, is white.
constexpr int kFirst = 2, kWhite = 4095;
constexpr std::string_view kDifferences =
    "31111111111110111111111111111101111111111111110111111111111111011111111111111110111111111111"
    "11101111111111111111011111111111111101111111111110111111111111111112111111111211111121111211"
    "12111211121121121121121211212121121212121212122121221212212212212212221222122212222212222222"
    "12222222222222222222222232222222322222322232223222322322322322323232232323232323232332323233"
    "23323323323332333233323333323333333323333333333333333333433333333433334333343334334333433434"
    "33434334343434343434343443434434434434434443444344443444444344444444444444444444444444544444"
    "54444544454445445445445445454544545454545455454545545545545545554555455554555555455555555555"
    "55555555555555655555565555655565556556556556565565656565656565656566566565665666566656665666"
    "65666666665666666666666667666666667666676666766676676676676766767676767676767676776767767767"
    "77677767776777776777777777776777778777777777778777778777787778778778778778787877878787878878"
    "78788788788788788878888788888788888888888888888888888889888889888898889889889889889898988989"
    "88";

const std::array<std::uint16_t, 1024>& TwelveOfTen() {
  static const std::array<std::uint16_t, 1024> table = [] {
    std::array<std::uint16_t, 1024> values;
    values.fill(kWhite);
    values[0] = kFirst;
    for (std::size_t k = 0; k < kDifferences.size(); ++k)
      values[k + 1] = static_cast<std::uint16_t>(values[k] + (kDifferences[k] - '0'));
    return values;
  }();
  return table;
}

}  // namespace

void UnpackTwelve(std::span<const std::uint8_t> bytes, std::span<std::uint16_t> grey) {
  const std::uint8_t* from = bytes.data();
  for (std::size_t k = 0; k + 1 < grey.size(); k += 2, from += 3) {
    grey[k] = static_cast<std::uint16_t>(from[0] << 4 | from[1] >> 4);
    grey[k + 1] = static_cast<std::uint16_t>((from[1] & 0x0F) << 8 | from[2]);
  }
}

void UnpackTen(std::span<const std::uint8_t> bytes, std::span<std::uint16_t> grey) {
  const std::array<std::uint16_t, 1024>& table = TwelveOfTen();
  const std::uint8_t* from = bytes.data();
  for (std::size_t k = 0; k + 3 < grey.size(); k += 4, from += 5) {
    grey[k] = table[static_cast<std::size_t>(from[0] << 2 | from[1] >> 6)];
    grey[k + 1] = table[static_cast<std::size_t>((from[1] & 0x3F) << 4 | from[2] >> 4)];
    grey[k + 2] = table[static_cast<std::size_t>((from[2] & 0x0F) << 6 | from[3] >> 2)];
    grey[k + 3] = table[static_cast<std::size_t>((from[3] & 0x03) << 8 | from[4])];
  }
}

}  // namespace percuss::capture
