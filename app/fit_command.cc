// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/command.h"
#include "capture/error.h"

namespace percuss::app {

Command MakeFitCommand(CLI::App& program, const CommonOptions&) {
  CLI::App* subcommand = program.add_subcommand("fit", "being written");
  return {subcommand, []() -> int { throw DataError("fit: being written"); }};
}

}  // namespace percuss::app
