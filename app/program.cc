// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/program.h"

#include <fmt/core.h>
#include <glog/logging.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>
#include <vector>

#include "app/command_list.h"
#include "app/terminal/interrupt.h"
#include "app/usage.h"
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
  CLI::App program(kProgramSummary, "percuss");
  program.set_version_flag("--version", "percuss " + ProgramVersion());
  program.require_subcommand(1);
  program.footer(
      "Start with:  percuss run data/bar-drop/experiment.yaml -o out/bar-drop\n"
      "Each command explains itself:  percuss COMMAND --help");
  ExplainUsage(program);
  const CommonOptions common{.command_line = JoinedArguments(argc, argv)};
  const std::vector<Command> commands = AddCommands(program, common);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked_for_help = error.get_exit_code() == 0;
    if (asked_for_help) return program.exit(error);
    return Fail(UsageMessage(program, error).c_str(), kExitBadInput);
  }
  for (const Command& command : commands) {
    if (command.subcommand->parsed()) return command.run();
  }
  return kExitBadInput;
}

}  // namespace

int RunProgram(int argc, char** argv) {
  try {
    EndCleanlyWhenInterrupted();
    const int exit_code = Main(argc, argv);
    if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category());
    return exit_code;
  } catch (const DataError& error) {
    return Fail(error.what(), kExitNoAnswer);
  } catch (const std::bad_alloc&) {
    return Fail("out of memory; fewer --jobs take less, and what is done is not done again",
                kExitBadInput);
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0) return Fail(error.what(), kExitBadInput);
    std::clearerr(stdout);
    return Fail(("standard output: cannot be written: " + error.code().message()).c_str(),
                kExitBadInput);
  } catch (const std::exception& error) {
    return Fail(error.what(), kExitBadInput);
  }
}

}  // namespace percuss::app
