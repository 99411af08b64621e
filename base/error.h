// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace percuss {

/// The input is wrong: a file, field, frame or row. The message is one line that names it, the
/// value found and what is allowed. Commands end with exit 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The input is in order but cannot answer what was asked (no impact in a trial, too few views).
/// One line that says why. Commands end with exit 3.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Exit codes of every command.
inline constexpr int kExitOk = 0;
inline constexpr int kExitBadInput = 2;  ///< InputError, std::invalid_argument, wrong command line
inline constexpr int kExitNoAnswer = 3;  ///< DataError: the input is in order but cannot answer

}  // namespace percuss
