// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "app/advice_table.h"
#include "app/coefficient_table.h"
#include "app/command.h"
#include "app/impact_input.h"
#include "capture/error.h"
#include "capture/files.h"
#include "fitting/fit_files.h"

namespace percuss::app {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  ImpactArguments input;
  std::vector<std::string> laws = {"stronge"};
  std::vector<std::string> models;
  std::string group;
  bool scatter = false;
  bool robust = false;
  int bootstrap = 0;
  bool next_drop = false;
  bool error_budget = false;
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

// "e=linear-tangential" and the like.
fitting::ParameterModels AskedModels(const std::vector<std::string>& texts) {
  fitting::ParameterModels models;
  for (const std::string& text : texts) {
    const size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0) {
      throw std::invalid_argument(
          fmt::format("--model: found {}, allowed PARAMETER=MODEL with a model of {}", text,
                      fitting::ParameterModelNames()));
    }
    models[text.substr(0, sign)] = fitting::FindParameterModel(text.substr(sign + 1));
  }
  return models;
}

// "surface" or "surface:mu,e".
fitting::Grouping AskedGrouping(const std::string& text) {
  const size_t sign = text.find(':');
  fitting::Grouping grouping{.column = text.substr(0, sign)};
  for (size_t at = sign; at != std::string::npos;) {
    const size_t next = text.find(',', at + 1);
    grouping.parameters.push_back(text.substr(at + 1, next - at - 1));
    at = next;
  }
  return grouping;
}

fitting::BodyTolerances TolerancesOf(const capture::BodySigmas& sigma) {
  return {.mass = sigma.mass, .dimension = sigma.length, .tilt = sigma.tilt};
}

int Run(const Arguments& arguments, const CommonOptions& common) {
  const ImpactInput input = ReadImpactInput(arguments.input);
  if (!input.note.empty()) fmt::print(stderr, "fit: {}\n", input.note);
  for (const auto& [file, hash] : input.input_hashes) {
    std::error_code no_such_file;
    if (!arguments.output.empty() && fs::equivalent(arguments.output, file, no_such_file)) {
      throw InputError(fmt::format("--output: found {}, which is an input; allowed is another file",
                                   arguments.output));
    }
  }

  fitting::FitReport report;
  report.laws = fitting::FitCoefficients(input.table, input.body,
                                         {.laws = AskedLaws(arguments.laws),
                                          .models = AskedModels(arguments.models),
                                          .grouping = AskedGrouping(arguments.group),
                                          .robust = arguments.robust,
                                          .scatter = arguments.scatter,
                                          .num_bootstraps = arguments.bootstrap,
                                          .num_threads = arguments.jobs});
  if (std::ranges::all_of(report.laws,
                          [](const fitting::LawFit& law) { return law.num_used == 0; })) {
    throw DataError(fmt::format("{}: {}", arguments.input.impacts, report.laws.front().message));
  }
  report.audit = fitting::AuditImpacts(
      input.table, input.body,
      fitting::AuditOptions{.columns = input.columns ? &*input.columns : nullptr,
                            .estimated_sigmas = input.estimated_sigmas,
                            .fits = &report.laws});
  if (arguments.next_drop) {
    for (const fitting::LawFit& law : report.laws) {
      report.next_drop.push_back(fitting::AdviseNextDrop(law, input.table, input.body));
    }
  }
  report.error_budget = fitting::CalcErrorBudget(report.laws.front(), input.table, input.body,
                                                 TolerancesOf(input.body_sigma));

  const capture::Provenance provenance{.format = "percuss fit 1",
                                       .command = common.command_line,
                                       .input_hashes = input.input_hashes};
  if (!arguments.output.empty()) fitting::WriteFit(report, provenance, arguments.output);
  if (arguments.json) {
    fmt::print("{}", fitting::FitReportJson(report, provenance));
  } else {
    PrintFit(stdout, report);
    if (arguments.error_budget && report.error_budget) {
      PrintErrorBudget(stdout, *report.error_budget);
    }
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
  AddImpactArguments(*subcommand, arguments->input);
  subcommand->add_option("--law", arguments->laws, "Impact law, may be repeated; or all")
      ->type_name("NAME")
      ->capture_default_str();
  subcommand
      ->add_option("--model", arguments->models,
                   "How a parameter depends on the approach speed of the contact point, may be "
                   "repeated; MODEL is one of " +
                       fitting::ParameterModelNames() +
                       ": a + b u, a u^b or 1 - a u^b of the normal or tangential speed u [m/s]")
      ->type_name("PARAMETER=MODEL");
  subcommand
      ->add_option("--group", arguments->group,
                   "Column of the table (surface, body) in whose groups the parameters differ; all "
                   "of them, or those named")
      ->type_name("COLUMN[:PARAMETER,...]");
  subcommand->add_flag("--scatter", arguments->scatter,
                       "Estimate how much the parameters differ from impact to impact, and what to "
                       "expect of the next one");
  subcommand->add_flag("--robust", arguments->robust,
                       "Huber's loss on whole impacts: a few that do not fit count little");
  subcommand
      ->add_option("--bootstrap", arguments->bootstrap,
                   "Replicates of a trial bootstrap, for percentile intervals beside the others; "
                   "200 or more are useful")
      ->type_name("NUMBER")
      ->check(CLI::Range(0, 100000));
  subcommand->add_flag(
      "--next-drop", arguments->next_drop,
      "Advise how to drop the body next: the angle and speed that would shrink the "
      "intervals most");
  subcommand->add_flag("--error-budget", arguments->error_budget,
                       "Print how much of the error of an impact comes from pixels, calibration, "
                       "mass, lengths (sigma: of the body) and surface; fit.json has it always");
  subcommand->add_option("-o,--output", arguments->output, "Where to write the whole result")
      ->type_name("fit.json");
  subcommand->add_option("--jobs", arguments->jobs, "Threads")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  subcommand->add_flag("--json", arguments->json, "Print the result file instead of the tables");
  subcommand->footer(
      "Example:  percuss fit out/bar-drop/impacts.json --body data/bar-drop/experiment.yaml "
      "-o fit.json\n"
      "          percuss fit data/planar_ellipse_impacts/table.yaml --law all\n"
      "          percuss fit data/planar_ellipse_impacts/table.yaml --model e=linear-tangential "
      "--scatter\n"
      "          percuss fit impacts.json --body experiment.yaml --group surface:mu --next-drop\n"
      "Trials that cannot be used are named on stderr and in the result; the others go on.\n"
      "Exit 3: no trial can be used, or a law did not converge. Exit 2: bad input.");
  return {subcommand, [arguments, common]() { return Run(*arguments, common); }};
}

}  // namespace percuss::app
