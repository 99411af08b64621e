// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/command.h"
#include "app/commands/shared_options.h"
#include "app/terminal/advice_table.h"
#include "app/terminal/coefficient_table.h"
#include "base/error.h"
#include "base/files/files.h"
#include "base/files/folder_lock.h"
#include "base/text/json_text.h"
#include "pipeline/balls/ball_step.h"
#include "pipeline/campaign/landed.h"
#include "pipeline/diagnosis/diagnosis_step.h"
#include "pipeline/experiment_summary.h"
#include "pipeline/run_steps.h"
#include "pipeline/slides/slides.h"

namespace percuss::app {
namespace {

struct RunArguments {
  std::string experiment;
  std::string output;
  pipeline::FitChoices choices;
  TrackChoices track;
  std::string fit = "states";
  std::string only;
  std::vector<std::string> trials;
  bool list_inputs = false;
  bool force = false;
  bool json = false;
  bool verbose = false;
  bool videos = false;
  bool mend = false;
  std::optional<int> landed;  ///< how many at most of those without results; 0: all
};

// What makes the results what they are: not where they go, nor how many at a time, nor in how many
// goes, nor what stands beside them. Equal inputs then give equal files.
std::string RecordedCommand(const RunArguments& arguments) {
  const RunArguments defaults;
  std::string command = "percuss run " + arguments.experiment;
  command += pipeline::CommandLineOf(arguments.choices);
  if (arguments.track.states != defaults.track.states)
    command += " --states " + arguments.track.states;
  if (arguments.fit != defaults.fit) command += " --fit " + arguments.fit;
  if (arguments.mend) command += " --mend";
  if (arguments.landed) command += " --landed";
  return command;
}

int ListInputs(const capture::Experiment& experiment) {
  nlohmann::ordered_json calibration = nlohmann::ordered_json::array();
  for (const std::filesystem::path& file : experiment.calibration.file.files)
    calibration.push_back(file.string());
  for (const capture::CalibrationCamera& camera : experiment.calibration.cameras) {
    for (const std::filesystem::path& image : camera.images) calibration.push_back(image.string());
    if (!camera.surface.empty()) calibration.push_back(camera.surface.string());
  }
  nlohmann::ordered_json trials = nlohmann::ordered_json::object();
  for (const capture::Trial& trial : experiment.trials) {
    nlohmann::ordered_json& files = trials[trial.name] = nlohmann::ordered_json::array();
    for (const std::filesystem::path& file : pipeline::InputsOf(trial))
      files.push_back(file.string());
  }
  const nlohmann::ordered_json inputs = {{"calibration", calibration}, {"trials", trials}};
  fmt::print("{}", JsonText(inputs, 1));
  return kExitOk;
}

// Thrown where a run begins again with another experiment file.
struct BeginAgain {
  pipeline::Diagnosis diagnosis;
};

// What is wrong with the experiment file goes to the report. Where the run may go on with the
// mended one, it begins again.
void Consider(const capture::Experiment& experiment, const pipeline::Diagnosis& diagnosis,
              const pipeline::RunSettings& settings, bool mend) {
  if (mend && diagnosis.IsKnown()) throw BeginAgain{diagnosis};
  pipeline::WriteRunFile(experiment, settings, pipeline::ReportLines(experiment, diagnosis, false));
}

// How a run deals with what may be wrong in the experiment file.
struct Doubts {
  bool diagnose = false;
  bool mend = false;
};

// The report says what failed. Where it cannot be written either, that is no reason to forget it.
void ReportFailure(const capture::Experiment& experiment, const pipeline::RunSettings& settings,
                   pipeline::Progress* progress) {
  try {
    pipeline::ReportStep(experiment, settings, progress);
  } catch (const std::exception& error) {
    progress->Line(fmt::format("percuss: no report: {}", error.what()));
  }
}

// Everything, or the one step asked for.
// @returns the fit, if that was part of it.
std::optional<fitting::FitReport> RunSteps(const capture::Experiment& stated,
                                           const std::vector<capture::Trial>& trials,
                                           const std::string& only,
                                           const pipeline::RunSettings& settings,
                                           const Doubts& doubts, pipeline::Outcome* outcome) {
  const auto wanted = [&](const char* step) { return only.empty() || only == step; };
  const std::filesystem::path calibration_file = settings.folder / "calibration.json";
  pipeline::Progress progress;
  calibration::RigCalibration calibration;
  if (stated.HasVideos() && wanted("calibrate")) {
    try {
      calibration = pipeline::CalibrateStep(stated, settings, &progress, outcome);
    } catch (const calibration::CalibrationError& error) {
      if (doubts.diagnose) {
        Consider(stated, pipeline::CalibrationDiagnosisStep(stated, error, settings, &progress),
                 settings, doubts.mend);
      }
      throw;
    }
  } else if (stated.HasVideos() && only != "film" && only != "report") {
    calibration = calibration::ReadCalibration(calibration_file);
  }
  std::optional<fitting::FitReport> fit;
  std::optional<capture::Experiment> placed;
  const capture::Experiment* experiment = &stated;  // of thousands of trials there is one
  try {
    if (wanted("track") || wanted("fit")) {
      placed = pipeline::LayoutStep(stated, calibration, calibration_file, settings, &progress);
      if (placed) experiment = &*placed;
    }
    if (wanted("track")) {
      if (stated.OfBall()) {
        pipeline::BallStep(*experiment, trials, calibration_file, settings, &progress);
      } else {
        pipeline::TrackStep(*experiment, trials, calibration, calibration_file, settings,
                            &progress);
      }
      if (!only.empty()) {
        for (const tracking::TrialSummary& trial : pipeline::ReadSummaries(trials, settings)) {
          if (trial.status != tracking::TrialResult::Status::kOk)
            progress.Line("percuss: " + trial.message);
        }
      }
    }
    // Places that the videos showed are in no line of the file.
    if (doubts.diagnose && !stated.body.unplaced) {
      Consider(*experiment, pipeline::DiagnosisStep(*experiment, calibration, settings, &progress),
               settings, doubts.mend);
    }
    if (wanted("fit")) {
      // Trials that were tracked one by one do not know of each other yet.
      if (!only.empty() && !stated.OfBall()) {
        pipeline::StatesStep(*experiment, trials, calibration, calibration_file, settings,
                             &progress);
      }
      const tracking::Bench bench = pipeline::BenchOf(*experiment, trials, calibration, settings);
      pipeline::SlidesStep(trials, settings);
      pipeline::GatherStep(trials, bench, calibration_file, settings, &progress, outcome);
      if (pipeline::CountDrops(trials) > 0)
        fit = pipeline::FitStep(*experiment, bench, settings, &progress, outcome);
    }
  } catch (const DataError&) {
    if (only.empty()) ReportFailure(*experiment, settings, &progress);
    throw;
  } catch (const InputError&) {
    if (only.empty() && std::filesystem::exists(calibration_file))
      ReportFailure(*experiment, settings, &progress);
    throw;
  }
  if (wanted("film")) pipeline::FilmStep(*experiment, settings, &progress);
  if (wanted("report")) pipeline::ReportStep(*experiment, settings, &progress);
  return fit;
}

// All steps; with --mend, of the experiment as it was meant.
std::optional<fitting::FitReport> RunAll(const capture::Experiment& typed,
                                         const RunArguments& arguments,
                                         const pipeline::RunSettings& settings,
                                         pipeline::Outcome* outcome) {
  // Diagnoses look for markers.
  const Doubts doubts{.diagnose = arguments.only.empty() && !typed.OfBall(),
                      .mend = arguments.mend && !typed.OfBall()};
  const auto run_mended = [&](const pipeline::Diagnosis& diagnosis) {
    const std::vector<std::string> notes = pipeline::ReportLines(typed, diagnosis, true);
    for (const std::string& note : notes) fmt::print(stderr, "diagnosis: {}\n", note);
    const capture::Experiment mended = pipeline::Mended(typed, diagnosis);
    pipeline::WriteRunFile(mended, settings, notes);
    return RunSteps(mended, mended.trials, arguments.only, settings, {}, outcome);
  };
  if (doubts.mend) {
    const auto known = pipeline::KnownDiagnosis(typed, settings);
    if (known && known->IsKnown()) return run_mended(*known);
  }
  pipeline::WriteRunFile(typed, settings);
  pipeline::Outcome as_typed;
  try {
    auto fit = RunSteps(typed, typed.trials, arguments.only, settings, doubts, &as_typed);
    *outcome = as_typed;
    return fit;
  } catch (const BeginAgain& mended) {
    return run_mended(mended.diagnosis);
  }
}

void PrintResult(const fitting::FitReport& fit, bool verbose) {
  if (verbose) return PrintAllLaws(stdout, fit);
  PrintBestLaw(stdout, fit);
  PrintNextDropInWords(stdout, fit);
}

// What a run leaves, the first to read first.
void PrintFiles(const std::filesystem::path& folder) {
  fmt::print("\nReport: {}\n", (folder / "report.html").string());
  std::string others;
  for (const char* name : {"report.md", "tables", "fit.json", "impacts.csv", "impacts.json",
                           "calibration.json", "tracks"}) {
    if (std::filesystem::exists(folder / name))
      others += others.empty() ? name : fmt::format(", {}", name);
  }
  fmt::print("Beside it: {}\n", others);
}

capture::Experiment ExperimentOf(const RunArguments& arguments) {
  if (!arguments.landed) return capture::ReadExperiment(arguments.experiment);
  pipeline::LandedExperiment landed = pipeline::ReadLanded(arguments.experiment);
  for (const pipeline::WaitingTrial& trial : landed.waiting)
    fmt::print(stderr, "{} waits: {}\n", trial.name, trial.reason);
  if (int left = *arguments.landed; left > 0) {
    std::erase_if(landed.experiment.trials, [&](const capture::Trial& trial) {
      const auto folder = std::filesystem::path(arguments.output) / "tracks" / trial.name;
      return !std::filesystem::exists(folder / "trial.json") && left-- <= 0;
    });
  }
  if (landed.experiment.trials.empty()) {
    throw InputError(fmt::format("{}: --landed: found no trial whose recordings are all there",
                                 arguments.experiment));
  }
  return landed.experiment;
}

int RunRun(const RunArguments& arguments) {
  const capture::Experiment experiment = ExperimentOf(arguments);
  // A wrong name ends here, not after the videos.
  const fitting::FitOptions fit_options =
      pipeline::FitOptionsOf(arguments.choices, experiment.coefficients, arguments.track.jobs);
  const std::string& column = fit_options.grouping.column;
  const auto has_column = [&](const capture::Trial& trial) { return trial.group.contains(column); };
  if (!column.empty() && std::ranges::none_of(experiment.trials, has_column)) {
    throw InputError(fmt::format("{}: --group: found {}, which is no group of any trial",
                                 arguments.experiment, column));
  }
  if (arguments.list_inputs) return ListInputs(experiment);
  const pipeline::RunSettings settings{arguments.output,
                                       arguments.experiment,
                                       RecordedCommand(arguments),
                                       arguments.track.jobs,
                                       arguments.force,
                                       arguments.choices,
                                       tracking::FindStateMethod(arguments.track.states),
                                       arguments.fit == "pixels",
                                       arguments.videos,
                                       arguments.track.EnhancedEvery()};
  if (settings.fit_pixels && settings.states != tracking::StateMethod::kArcs) {
    throw InputError(
        fmt::format("--fit pixels: found --states {}, allowed arcs", arguments.track.states));
  }
  const bool plain = fit_options.models.empty() && column.empty() && fit_options.given.empty();
  if (settings.fit_pixels && !plain) {
    throw InputError(
        "--fit pixels: found --model, --group, --fix or coefficients in the experiment file, "
        "allowed without them");
  }
  if (arguments.mend && !arguments.only.empty()) {
    throw InputError(fmt::format("--mend: found --only {}, allowed without it", arguments.only));
  }
  if (!arguments.trials.empty() && arguments.only != "track") {
    throw InputError(fmt::format("--trial: found --only {}, allowed track", arguments.only));
  }
  pipeline::CheckOutputFolder(settings.folder);
  pipeline::Outcome outcome;
  std::optional<fitting::FitReport> fit;
  if (arguments.trials.empty()) {
    const FolderLock alone(settings.folder);
    RemoveUnfinishedFiles(settings.folder);
    fmt::print(stderr, "{}\n", pipeline::ExperimentInWords(experiment));
    fit = RunAll(experiment, arguments, settings, &outcome);
  } else {
    const auto trials = pipeline::ChooseTrials(experiment, arguments.trials);
    // Others may be at work on other trials.
    const FolderLock beside_others(settings.folder, FolderLock::Kind::kShared);
    std::vector<std::unique_ptr<FolderLock>> alone;
    for (const capture::Trial& trial : trials) {
      const std::filesystem::path folder = settings.folder / "tracks" / trial.name;
      alone.push_back(std::make_unique<FolderLock>(folder));
      RemoveUnfinishedFiles(folder);
    }
    RunSteps(experiment, trials, arguments.only, settings, {}, &outcome);
  }
  if (arguments.json) {
    if (fit) fmt::print("{}", ReadFile(settings.folder / "fit.json"));
  } else {
    if (fit) PrintResult(*fit, arguments.verbose);
    if (arguments.only.empty()) PrintFiles(settings.folder);
  }
  return arguments.only.empty() ? outcome.ExitCode() : kExitOk;
}

}  // namespace

Command MakeRunCommand(CLI::App& program, const CommonOptions&) {
  CLI::App* subcommand =
      program.add_subcommand("run", "Everything: calibrate, track, fit and report an experiment.");
  const auto arguments = std::make_shared<RunArguments>();
  AddExperiment(subcommand, &arguments->experiment);
  subcommand
      ->add_option("-o,--output", arguments->output, "Folder for all results; made if missing")
      ->required()
      ->type_name("OUT");
  AddFitChoices(subcommand, &arguments->choices);
  AddTrackOptions(subcommand, &arguments->track);
  subcommand
      ->add_option("--fit", arguments->fit,
                   "What the coefficients are fitted to: states (before and after each impact), or "
                   "pixels (beside that, all sightings of all trials at once)")
      ->check(CLI::IsMember({"states", "pixels"}))
      ->type_name("NAME")
      ->capture_default_str();
  CLI::Option* only =
      subcommand
          ->add_option(
              "--only", arguments->only,
              "One step of the five, from the files of those before it: calibrate, track, "
              "fit, film or report. Exit 0: it is done; what failed in it is named on stderr")
          ->check(CLI::IsMember({"calibrate", "track", "fit", "film", "report"}))
          ->type_name("STEP");
  subcommand
      ->add_option("--trial", arguments->trials,
                   "With --only track, only this trial; may be given several times. Runs with "
                   "different trials may be at work in OUT at the same time")
      ->needs(only)
      ->type_name("NAME");
  subcommand
      ->add_option_function<std::vector<int>>(
          "--landed",
          [arguments](const std::vector<int>& given) {
            arguments->landed = given.empty() ? 0 : given.front();
          },
          "Only trials whose recordings are there and have not changed for two seconds; and beside "
          "those of the file new ones with videos named in the same way: trials/NEW/left.mp4 and "
          "right.mp4 beside trials/OLD/left.mp4 and right.mp4. With N, of those without results at "
          "most N. What percuss watch "
          "runs")
      ->expected(0, 1)
      ->check(CLI::Range(1, 1000000))
      ->type_name("[N]");
  subcommand->add_flag("--list-inputs", arguments->list_inputs,
                       "Print the files that the calibration and each trial read, as JSON, and do "
                       "nothing");
  subcommand->add_flag("--force", arguments->force,
                       "Do every step again, even where nothing has changed");
  subcommand->add_flag(
      "--videos", arguments->videos,
      "Write overlay videos, too (tracks/TRIAL/overlay.mp4: the views side by side "
      "in slow motion, over them markers, body, measured and predicted flight). "
      "After a run without it, nothing else is done again but the report");
  subcommand->add_flag(
      "--mend", arguments->mend,
      "Where exactly one change of a line of the experiment file explains the data, go on with it; "
      "the report says so first. Without --mend the line is named on stderr and in the report, and "
      "nothing is changed. The file itself never is");
  AddVerbose(subcommand, &arguments->verbose);
  subcommand->add_flag("--json", arguments->json, "Print fit.json instead of tables");
  subcommand->footer(
      "Example:  percuss run data/bar-drop/experiment.yaml -o out/bar-drop\n"
      "Steps whose inputs have not changed are skipped. Exit 0: every listed input was used. Exit "
      "2: bad input.\n"
      "Exit 3: the data cannot answer. In both cases what could be done is in OUT, and stderr "
      "names the rest.");
  return {subcommand, [arguments] { return RunRun(*arguments); }};
}

}  // namespace percuss::app
