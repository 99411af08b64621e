// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace percuss::app {

/// Room that WriteNumber needs: more than a number takes.
inline constexpr std::size_t kRoomForNumber = 40;

/// Significant digits of a number: as many as a double holds of any decimal. The one or two more
/// that tell neighbouring doubles apart are below the error of a law.
inline constexpr int kDigits = std::numeric_limits<double>::digits10;

/// Writes a finite number as printf's "%.15g" does, to within three quarters of the last digit (at
/// half a digit there is one more rounding or two), so that decimals of up to 15 digits stay what
/// they are. Both zeros are "0". Takes less than half the time of std::to_chars, which is most of
/// the time of a sweep. Returns the end of what it wrote.
char* WriteNumber(double value, char* at);

/// Appends rows of CSV to a text.
class CsvRow {
 public:
  explicit CsvRow(std::string& text) : text_(text) {}
  /// Empty where the value is not finite.
  void Number(double value) {
    Separate();
    if (!std::isfinite(value)) return;
    std::array<char, kRoomForNumber> number;
    text_.append(number.data(), WriteNumber(value, number.data()));
  }
  void Text(std::string_view text) {
    Separate();
    text_ += text;
  }
  /// Parts joined by '+'.
  template <typename Parts, typename Name>
  void Joined(const Parts& parts, const Name& name) {
    Separate();
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (k > 0) text_ += '+';
      text_ += name(parts[k]);
    }
  }
  void Empty(int cells) { text_.append(cells, ','); }
  void End() {
    text_ += '\n';
    first_ = true;
  }

 private:
  void Separate() {
    if (!first_) text_ += ',';
    first_ = false;
  }

  std::string& text_;
  bool first_ = true;
};

}  // namespace percuss::app
