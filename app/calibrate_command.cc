// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/command.h"
#include "capture/error.h"

namespace percuss::app {

Command MakeCalibrateCommand(CLI::App& program, const CommonOptions&) {
  CLI::App* subcommand = program.add_subcommand("calibrate", "being written");
  return {subcommand, []() -> int { throw DataError("calibrate: being written"); }};
}

}  // namespace percuss::app
