// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/error.h"
#include "base/parallel.h"
#include "pipeline/run_steps.h"
#include "pipeline/step_inputs.h"
#include "report/overlay/overlay_video.h"

namespace percuss::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOverlay = "overlay.mp4";
constexpr std::initializer_list<const char*> kVideoFiles = {kOverlay, "film.jpg", "film.json"};
constexpr const char* kOverlayFormat = "percuss overlay 1";

/// What the run says of its trials: read when the first film asks for it, as of thousands that
/// takes seconds.
class Shown {
 public:
  explicit Shown(const fs::path& folder) : folder_(folder) {}

  const report::RunFolder& Run() {
    std::call_once(is_read_, [this] { run_ = report::ReadRunFolder(folder_); });
    return run_;
  }

 private:
  const fs::path& folder_;
  std::once_flag is_read_;
  report::RunFolder run_;
};

/// The film of a trial, and its overlay video where that is asked for.
/// @return whether they were there
bool WriteOneFilm(const capture::Experiment& experiment, const capture::Trial& trial,
                  const RunSettings& settings, Shown* shown, Progress* progress) {
  const fs::path tracks = settings.folder / "tracks" / trial.name, file = tracks / kOverlay;
  const bool is_drop = trial.kind == capture::Trial::Kind::kDrop;
  if (trial.motion || !is_drop || !fs::exists(tracks / "trial.json")) return false;
  if (!trial.tracks.empty()) {
    progress->Line(
        fmt::format("film {}: none: its trial has tracks in place of videos", trial.name));
    return false;
  }
  // trial.json names the hashes of the videos.
  StepRecord record = RecordOf("film/" + trial.name, settings);
  Provenance provenance{kOverlayFormat, settings.command, {}};
  for (const fs::path& input : {settings.folder / "calibration.json", settings.folder / "fit.json",
                                tracks / "trial.json", tracks / "poses.csv"}) {
    if (fs::exists(input)) AddHash(input, settings, &record, &provenance);
  }
  const std::string key = KeyOf(provenance, settings.videos ? "overlay" : "");
  if (record.IsDone(key, settings.videos ? std::vector{file} : std::vector<fs::path>{}))
    return true;
  const report::RunFolder& run = shown->Run();
  const auto found = std::ranges::find(run.trials, trial.name, &report::TrialFacts::name);
  if (found == run.trials.end()) return false;
  const std::vector<report::NamedView> views = report::ViewsOf(run);
  record.Forget();
  RemoveFiles(tracks, kVideoFiles);
  report::TrialVideos videos{.clock = experiment.clock};
  for (std::size_t c = 0; c < views.size(); ++c) videos.files.push_back(trial.Video(c));
  report::OverlayOptions options;
  options.provenance = provenance;
  options.progress = [&](double fraction) {
    progress->Update(fmt::format("film {}", trial.name), fraction);
  };
  report::TrialFacts facts = *found;
  report::ReadShownFacts(&facts);
  std::string problem;
  try {
    problem = settings.videos ? report::WriteOverlayVideo(run, facts, views, videos, file, options)
                              : report::WriteFilmAlone(run, facts, views, videos, tracks, options);
  } catch (const InputError& error) {
    problem = error.what();
  }
  if (problem.empty()) {
    record.Finish(key);
  } else {
    progress->Line(fmt::format("film {}: none: {}", trial.name, problem));
  }
  return false;
}

}  // namespace

void FilmStep(const capture::Experiment& experiment, const RunSettings& settings,
              Progress* progress) {
  if (!experiment.HasVideos() || experiment.OfBall()) return;
  Shown shown(settings.folder);
  const int num_trials = static_cast<int>(experiment.trials.size());
  std::atomic<int> unchanged = 0;
  ParallelFor(num_trials, settings.jobs, [&](int k) {
    OnTrial(experiment.trials[k], [&] {
      if (WriteOneFilm(experiment, experiment.trials[k], settings, &shown, progress)) ++unchanged;
    });
  });
  progress->Unchanged("film", unchanged, num_trials);
}

}  // namespace percuss::pipeline
