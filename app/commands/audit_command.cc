// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/command.h"
#include "app/commands/shared_options.h"
#include "app/requests/impact_input.h"
#include "app/terminal/coefficient_table.h"
#include "base/files/files.h"
#include "fitting/audit/audit.h"
#include "fitting/audit/contact_numbers.h"
#include "fitting/result/fit_files.h"

namespace percuss::app {
namespace {

struct AuditArguments {
  ImpactArguments input;
  bool json = false;
};

int RunAudit(const AuditArguments& arguments, const CommonOptions& common) {
  const ImpactInput input = ReadImpactInput(arguments.input);
  if (!input.note.empty()) fmt::print(stderr, "audit: {}\n", input.note);
  const fitting::PreparedImpacts data = fitting::PrepareImpacts(input.table, input.body);
  const std::vector<fitting::ContactNumbers> impacts = fitting::CalcContactNumbers(data);
  const std::vector<fitting::AuditFinding> findings = fitting::AuditImpacts(
      data, fitting::AuditOptions{.columns = input.columns ? &*input.columns : nullptr,
                                  .estimated_sigmas = input.estimated_sigmas});
  if (arguments.json) {
    fmt::print("{}", fitting::AuditJson(findings, impacts,
                                        {.format = "percuss audit 1",
                                         .command = common.command_line,
                                         .input_hashes = input.input_hashes}));
    return kExitOk;
  }
  // The findings over all trials and those that are suspect are what matters in a long table.
  constexpr std::size_t kMaxImpacts = 40;
  const bool shorten = input.table.impacts.size() > kMaxImpacts;
  std::vector<fitting::AuditFinding> shown = findings;
  std::stable_partition(shown.begin(), shown.end(),
                        [](const fitting::AuditFinding& finding) { return finding.trial.empty(); });
  if (shorten) {
    std::erase_if(shown, [](const fitting::AuditFinding& finding) {
      return finding.ok && !finding.trial.empty();
    });
  }
  PrintContactNumbers(stdout, impacts);
  PrintAudit(stdout, shown);
  const auto num_bad = std::ranges::count_if(
      findings, [](const fitting::AuditFinding& finding) { return !finding.ok; });
  fmt::print("{} of {} checks in order\n", findings.size() - num_bad, findings.size());
  return kExitOk;
}

}  // namespace

Command MakeAuditCommand(CLI::App& program, const CommonOptions& common) {
  CLI::App* subcommand = program.add_subcommand(
      "audit", "Checks of impact states without any impact law: momentum, energy, reachability.");
  const auto arguments = std::make_shared<AuditArguments>();
  AddImpactArguments(subcommand, &arguments->input);
  subcommand->add_flag("--json", arguments->json, "Print the findings as JSON");
  subcommand->footer(
      "Example:  percuss audit out/bar-drop/impacts.json --body data/bar-drop/experiment.yaml\n"
      "          percuss audit data/planar_ellipse_impacts/table.yaml\n"
      "First what each impact says of itself at its contact point, by no law: speed towards the\n"
      "surface, incidence from the normal, e_n, e_t (-1: slip goes on, 1: turned round), eta (1:\n"
      "nothing dissipated), tangential over normal impulse.\n"
      "Of more than 40 impacts, those in order are only counted, and the first 40 are shown.\n"
      "SUSPECT: improbable (1 % over all trials) under the stated sigmas. Exit 0 whatever the\n"
      "findings say; exit 2: bad input.");
  return {subcommand, [arguments, common]() { return RunAudit(*arguments, common); }};
}

}  // namespace percuss::app
