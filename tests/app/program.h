// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace percuss::testing {

struct ProgramRun {
  int exit_code = -1;  ///< 128 + signal when a signal ended it
  std::string out, err;
  double seconds = 0.0;          ///< wall time
  double cpu_seconds = 0.0;      ///< of all its threads and of programs it started
  double peak_memory_mib = 0.0;  ///< largest resident set of the program or of any it started
};

/// A signal that a program gets if it still runs then.
struct SentSignal {
  int number = 0;      ///< 0: none
  double after = 0.0;  ///< wall time from its start [s]
};

/// Runs a program, named by its path, and waits for it.
/// @param folder Its working directory.
/// @throws std::system_error if it cannot be started.
ProgramRun RunProgram(std::vector<std::string> words, const std::filesystem::path& folder = ".",
                      const SentSignal& signal = {});

/// The same for the percuss program of this build.
ProgramRun RunPercuss(const std::vector<std::string>& arguments,
                      const std::filesystem::path& folder = ".", const SentSignal& signal = {});

}  // namespace percuss::testing
