// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace percuss::report {

struct Plotter {
  std::string program = "gnuplot";
};

struct GnuplotResult {
  std::string output;   ///< what it wrote to stdout; empty if it failed
  std::string problem;  ///< why there is no output; empty if there is
};

/// Runs the plotting program on a script given through stdin. No shell takes part, and the user's
/// start-up files are not read (-d). A program that is missing or fails is an answer, not an error.
GnuplotResult RunGnuplot(const std::string& program, const std::string& script);

}  // namespace percuss::report
