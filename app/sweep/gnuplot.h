// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "report/programs/run_program.h"

namespace percuss::app {

/// Runs gnuplot on a script given through stdin. The user's start-up files are not read.
report::ProgramAnswer RunGnuplot(const std::string& script);

}  // namespace percuss::app
