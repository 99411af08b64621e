// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace percuss::capture {

/// The ends of the scale of stored grey values, which are whole numbers.
struct GreyLevels {
  int black = 0, white = 255;

  bool operator==(const GreyLevels&) const = default;
  /// Grey values of the full scale, 0 to 255, in one stored one.
  double Step() const { return 255.0 / (white - black); }
};

/// Studio range of 8 bits (ITU-R BT.601).
inline constexpr GreyLevels kStudioRange{.black = 16, .white = 235};

/// All values of so many bits.
constexpr GreyLevels LevelsOfBits(int bits) { return {.black = 0, .white = (1 << bits) - 1}; }

}  // namespace percuss::capture
