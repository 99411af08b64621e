// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace percuss::report {

struct ProgramAnswer {
  bool started = false;
  std::string output{};   ///< what it wrote to stdout
  std::string problem{};  ///< why it has no answer: not started, failed, too slow; empty if it has
};

/// Runs a program, named by its path or found on PATH, without a shell, and waits for it. One that
/// is missing or fails is an answer, not an error.
/// @param words the program and its arguments
/// @param input what it reads from stdin
/// @param patience after which it is killed
ProgramAnswer RunProgram(std::vector<std::string> words, const std::string& input,
                         std::chrono::seconds patience);

}  // namespace percuss::report
