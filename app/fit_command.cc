// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "app/coefficient_table.h"
#include "app/command.h"
#include "capture/error.h"
#include "capture/experiment.h"
#include "capture/files.h"
#include "fitting/fit_files.h"
#include "tracking/impact_files.h"

namespace percuss::app {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string impacts;
  std::string body;
  std::vector<std::string> laws = {"stronge"};
  std::string output;
  int jobs = 2;
  bool json = false;
};

std::vector<std::string> AskedLaws(const std::vector<std::string>& names) {
  if (std::ranges::find(names, "all") == names.end()) return names;
  std::vector<std::string> all;
  for (const solver::LawInfo& law : solver::Laws()) all.emplace_back(law.name);
  return all;
}

int Run(const Arguments& arguments, const CommonOptions& common) {
  const tracking::ImpactTable table = tracking::ReadImpacts(arguments.impacts);
  const solver::Body body = capture::ReadBody(arguments.body).body;
  for (const std::string& input : {arguments.impacts, arguments.body}) {
    std::error_code no_such_file;
    if (!arguments.output.empty() && fs::equivalent(arguments.output, input, no_such_file)) {
      throw InputError(fmt::format("--output: found {}, which is an input; allowed is another file",
                                   arguments.output));
    }
  }

  fitting::FitReport report;
  report.laws = fitting::FitCoefficients(
      table, body, {.laws = AskedLaws(arguments.laws), .num_threads = arguments.jobs});
  if (report.laws.front().num_used == 0) {
    throw DataError(fmt::format("{}: {}", arguments.impacts, report.laws.front().message));
  }
  report.audit = fitting::AuditImpacts(table, body, report.laws);

  const capture::Provenance provenance{
      .format = "percuss fit 1",
      .command = common.command_line,
      .input_hashes = {{arguments.impacts, capture::HashFile(arguments.impacts)},
                       {arguments.body, capture::HashFile(arguments.body)}}};
  if (!arguments.output.empty()) fitting::WriteFit(report, provenance, arguments.output);
  if (arguments.json) {
    fmt::print("{}", fitting::FitReportJson(report, provenance));
  } else {
    PrintFit(stdout, report);
  }

  int exit_code = kExitOk;
  for (const fitting::LawFit& law : report.laws) {
    if (law.converged) continue;
    fmt::print(stderr, "fit: {}: {}\n", law.law, law.message);
    exit_code = kExitNoAnswer;
  }
  for (const fitting::TrialComparison& trial : report.laws.front().trials) {
    if (!trial.used) fmt::print(stderr, "fit: {} not used: {}\n", trial.trial, trial.reason);
  }
  return exit_code;
}

}  // namespace

Command MakeFitCommand(CLI::App& program, const CommonOptions& common) {
  CLI::App* subcommand = program.add_subcommand(
      "fit", "Impact states in, coefficients with intervals and a comparison of laws out.");
  const auto arguments = std::make_shared<Arguments>();
  subcommand->add_option("impacts", arguments->impacts, "States before and after each impact")
      ->required()
      ->type_name("IMPACTS.csv|json");
  subcommand->add_option("--body", arguments->body, "The body, or an experiment file with one")
      ->required()
      ->type_name("BODY.yaml");
  subcommand->add_option("--law", arguments->laws, "Impact law, may be repeated; or all")
      ->type_name("NAME")
      ->capture_default_str();
  subcommand->add_option("-o,--output", arguments->output, "Where to write the whole result")
      ->type_name("fit.json");
  subcommand->add_option("--jobs", arguments->jobs, "Threads")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  subcommand->add_flag("--json", arguments->json, "Print the result file instead of the tables");
  subcommand->footer(
      "Example:  percuss fit out/bar-drop/impacts.json --body data/bar-drop/experiment.yaml "
      "-o fit.json\n"
      "Trials that cannot be used are named on stderr and in the result; the others go on.\n"
      "Exit 3: no trial can be used, or a law did not converge. Exit 2: bad input.");
  return {subcommand, [arguments, common]() { return Run(*arguments, common); }};
}

}  // namespace percuss::app
