// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>

#include "base/error.h"

namespace CLI {
class App;
}

namespace percuss::app {

/// What all commands share.
struct CommonOptions {
  std::string command_line;  ///< as typed, for the provenance of output files
};

/// A subcommand and what runs when the user chose it. `run` returns an exit code or throws
/// InputError, std::invalid_argument (exit 2) or DataError (exit 3); main prints the message as one
/// line on stderr.
struct Command {
  CLI::App* subcommand = nullptr;
  std::function<int()> run;
};

// One small file each: commands/run_command.cc, watch/watch_command.cc, ...
Command MakeRunCommand(CLI::App& program, const CommonOptions& common);
Command MakeCalibrateCommand(CLI::App& program, const CommonOptions& common);
Command MakeTrackCommand(CLI::App& program, const CommonOptions& common);
Command MakeFitCommand(CLI::App& program, const CommonOptions& common);
Command MakeAuditCommand(CLI::App& program, const CommonOptions& common);
Command MakeReportCommand(CLI::App& program, const CommonOptions& common);
Command MakeImpactCommand(CLI::App& program, const CommonOptions& common);
Command MakeSimulateCommand(CLI::App& program, const CommonOptions& common);
Command MakeSweepCommand(CLI::App& program, const CommonOptions& common);
Command MakeConvertCommand(CLI::App& program, const CommonOptions& common);
Command MakeSynthesizeCommand(CLI::App& program, const CommonOptions& common);
Command MakeBounceCommand(CLI::App& program, const CommonOptions& common);
Command MakeWatchCommand(CLI::App& program, const CommonOptions& common);
Command MakeMeasureCommand(CLI::App& program, const CommonOptions& common);
Command MakeLawsCommand(CLI::App& program, const CommonOptions& common);

}  // namespace percuss::app
