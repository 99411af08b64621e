// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "app/coefficient_table.h"
#include "app/command.h"
#include "capture/experiment.h"
#include "capture/files.h"
#include "fitting/audit.h"
#include "fitting/fit_files.h"
#include "tracking/impact_files.h"

namespace percuss::app {
namespace {

struct Arguments {
  std::string impacts;
  std::string body;
  bool json = false;
};

int Run(const Arguments& arguments, const CommonOptions& common) {
  const tracking::ImpactTable table = tracking::ReadImpacts(arguments.impacts);
  const solver::Body body = capture::ReadBody(arguments.body).body;
  const std::vector<fitting::AuditFinding> findings = fitting::AuditImpacts(table, body);
  if (arguments.json) {
    fmt::print(
        "{}",
        fitting::AuditJson(
            findings, {.format = "percuss audit 1",
                       .command = common.command_line,
                       .input_hashes = {{arguments.impacts, capture::HashFile(arguments.impacts)},
                                        {arguments.body, capture::HashFile(arguments.body)}}}));
    return kExitOk;
  }
  PrintAudit(stdout, findings, false);
  const auto num_bad = std::ranges::count_if(
      findings, [](const fitting::AuditFinding& finding) { return !finding.ok; });
  fmt::print("{} of {} checks in order\n", findings.size() - static_cast<size_t>(num_bad),
             findings.size());
  return kExitOk;
}

}  // namespace

Command MakeAuditCommand(CLI::App& program, const CommonOptions& common) {
  CLI::App* subcommand = program.add_subcommand(
      "audit", "Checks of impact states without any impact law: momentum, energy, reachability.");
  const auto arguments = std::make_shared<Arguments>();
  subcommand->add_option("impacts", arguments->impacts, "States before and after each impact")
      ->required()
      ->type_name("IMPACTS.csv|json");
  subcommand->add_option("--body", arguments->body, "The body, or an experiment file with one")
      ->required()
      ->type_name("BODY.yaml");
  subcommand->add_flag("--json", arguments->json, "Print the findings as JSON");
  subcommand->footer(
      "Example:  percuss audit out/bar-drop/impacts.json --body data/bar-drop/experiment.yaml\n"
      "SUSPECT: improbable (1 % over all trials) under the stated sigmas. Exit 0 whatever the\n"
      "findings say; exit 2: bad input.");
  return {subcommand, [arguments, common]() { return Run(*arguments, common); }};
}

}  // namespace percuss::app
