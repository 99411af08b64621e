// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/command.h"
#include "app/commands/shared_options.h"
#include "base/error.h"
#include "base/files/files.h"
#include "base/files/folder_lock.h"
#include "pipeline/balls/ball_step.h"
#include "pipeline/run_steps.h"
#include "pipeline/slides/slides.h"

namespace percuss::app {
namespace {

struct TrackArguments {
  std::string experiment;
  std::string calibration;
  std::string output;
  std::vector<std::string> trials;
  TrackChoices track;
  bool force = false;
  bool json = false;
};

void PrintImpacts(const impacts::ImpactTable& table) {
  fmt::print("{:<16} {:>9}  {:>28}  {:>28}\n", "trial", "time [s]", "v before, after [m/s]",
             "w before, after [rad/s]");
  for (const impacts::ImpactRecord& impact : table.impacts) {
    fmt::print("{:<16} {:9.5f}  {:8.4f} {:9.4f} {:9.4f}  {:8.3f} {:9.3f} {:9.3f}\n", impact.trial,
               impact.time, impact.v.x(), impact.v.y(), impact.v.z(), impact.w.x(), impact.w.y(),
               impact.w.z());
    fmt::print("{:<16} {:>9}  {:8.4f} {:9.4f} {:9.4f}  {:8.3f} {:9.3f} {:9.3f}\n", "", "",
               impact.v_post.x(), impact.v_post.y(), impact.v_post.z(), impact.w_post.x(),
               impact.w_post.y(), impact.w_post.z());
  }
}

int RunTrack(const TrackArguments& arguments, const CommonOptions& common) {
  const capture::Experiment stated = capture::ReadExperiment(arguments.experiment);
  if (stated.HasVideos() && arguments.calibration.empty()) {
    throw InputError("--calibration: found nothing, allowed for videos is a calibration.json");
  }
  const calibration::RigCalibration calibration =
      stated.HasVideos() ? calibration::ReadCalibration(arguments.calibration)
                         : calibration::RigCalibration{};
  pipeline::RunSettings settings;
  settings.folder = arguments.output;
  settings.experiment = arguments.experiment;
  settings.command = common.command_line;
  settings.jobs = arguments.track.jobs;
  settings.force = arguments.force;
  settings.states = tracking::FindStateMethod(arguments.track.states);
  settings.enhanced_every = arguments.track.EnhancedEvery();
  pipeline::CheckOutputFolder(settings.folder);
  const FolderLock lock(settings.folder);
  RemoveUnfinishedFiles(settings.folder);
  pipeline::WriteRunFile(stated, settings);
  pipeline::Outcome outcome;
  const auto trials = pipeline::ChooseTrials(stated, arguments.trials);
  {
    pipeline::Progress progress;
    const std::optional<capture::Experiment> placed =
        pipeline::LayoutStep(stated, calibration, arguments.calibration, settings, &progress);
    const capture::Experiment& experiment = placed ? *placed : stated;
    if (experiment.OfBall()) {
      pipeline::BallStep(experiment, trials, arguments.calibration, settings, &progress);
    } else {
      pipeline::TrackStep(experiment, trials, calibration, arguments.calibration, settings,
                          &progress);
    }
    pipeline::SlidesStep(trials, settings);
    pipeline::GatherStep(trials, pipeline::BenchOf(experiment, trials, calibration, settings),
                         arguments.calibration, settings, &progress, &outcome);
  }
  if (!arguments.json && std::filesystem::exists(settings.folder / "slides.csv"))
    fmt::print("Slides: {}\n", (settings.folder / "slides.csv").string());
  if (pipeline::CountDrops(trials) == 0) return outcome.ExitCode();
  if (arguments.json) {
    fmt::print("{}", ReadFile(settings.folder / "impacts.json"));
  } else {
    PrintImpacts(impacts::ReadImpacts(settings.folder / "impacts.json"));
    fmt::print("\nImpacts: {}\n", (settings.folder / "impacts.csv").string());
  }
  return outcome.ExitCode();
}

}  // namespace

Command MakeTrackCommand(CLI::App& program, const CommonOptions& common) {
  CLI::App* subcommand = program.add_subcommand(
      "track",
      "Videos (or tracks that other programs found in them) and a calibration, or other motion "
      "capture, in; states before and after each impact out.");
  const auto arguments = std::make_shared<TrackArguments>();
  AddExperiment(subcommand, &arguments->experiment);
  subcommand
      ->add_option("--calibration", arguments->calibration,
                   "From percuss calibrate; trials of other motion capture need none")
      ->type_name("calibration.json");
  subcommand
      ->add_option("--trial", arguments->trials, "Only this trial; may be given several times")
      ->type_name("NAME");
  subcommand
      ->add_option("-o,--output", arguments->output,
                   "Folder for tracks/ and impacts.csv; made if missing")
      ->required()
      ->type_name("DIR");
  AddTrackOptions(subcommand, &arguments->track);
  subcommand->add_flag("--force", arguments->force,
                       "Do every trial again, even where nothing has changed");
  subcommand->add_flag("--json", arguments->json, "Print impacts.json instead of a table");
  subcommand->footer(
      "Example:  percuss track data/bar-drop/experiment.yaml --calibration "
      "out/bar-drop/calibration.json -o out/bar-drop\n"
      "Exit 0: every trial gave an impact, or is a slide that was measured. Exit 2 or 3: some did "
      "not, named on stderr; the others "
      "are written.");
  return {subcommand, [arguments, common] { return RunTrack(*arguments, common); }};
}

}  // namespace percuss::app
