// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "app/command.h"
#include "app/commands/shared_options.h"
#include "app/requests/impact_input.h"
#include "app/terminal/advice_table.h"
#include "app/terminal/coefficient_table.h"
#include "base/error.h"
#include "base/files/files.h"
#include "fitting/fit_report.h"
#include "pipeline/laws_so_far.h"
#include "pipeline/progress.h"

namespace percuss::app {
namespace {

struct FitArguments {
  ImpactArguments input;
  pipeline::FitChoices choices;
  bool next_drop = false;
  bool error_budget = false;
  bool verbose = false;
  std::string output;
  int jobs = 2;
  bool json = false;
};

int RunFit(const FitArguments& arguments, const CommonOptions& common) {
  ImpactInput input = ReadImpactInput(arguments.input);
  if (!input.note.empty()) fmt::print(stderr, "fit: {}\n", input.note);
  for (const auto& [file, hash] : input.input_hashes) RefuseInputAsOutput(arguments.output, {file});

  fitting::FitOptions options =
      pipeline::FitOptionsOf(arguments.choices, input.coefficients, arguments.jobs);
  std::optional<pipeline::Progress> progress(std::in_place);
  const Provenance provenance{.format = fitting::kFitFormat,
                              .command = common.command_line,
                              .input_hashes = input.input_hashes};
  options.on_law = pipeline::WriteLawsAsTheyEnd(&*progress, provenance, arguments.output);
  const std::string& group = options.grouping.column;
  const fitting::FitReport report = fitting::MakeFitReport(
      fitting::PrepareImpacts(std::move(input.table), input.body),
      {.fit = options,
       .default_laws = arguments.choices.laws == pipeline::FitChoices().laws,
       .columns = input.columns ? &*input.columns : nullptr,
       .estimated_sigmas = input.estimated_sigmas,
       .tolerances = pipeline::TolerancesOf(input.body_sigma),
       .group_columns = group.empty() ? std::vector<std::string>{} : std::vector{group},
       .next_drop = arguments.next_drop,
       .priors = input.priors ? &*input.priors : nullptr});
  progress.reset();
  const bool fitted =
      std::ranges::any_of(report.laws, [](const fitting::LawFit& law) { return law.num_used > 0; });
  const bool predicted = std::ranges::any_of(
      report.over_poses, [](const fitting::LawPosePredictions& law) { return law.reason.empty(); });
  if (!fitted && !predicted) {
    throw DataError(
        fmt::format("{}: {}{}", arguments.input.impacts, report.laws.front().message,
                    report.over_poses.empty() ? "" : "; " + report.over_poses.front().reason));
  }
  if (!arguments.output.empty()) fitting::WriteFit(report, provenance, arguments.output);
  if (arguments.json) {
    fmt::print("{}", fitting::FitReportJson(report, provenance));
  } else {
    if (arguments.verbose) {
      PrintAllLaws(stdout, report);
    } else {
      PrintBestLaw(stdout, report);
      PrintNextDrop(stdout, OfLaw(report, BestLaw(report.laws).law).next_drop);
    }
    if (arguments.error_budget && report.error_budget) {
      PrintErrorBudget(stdout, *report.error_budget);
    }
  }

  if (!fitted) return kExitOk;
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
  const auto arguments = std::make_shared<FitArguments>();
  AddImpactArguments(subcommand, &arguments->input);
  AddFitChoices(subcommand, &arguments->choices);
  subcommand->add_flag(
      "--next-drop", arguments->next_drop,
      "Advise how to drop the body next: the angle and speed that would shrink the "
      "intervals most, and those that would bisect where mu_s may be");
  subcommand->add_flag("--error-budget", arguments->error_budget,
                       "Print how much of the error of an impact comes from pixels, calibration, "
                       "mass, lengths (sigma: of the body) and surface; fit.json has it always");
  subcommand->add_option("-o,--output", arguments->output, "Where to write the whole result")
      ->type_name("fit.json");
  AddJobs(subcommand, &arguments->jobs);
  AddVerbose(subcommand, &arguments->verbose);
  subcommand->add_flag("--json", arguments->json, "Print the result file instead of the tables");
  subcommand->footer(
      "Example:  percuss fit out/bar-drop/impacts.json --body data/bar-drop/experiment.yaml "
      "-o fit.json\n"
      "          percuss fit data/planar_ellipse_impacts/table.yaml --law all\n"
      "          percuss fit data/planar_ellipse_impacts/table.yaml --model e=linear-tangential "
      "--scatter\n"
      "          percuss fit impacts.json --body experiment.yaml --group surface:mu --next-drop\n"
      "          percuss fit impacts.json --body experiment.yaml --fix mu=0.243±0.01 --fix "
      "drop.json\n"
      "          percuss fit data/sun2017/rod.yaml --law stronge --fix mu=0.229±0.03 --fix "
      "e=0.292±0.05\n"
      "Where nobody measured how the body lay, and the table has a prior of it, given "
      "coefficients\n"
      "are a prediction over that prior.\n"
      "Trials that cannot be used are named on stderr and in the result; the others go on.\n"
      "Exit 3: no trial can be used, or a law did not converge. Exit 2: bad input.");
  return {subcommand, [arguments, common]() { return RunFit(*arguments, common); }};
}

}  // namespace percuss::app
