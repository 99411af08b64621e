// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/plots/gnuplot.h"

namespace percuss::report {

ProgramAnswer RunGnuplot(const std::string& program, const std::string& script) {
  const char* no_startup_files = "-d";
  return RunProgram({program, no_startup_files}, script, std::chrono::minutes(10));
}

}  // namespace percuss::report
