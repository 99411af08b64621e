// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/error.h"

namespace percuss::calibration {

/// What keeps board images from giving a calibration, for who looks for what was typed wrong.
struct CalibrationFault {
  bool board_not_found = false;  ///< the described board is in none of the images
  /// Columns and rows of the chessboard that they show instead, the longer side first.
  std::optional<std::array<int, 2>> other_board = {};
  bool surface_view = false;  ///< it is not found, or does not fit the other views
};

/// A DataError whose cause is known to the program, too.
class CalibrationError : public DataError {
 public:
  CalibrationError(const std::string& message, const CalibrationFault& fault)
      : DataError(message), fault_(fault) {}
  const CalibrationFault& Fault() const { return fault_; }

 private:
  CalibrationFault fault_;
};

}  // namespace percuss::calibration
