// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/commands/shared_options.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <system_error>

#include "base/error.h"

namespace percuss::app {

void AddExperiment(CLI::App* subcommand, std::string* file) {
  subcommand->add_option("experiment", *file, "The experiment file")
      ->required()
      ->type_name("EXPERIMENT.yaml");
}

void AddJobs(CLI::App* subcommand, int* jobs, const std::string& help) {
  subcommand->add_option("--jobs", *jobs, help)
      ->check(CLI::Range(1, 256))
      ->type_name("N")
      ->capture_default_str();
}

void AddVerbose(CLI::App* subcommand, bool* verbose) {
  subcommand->add_flag("--verbose", *verbose,
                       "Print all laws, their comparison and each trial, not the best law alone");
}

void AddImpactArguments(CLI::App* subcommand, ImpactArguments* arguments) {
  subcommand
      ->add_option("impacts", arguments->impacts,
                   "States before and after each impact, or the description of a table of them")
      ->required()
      ->type_name("IMPACTS.csv|json|TABLE.yaml");
  subcommand
      ->add_option("--body", arguments->body,
                   "The body, or an experiment file with one; body.yaml beside IMPACTS where it is "
                   "left out; "
                   "not for a TABLE.yaml, which states it")
      ->type_name("BODY.yaml");
}

void AddFitChoices(CLI::App* subcommand, pipeline::FitChoices* choices) {
  subcommand
      ->add_option("--law", choices->laws,
                   "Impact law to fit (see percuss laws), may be repeated; or all")
      ->type_name("NAME")
      ->capture_default_str();
  subcommand
      ->add_option("--model", choices->models,
                   "How a parameter depends on the approach speed of the contact point, or on a "
                   "number in a column of the table, may be repeated; MODEL is one of " +
                       fitting::ParameterModelNames() +
                       ": a + b u, a u^b or 1 - a u^b of the normal or tangential speed u [m/s], "
                       "or the incidence u [rad]; a + b u + c u^2 of the column, less its mean")
      ->type_name("PARAMETER=MODEL");
  subcommand
      ->add_option("--group", choices->group,
                   "Column of the table, or group of the trials (surface, body), in whose groups "
                   "the parameters differ; all of them, or those named")
      ->type_name("COLUMN[:PARAMETER,...]");
  subcommand
      ->add_option(
          "--fix", choices->fix,
          "A parameter that was measured elsewhere, may be repeated: it is not fitted, its "
          "sigma is carried, and the impacts are predicted with it; PARAMETER=VALUE±SIGMA "
          "(or VALUE+-SIGMA), or the output of percuss measure --json")
      ->type_name("PARAMETER=VALUE±SIGMA|FILE.json");
  subcommand->add_flag("--scatter", choices->scatter,
                       "Estimate how much the parameters differ from impact to impact, and what to "
                       "expect of the next one");
  subcommand->add_flag("--robust", choices->robust,
                       "Huber's loss on whole impacts: a few that do not fit count little");
  subcommand
      ->add_option("--bootstrap", choices->bootstrap,
                   "Replicates of a trial bootstrap, for percentile intervals beside the others; "
                   "200 or more are useful")
      ->type_name("NUMBER")
      ->check(CLI::Range(0, 100000));
}

void AddTrackOptions(CLI::App* subcommand, TrackChoices* choices) {
  subcommand
      ->add_option(
          "--states", choices->states,
          "How velocities at the impact are found: arcs (two flights fitted to the pixels), "
          "rts (Kalman smoother) or houbolt (differences of four frames, as in a thesis), "
          "the last two for comparison")
      ->check(CLI::IsMember({"arcs", "rts", "houbolt"}))
      ->type_name("NAME")
      ->capture_default_str();
  CLI::Option* enhanced = subcommand->add_flag(
      "--enhanced", choices->enhanced,
      "Write tracks/TRIAL/enhanced/report.html: all frames with the names of the markers, and why "
      "other spots have none; beside it left/000120-grey.png, -binary.png and -outline.png and the "
      "same of right. Trials are tracked again for it");
  subcommand
      ->add_option("--enhanced-every", choices->enhanced_every,
                   "Frames from one of these pictures to the next")
      ->check(CLI::PositiveNumber)
      ->needs(enhanced)
      ->type_name("N")
      ->capture_default_str();
  AddJobs(subcommand, &choices->jobs, "Threads, and trials processed at a time");
}

void RefuseInputAsOutput(const std::filesystem::path& output,
                         const std::vector<std::filesystem::path>& inputs) {
  for (const std::filesystem::path& input : inputs) {
    std::error_code no_such_file;
    if (!std::filesystem::equivalent(output, input, no_such_file)) continue;
    throw InputError(fmt::format("--output: found {}, which is an input; allowed is another file",
                                 output.string()));
  }
}

}  // namespace percuss::app
