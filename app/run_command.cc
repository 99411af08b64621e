// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "app/coefficient_table.h"
#include "app/command.h"
#include "app/run_steps.h"
#include "app/track_options.h"
#include "capture/error.h"
#include "capture/folder_lock.h"
#include "report/report.h"

namespace percuss::app {
namespace {

struct Arguments {
  std::string experiment;
  std::string output;
  std::vector<std::string> laws = {"stronge", "poisson", "newton"};
  std::string states = "arcs";
  std::string fit = "states";
  int jobs = 1;
  bool force = false;
  bool json = false;
  bool no_videos = false;
};

int Run(const Arguments& arguments, const CommonOptions& common) {
  const capture::Experiment experiment = capture::ReadExperiment(arguments.experiment);
  for (const std::string& law : arguments.laws)
    solver::FindLaw(law);  // a wrong name ends here, not after the videos
  const RunSettings settings{arguments.output,
                             common.command_line,
                             arguments.jobs,
                             arguments.laws,
                             tracking::FindStateMethod(arguments.states),
                             arguments.fit == "pixels"};
  if (settings.fit_pixels && settings.states != tracking::StateMethod::kArcs) {
    throw InputError(
        fmt::format("--fit pixels: found --states {}, allowed arcs", arguments.states));
  }
  CheckOutputFolder(settings.folder);
  const capture::FolderLock lock(settings.folder);
  StepRecord record(settings.folder, experiment, common.command_line, arguments.force);
  Outcome outcome;
  fitting::FitReport fit;
  report::ReportSummary report;
  {
    Progress progress;
    const calibration::RigCalibration calibration =
        experiment.HasVideos() ? CalibrateStep(experiment, settings, &record, &progress, &outcome)
                               : calibration::RigCalibration{};
    try {
      const tracking::ImpactTable table =
          TrackStep(experiment, calibration, settings.folder / "calibration.json", {}, settings,
                    &record, &progress, &outcome);
      fit = FitStep(experiment, calibration, table, settings, &record, &progress, &outcome);
    } catch (const DataError&) {
      report::WriteReport(settings.folder, {.command = settings.command});  // it says what failed
      throw;
    } catch (const InputError&) {
      if (std::filesystem::exists(settings.folder / "calibration.json"))
        report::WriteReport(settings.folder, {.command = settings.command});
      throw;
    }
    if (arguments.no_videos) {
      RemoveVideos(experiment, settings.folder);
    } else {
      VideoStep(experiment, settings, &record, &progress);
    }
    progress.Update("report", 0.0);
    report = report::WriteReport(settings.folder, {.command = settings.command});
    if (!report.missing_plots.empty()) progress.Line("report: no plots: " + report.missing_plots);
  }
  if (arguments.json) {
    fmt::print("{}", capture::ReadFile(settings.folder / "fit.json"));
  } else {
    PrintFit(stdout, fit);
    fmt::print("\nReport: {}\n", (settings.folder / "report.html").string());
  }
  return outcome.ExitCode();
}

}  // namespace

Command MakeRunCommand(CLI::App& program, const CommonOptions& common) {
  CLI::App* subcommand =
      program.add_subcommand("run", "Everything: calibrate, track, fit and report an experiment.");
  const auto arguments = std::make_shared<Arguments>();
  subcommand->add_option("experiment", arguments->experiment, "The experiment file")
      ->required()
      ->type_name("EXPERIMENT.yaml");
  subcommand
      ->add_option("-o,--output", arguments->output, "Folder for all results; made if missing")
      ->required()
      ->type_name("OUT");
  subcommand
      ->add_option("--law", arguments->laws,
                   "Impact law to fit (see percuss laws); may be given several times")
      ->type_name("NAME")
      ->capture_default_str();
  AddTrackOptions(subcommand, &arguments->states, &arguments->jobs);
  subcommand
      ->add_option("--fit", arguments->fit,
                   "What the coefficients are fitted to: states (before and after each impact), or "
                   "pixels (beside that, all sightings of all trials at once)")
      ->check(CLI::IsMember({"states", "pixels"}))
      ->type_name("NAME")
      ->capture_default_str();
  subcommand->add_flag("--force", arguments->force,
                       "Do every step again, even where nothing has changed");
  subcommand->add_flag("--no-videos", arguments->no_videos,
                       "Write no overlay videos (tracks/TRIAL/overlay.mp4: the views side by side "
                       "in slow motion, over them markers, body, measured and predicted flight)");
  subcommand->add_flag("--json", arguments->json, "Print fit.json instead of tables");
  subcommand->footer(
      "Example:  percuss run data/bar-drop/experiment.yaml -o out/bar-drop\n"
      "Steps whose inputs have not changed are skipped. Exit 0: every listed input was used. Exit "
      "2: bad input.\n"
      "Exit 3: the data cannot answer. In both cases what could be done is in OUT, and stderr "
      "names the rest.");
  return {subcommand, [arguments, common] { return Run(*arguments, common); }};
}

}  // namespace percuss::app
