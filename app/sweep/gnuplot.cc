// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/sweep/gnuplot.h"

namespace percuss::app {

report::ProgramAnswer RunGnuplot(const std::string& script) {
  const char* no_startup_files = "-d";
  return report::RunProgram({"gnuplot", no_startup_files}, script, std::chrono::minutes(10));
}

}  // namespace percuss::app
