// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
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
/// they are. Both zeros are "0". Returns the end of what it wrote.
char* WriteNumber(double value, char* at);

/// Appends rows of CSV to a text: many at once, which takes less time than cell by cell. What was
/// written is in the text after Flush().
class CsvRow {
 public:
  explicit CsvRow(std::string& text) : text_(text) {}
  /// Empty where the value is not finite.
  void Number(double value) {
    Separate();
    if (std::isfinite(value)) at_ = WriteNumber(value, at_);
  }
  void Text(std::string_view text) {
    Separate();
    Append(text);
  }
  /// Parts joined by '+'.
  template <typename Parts, typename Name>
  void Joined(const Parts& parts, const Name& name) {
    Separate();
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (k > 0) Append("+");
      Append(name(parts[k]));
    }
  }
  void Empty(int cells);
  void End() {
    Append("\n");
    first_ = true;
  }
  void Flush();

 private:
  void Separate() {
    if (Left() < kRoomForNumber + 1) Flush();
    if (!first_) *at_++ = ',';
    first_ = false;
  }
  void Append(std::string_view text) {
    if (text.size() > Left()) return AppendLong(text);
    at_ = std::ranges::copy(text, at_).out;
  }
  void AppendLong(std::string_view text);
  std::size_t Left() const {
    return static_cast<std::size_t>(buffer_.data() + buffer_.size() - at_);
  }

  std::string& text_;
  std::array<char, 16384> buffer_;
  char* at_ = buffer_.data();
  bool first_ = true;
};

}  // namespace percuss::app
