// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>
#include <glog/logging.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <vector>

#include "app/command.h"
#include "app/terminal/interrupt.h"
#include "base/error.h"
#include "base/files/files.h"

namespace percuss::app {
namespace {

std::string JoinedArguments(int argc, char** argv) {
  std::string joined = "percuss";
  for (int i = 1; i < argc; ++i) joined += std::string(" ") + argv[i];
  return joined;
}

int Fail(const char* message, int exit_code) {
  std::string line = message;
  for (char& c : line) {
    // One line, and nothing that a terminal would take for an order.
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  fmt::print(stderr, "percuss: {}\n", line);
  return exit_code;
}

// What `percuss` alone says.
void PrintFirstSteps() {
  fmt::print(
      "Drop-test video in, friction and restitution coefficients out.\n\n"
      "  percuss run EXPERIMENT.yaml -o OUT   everything: calibrate, track, fit, report\n"
      "  percuss watch FOLDER -o OUT          a page that does so while videos come in\n"
      "  percuss report OUT                   write the report of a run again\n"
      "  percuss fit IMPACTS.csv --body BODY.yaml -o FIT.json\n"
      "                                       coefficients from any table of impacts\n"
      "  percuss audit IMPACTS.csv --body BODY.yaml\n"
      "                                       can these data be right?\n"
      "  percuss synthesize SPEC.yaml -o DIR  a made-up experiment, to plan a real one\n\n"
      "Try:  percuss run data/bar-drop/experiment.yaml -o out/bar-drop\n"
      "All commands:  percuss --help          one of them:  percuss COMMAND --help\n");
}

int Main(int argc, char** argv) {
  if (argc == 1) {
    PrintFirstSteps();
    return kExitOk;
  }
  FLAGS_minloglevel = google::GLOG_FATAL;  // the solver library reports steps it had to repeat
  CLI::App program("Drop-test video in, friction and restitution coefficients out.", "percuss");
  program.set_version_flag("--version", "percuss " + ProgramVersion());
  program.require_subcommand(1);
  program.footer(
      "Start with:  percuss run data/bar-drop/experiment.yaml -o out/bar-drop\n"
      "Each command explains itself:  percuss COMMAND --help");
  const CommonOptions common{.command_line = JoinedArguments(argc, argv)};
  const std::vector<Command> commands = {
      MakeRunCommand(program, common),     MakeCalibrateCommand(program, common),
      MakeTrackCommand(program, common),   MakeFitCommand(program, common),
      MakeAuditCommand(program, common),   MakeReportCommand(program, common),
      MakeImpactCommand(program, common),  MakeSimulateCommand(program, common),
      MakeSweepCommand(program, common),   MakeSynthesizeCommand(program, common),
      MakeConvertCommand(program, common), MakeMeasureCommand(program, common),
      MakeBounceCommand(program, common),  MakeWatchCommand(program, common),
      MakeLawsCommand(program, common),
  };
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked_for_help = error.get_exit_code() == 0;
    if (asked_for_help) return program.exit(error);
    return Fail(error.what(), kExitBadInput);
  }
  for (const Command& command : commands) {
    if (command.subcommand->parsed()) return command.run();
  }
  return kExitBadInput;
}

}  // namespace
}  // namespace percuss::app

int main(int argc, char** argv) {
  using namespace percuss;
  app::EndCleanlyWhenInterrupted();
  try {
    return app::Main(argc, argv);
  } catch (const DataError& error) {
    return app::Fail(error.what(), kExitNoAnswer);
  } catch (const std::exception& error) {
    return app::Fail(error.what(), kExitBadInput);
  }
}
