// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/parallel.h"
#include "pipeline/inspection/trial_page.h"
#include "pipeline/run_steps.h"
#include "pipeline/step_inputs.h"
#include "tracking/bench/bench_files.h"
#include "tracking/experiment_bench.h"
#include "tracking/label_files.h"
#include "tracking/pictures.h"
#include "tracking/sighting_files.h"
#include "tracking/slides/slide_trial.h"
#include "tracking/trial.h"

namespace percuss::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrialFormat = "percuss trial 1";
constexpr const char* kSightingsFormat = "percuss sightings 2";
constexpr const char* kPicturesFormat = "percuss pictures 1";

const capture::Trial& FindTrial(const capture::Experiment& experiment, const std::string& name) {
  for (const capture::Trial& trial : experiment.trials) {
    if (trial.name == name) return trial;
  }
  std::string known;
  for (const capture::Trial& trial : experiment.trials)
    known += (known.empty() ? "" : ", ") + trial.name;
  throw InputError(fmt::format("{}: trials: found no '{}', there are {}", experiment.file.string(),
                               name, known));
}

/// How many markers of the layout were seen in any frame.
std::size_t CountSeenMarkers(const tracking::TrackedTrial& tracked) {
  std::set<int> seen;
  for (const tracking::TrackedFrame& frame : tracked.frames) {
    for (const tracking::MarkerObservation& observation : frame.observations)
      seen.insert(observation.marker);
    for (const tracking::PointObservation& point : frame.points) seen.insert(point.marker);
  }
  return seen.size();
}

/// What was found in a trial, in one line.
std::string TrialLine(const capture::Experiment& experiment, const capture::Trial& trial,
                      const tracking::TrialResult& result) {
  if (result.slide)
    return fmt::format("track {}: {}", trial.name, tracking::SlideLine(*result.slide));
  const auto& [before, after] = result.impacts.front().fit.arcs;
  const std::string seen = trial.motion && trial.motion->kind == capture::MotionSource::Kind::kPoses
                               ? "poses"
                               : fmt::format("{} of {} markers", CountSeenMarkers(result.tracked),
                                             experiment.body.markers.size());
  const std::string rms = trial.motion
                              ? fmt::format("{:.3f} mm", 1e3 * std::max(before.rms_m, after.rms_m))
                              : fmt::format("{:.3f} px", std::max(before.rms_px, after.rms_px));
  return fmt::format(
      "track {}: {} in {} frames, impact at {:.4f} s, arcs of {} and {} frames, rms {}{}",
      trial.name, seen, result.tracked.frames.size(), result.impacts.front().fit.time,
      before.frames, after.frames, rms,
      result.impacts.size() > 1 ? fmt::format("; {} impacts", result.impacts.size()) : "");
}

/// Where the files of a trial go.
fs::path FolderOf(const capture::Trial& trial, const RunSettings& settings) {
  return settings.folder / "tracks" / trial.name;
}

tracking::TrialOptions OptionsOf(const std::string& trial, int num_threads,
                                 const RunSettings& settings, Progress* progress) {
  tracking::TrialOptions options;
  options.states = settings.states;
  options.tracking.num_threads = num_threads;
  options.tracking.detection.keep_rejected = settings.enhanced_every.has_value();
  options.tracking.labels.keep_unlabelled = settings.enhanced_every.has_value();
  options.tracking.progress = [=](const std::string& what, double fraction) {
    progress->Update(fmt::format("track {}: {}", trial, what), fraction);
  };
  return options;
}

/// What all trials of the step share.
struct Tracking {
  const capture::Experiment& experiment;
  const calibration::RigCalibration& calibration;
  const fs::path& calibration_file;
  const RunSettings& settings;
  Progress* progress;
};

/// One trial from its videos to labels.json; a trial.json where that fails.
void RecordOneTrial(const Tracking& tracking, const capture::Trial& trial, int num_threads) {
  const auto& [experiment, calibration, calibration_file, settings, progress] = tracking;
  const fs::path folder = FolderOf(trial, settings);
  StepRecord record = RecordOf("tracks/" + trial.name, settings);
  Provenance provenance{tracking::kLabelsFormat, settings.command, {}};
  AddTrialEntry(experiment, trial, &provenance);
  if (!trial.motion) AddHash(calibration_file, settings, &record, &provenance);
  const bool inputs_there = AddTrialFiles(trial, settings, &record, &provenance);
  const std::string key = KeyOf(provenance, trial.name);
  const bool pictured = settings.enhanced_every && trial.FromVideos();
  if (settings.enhanced_every && !pictured)
    progress->Line(
        fmt::format("track {}: frames: none: it has tracks in place of videos", trial.name));
  if (!pictured && inputs_there &&
      (record.IsDone(key, {folder / "labels.json"}) ||
       record.IsDone(key + " failed", {folder / "trial.json"}))) {
    return;
  }
  tracking::TrialSpots spots;
  tracking::TrialResult result =
      tracking::RecordTrial(experiment, trial, calibration,
                            OptionsOf(trial.name, num_threads, settings, progress), &spots);
  if (const std::string changed = record.ChangedInput(); !changed.empty()) {
    result.status = tracking::TrialResult::Status::kBadInput;
    result.message = fmt::format("trial {}: {}", trial.name, changed);
  }
  record.Forget();
  RemoveOutdated(folder / "enhanced");  // shows what was tracked before
  if (pictured && result.status != tracking::TrialResult::Status::kBadInput) {
    const fs::path page = WriteTrialPage(experiment, trial, calibration, result, spots,
                                         *settings.enhanced_every, provenance, folder / "enhanced");
    progress->Line(fmt::format("track {}: frames: {}", trial.name, page.string()));
  }
  if (result.message.empty()) {
    tracking::WriteLabels(result.tracked, provenance, folder / "labels.json");
  } else {
    RemoveOutdated(folder / "pictures");
    RemoveFiles(folder, {"labels.json", "overlay.mp4", "impacts.json", "sightings.json"});
    provenance.format = kTrialFormat;
    tracking::WriteTrial(result, experiment.body, calibration, provenance, folder);
  }
  // What could not be read may be there the next time: the disc had a fault, a copy was under way.
  if (inputs_there && result.status != tracking::TrialResult::Status::kBadInput)
    record.Finish(result.message.empty() ? key : key + " failed");
}

/// What RecordOneTrial left.
tracking::TrialResult RecordedTrial(const Tracking& tracking, const capture::Trial& trial) {
  if (trial.motion) {
    return tracking::RecordTrial(tracking.experiment, trial, tracking.calibration,
                                 OptionsOf(trial.name, 1, tracking.settings, tracking.progress));
  }
  const fs::path labels = FolderOf(trial, tracking.settings) / "labels.json";
  tracking::TrialResult result;
  result.trial = trial.name;
  result.states = tracking.settings.states;
  if (!fs::exists(labels)) return result;  // trial.json says why
  result.tracked = tracking::ReadLabels(labels, tracking.experiment.body.markers.size());
  result.warnings = result.tracked.warnings;
  result.message.clear();
  return result;
}

void WriteImpactFiles(const tracking::TrialResult& result, const capture::Trial& trial,
                      const tracking::Bench& bench, Provenance provenance, const fs::path& folder) {
  if (result.impacts.empty()) {
    RemoveFiles(folder, {"impacts.json", "sightings.json"});
    return;
  }
  impacts::ImpactTable table = bench.EmptyTable();
  table.sources.clear();  // once in the table of the run: as large as the covariance
  std::vector<tracking::FittedArcs> arcs;
  for (const tracking::TrialImpact& impact : result.impacts) {
    table.impacts.push_back(impact.record);
    table.impacts.back().extra.insert(trial.group.begin(), trial.group.end());
    arcs.push_back(impact.fit.arcs_fitted);
  }
  provenance.format = kSightingsFormat;
  tracking::WriteSightings(arcs, provenance, folder / "sightings.json");
  provenance.format = kImpactsFormat;
  impacts::WriteImpactsJson(table, provenance, folder / "impacts.json");
}

/// One trial from what was seen to the files of its flights and impacts.
/// @param estimated the experiment with the body of the bench
/// @return whether they were there
bool EstimateOneTrial(const Tracking& tracking, const capture::Trial& trial,
                      const std::string& bench_hash, const tracking::Bench& bench,
                      const capture::Experiment& estimated) {
  const auto& [experiment, calibration, calibration_file, settings, progress] = tracking;
  const fs::path folder = FolderOf(trial, settings);
  const fs::path labels = folder / "labels.json";
  if (!trial.motion && !fs::exists(labels)) return false;
  StepRecord record = RecordOf("states/" + trial.name, settings);
  Provenance provenance{kTrialFormat, settings.command, {}};
  AddTrialEntry(experiment, trial, &provenance);
  if (!trial.motion) AddHash(calibration_file, settings, &record, &provenance);
  AddTrialFiles(trial, settings, &record, &provenance);
  const std::string key =
      KeyOf(provenance, (trial.motion ? "" : record.HashOf(labels)) + bench_hash + "\nstates " +
                            tracking::StateMethodName(settings.states));
  if (record.IsDone(key, {folder / "trial.json"})) return true;
  const tracking::TrialResult result =
      tracking::EstimateTrial(experiment, trial, bench, RecordedTrial(tracking, trial),
                              OptionsOf(trial.name, 1, settings, progress));
  record.Forget();
  RemoveOutdated(folder / "pictures");                            // there may be fewer of them
  RemoveFiles(folder, {"overlay.mp4", "film.jpg", "film.json"});  // of what was tracked before
  WriteImpactFiles(result, trial, bench, provenance, folder);
  provenance.format = kPicturesFormat;
  tracking::WritePictures(estimated, trial, result, bench.calibration, provenance,
                          folder / "pictures");
  provenance.format = kTrialFormat;
  tracking::WriteTrial(result, bench.body, bench.calibration, provenance, folder);
  record.Finish(key);
  if (result.status == tracking::TrialResult::Status::kOk) {
    progress->Line(TrialLine(experiment, trial, result));
    for (const std::string& warning : result.warnings)
      progress->Line(fmt::format("track {}: {}", trial.name, warning));
  }
  return false;
}

/// bench.json of all trials; of some, which is of passing interest, one with the name of the first:
/// programs that track a trial each do not meet.
fs::path BenchFile(const capture::Experiment& experiment, const std::vector<capture::Trial>& trials,
                   const RunSettings& settings) {
  const bool all = trials.size() == experiment.trials.size();
  return all ? settings.folder / "bench.json"
             : settings.folder / ".steps" / "bench-of" / (trials.front().name + ".bench.json");
}

/// What the flights of all these trials say of what they share.
tracking::Bench BenchStep(const Tracking& tracking, const std::vector<capture::Trial>& trials) {
  const auto& [experiment, calibration, calibration_file, settings, progress] = tracking;
  const tracking::Bench stated = tracking::StatedBench(experiment, calibration);
  const fs::path file = BenchFile(experiment, trials, settings);
  const bool all = file.parent_path() == settings.folder;
  StepRecord record = RecordOf(all ? "bench" : "bench-of/" + trials.front().name, settings);
  Provenance provenance{tracking::kBenchFormat, settings.command, {}};
  AddSharedEntries(experiment, &provenance);
  if (!calibration.cameras.empty()) AddHash(calibration_file, settings, &record, &provenance);
  std::string seen;
  for (const capture::Trial& trial : trials) {
    const fs::path labels = FolderOf(trial, settings) / "labels.json";
    seen += trial.name + (fs::exists(labels) ? " " + record.HashOf(labels) : "") + "\n";
  }
  const std::string key = KeyOf(provenance, seen);
  if (!record.IsDone(key, {file})) {
    tracking::TrialOptions options;
    options.tracking.num_threads = settings.jobs;
    const tracking::BenchEstimate estimate = tracking::EstimateBenchOf(
        experiment, stated, trials,
        [&](const capture::Trial& trial) { return RecordedTrial(tracking, trial); }, options);
    record.Forget();
    tracking::WriteBench(stated, estimate, provenance, file);
    for (const std::string& line : tracking::Surprises(stated, estimate))
      progress->Line("bench: " + line);
    if (estimate.num_impacts > 0 && !estimate.converged)
      progress->Line(
          "bench: the flights and what was typed do not come to rest; what was typed stays");
    record.Finish(key);
  }
  return tracking::ReadBench(file, stated);  // always as a later run will read it
}

}  // namespace

std::vector<capture::Trial> ChooseTrials(const capture::Experiment& experiment,
                                         const std::vector<std::string>& names) {
  if (names.empty()) return experiment.trials;
  std::vector<capture::Trial> trials;
  for (const std::string& name : names) trials.push_back(FindTrial(experiment, name));
  return trials;
}

tracking::Bench BenchOf(const capture::Experiment& experiment,
                        const std::vector<capture::Trial>& trials,
                        const calibration::RigCalibration& calibration,
                        const RunSettings& settings) {
  tracking::Bench stated = tracking::StatedBench(experiment, calibration);
  const fs::path file = BenchFile(experiment, trials, settings);
  return fs::exists(file) ? tracking::ReadBench(file, stated) : stated;
}

void TrackStep(const capture::Experiment& experiment, const std::vector<capture::Trial>& trials,
               const calibration::RigCalibration& calibration, const fs::path& calibration_file,
               const RunSettings& settings, Progress* progress) {
  const std::size_t num_cameras =
      experiment.OneCamera() ? 1 : std::max<std::size_t>(2, experiment.calibration.cameras.size());
  if (experiment.HasVideos() && calibration.cameras.size() != num_cameras) {
    throw InputError(fmt::format("{}: cameras: found {}, allowed for tracking are {}",
                                 calibration_file.string(), calibration.cameras.size(),
                                 num_cameras));
  }
  const Tracking tracking{experiment, calibration, calibration_file, settings, progress};
  const int num_trials = static_cast<int>(trials.size());
  const int at_once = std::min(num_trials, settings.jobs);
  // Throws only for an output folder that cannot be written: nothing to go on with.
  ParallelFor(num_trials, at_once, [&](int k) {
    if (trials[k].motion) return;  // there is nothing to find in trajectories of other systems
    OnTrial(trials[k], [&] { RecordOneTrial(tracking, trials[k], settings.jobs / at_once); });
  });
  StatesStep(experiment, trials, calibration, calibration_file, settings, progress);
}

void StatesStep(const capture::Experiment& experiment, const std::vector<capture::Trial>& trials,
                const calibration::RigCalibration& calibration, const fs::path& calibration_file,
                const RunSettings& settings, Progress* progress) {
  const Tracking tracking{experiment, calibration, calibration_file, settings, progress};
  const tracking::Bench bench = BenchStep(tracking, trials);
  const std::string bench_hash = HashFile(BenchFile(experiment, trials, settings));
  capture::Experiment estimated = experiment;  // once: it holds all trials
  estimated.body = bench.body;
  const int num_trials = static_cast<int>(trials.size());
  std::atomic<int> unchanged = 0;
  ParallelFor(num_trials, std::min(num_trials, settings.jobs), [&](int k) {
    OnTrial(trials[k], [&] {
      if (EstimateOneTrial(tracking, trials[k], bench_hash, bench, estimated)) ++unchanged;
    });
  });
  progress->Unchanged("track", unchanged, num_trials);
}

}  // namespace percuss::pipeline
