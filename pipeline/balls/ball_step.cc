// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/balls/ball_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <variant>

#include "base/error.h"
#include "base/parallel.h"
#include "base/text/json_text.h"
#include "base/text/numbers.h"
#include "impacts/impact_files.h"
#include "pipeline/bounces/bounce_clip.h"
#include "pipeline/bounces/bounce_impacts.h"
#include "pipeline/space/space_bounces.h"
#include "pipeline/step_inputs.h"
#include "tracking/track_files.h"

namespace percuss::pipeline {
namespace {

namespace fs = std::filesystem;
using Kind = capture::MotionSource::Kind;

constexpr const char* kBallTrialFormat = "percuss trial 1";

/// What is shared by all trials of the step.
struct BallTrials {
  const capture::Experiment& experiment;
  const fs::path& calibration_file;
  const RunSettings& settings;
  Progress* progress;
};

/// What became of one trial.
struct BallResult {
  tracking::TrialResult::Status status = tracking::TrialResult::Status::kOk;
  std::string message;  ///< why there are no bounces
  std::string line;     ///< what was found
  std::size_t frames = 0;
  std::vector<double> frame_times;  ///< of a clip [s]
  tracking::BounceFit fit;
  CommonValue e;
  impacts::ImpactTable impacts;
  std::vector<std::string> warnings;
};

const char* SourceOf(const capture::Trial& trial) {
  if (!trial.motion) return "videos";
  return trial.motion->kind == Kind::kClip ? "clip" : "table";
}

SpaceOptions SpaceOptionsOf(const capture::Experiment& experiment, const capture::Trial& trial) {
  SpaceOptions space;
  space.up = -trial.gravity;
  // Read off a picture that both show, where no sigma is stated: half a frame of 30 frames/s.
  constexpr double kReadOff = 0.015;
  const capture::Synchronisation& known = experiment.synchronisation;
  if (known.offset)
    space.clock_offset = {*known.offset, known.offset_sigma > 0.0 ? known.offset_sigma : kReadOff};
  return space;
}

void Take(const BounceClip& clip, BallResult* result) {
  result->fit = clip.fit;
  result->e = clip.mean;
  result->warnings = clip.warnings;
}

BallResult MeasureClip(const BallTrials& all, const capture::Trial& trial,
                       const BounceOptions& options, const fs::path& folder) {
  const fs::path& file = trial.motion->file;
  const BounceClip clip = MeasureBounces(file, options, nullptr);
  BallResult result;
  Take(clip, &result);
  result.line = BallLine(clip);
  result.frames = clip.survey.times.size();
  result.frame_times = clip.survey.times;
  WriteBounces(clip, file, folder, all.settings.command, all.settings.videos);
  const ClipBounces bounces{.name = trial.name, .fit = &clip.fit, .radius = clip.scale.radius};
  result.impacts = ImpactsOfBounces(std::span(&bounces, 1), true);
  return result;
}

/// The ball falls along -z of the surface frame, unless a table has other axes than stated.
void CheckAxes(const std::string& file, const tracking::BounceFit& fit) {
  constexpr double kFar = 0.94;  // 20 degrees
  const Eigen::Vector3d down = fit.ball.gravity.normalized();
  if (-down.z() > kFar) return;
  const Eigen::Vector3d shown = (10.0 * down).array().round() / 10.0 + 0.0;  // no -0
  throw DataError(
      fmt::format("{}: the ball falls along ({:.1f}, {:.1f}, {:.1f}), allowed -z of the surface: "
                  "state axes for the trial, such as [x, -z, y] where the table's y points up",
                  file, shown.x(), shown.y(), shown.z()));
}

SpaceBounces MeasureInSpace(const BallTrials& all, const capture::Trial& trial,
                            BounceOptions options) {
  const SpaceOptions space = SpaceOptionsOf(all.experiment, trial);
  if (!trial.motion) {
    options.lens = all.calibration_file;
    return MeasureTwoClips({trial.left, trial.right}, options, space, nullptr);
  }
  // The axes are checked before they are believed.
  SpaceOptions free = space;
  free.up.reset();
  CheckAxes(trial.motion->file.string(), MeasureTable(*trial.motion, options, free).clip.fit);
  return MeasureTable(*trial.motion, options, space);
}

BallResult MeasureTrial(const BallTrials& all, const capture::Trial& trial,
                        const BounceOptions& options, const fs::path& folder) {
  if (trial.motion && trial.motion->kind == Kind::kClip)
    return MeasureClip(all, trial, options, folder);
  const SpaceBounces bounces = MeasureInSpace(all, trial, options);
  BallResult result;
  Take(bounces.clip, &result);
  result.line = SpaceLine(bounces);
  result.frames = trial.motion ? bounces.count : bounces.clip.survey.times.size();
  result.frame_times = bounces.clip.survey.times;
  WriteSpaceBounces(bounces, folder, all.settings.command);
  result.impacts = ImpactsOfSpace(bounces, trial.name);
  return result;
}

/// A bad trial stops itself alone.
BallResult TryTrial(const BallTrials& all, const capture::Trial& trial,
                    const BounceOptions& options, const fs::path& folder) {
  BallResult result;
  try {
    return MeasureTrial(all, trial, options, folder);
  } catch (const DataError& error) {
    result.message = fmt::format("trial {}: {}", trial.name, error.what());
    result.status = tracking::TrialResult::Status::kNoAnswer;
  } catch (const std::bad_alloc&) {
    throw;                                 // of the machine, and not of the trial
  } catch (const std::exception& error) {  // also of a video that the decoder chokes on
    result.message = fmt::format("trial {}: {}", trial.name, error.what());
    result.status = tracking::TrialResult::Status::kBadInput;
  }
  return result;
}

/// Number of a frame at a time, with its fraction; NaN where there are no frames.
double FrameAtTime(const std::vector<double>& times, double time) {
  if (times.size() < 2) return kNaN;
  const auto last = std::ranges::upper_bound(times.begin() + 1, times.end() - 1, time);
  const auto k = static_cast<double>(last - times.begin());
  return k - (*last - time) / (*last - *(last - 1));
}

std::string TrialJson(const capture::Trial& trial, const BallResult& result,
                      const Provenance& provenance) {
  nlohmann::ordered_json json = JsonHead(provenance.format, provenance);
  json["trial"] = trial.name;
  json["status"] = tracking::StatusName(result.status);
  json["message"] = result.message;
  json["frames"] = result.frames;
  json["warnings"] = result.warnings;
  json["ball"] = {{"source", SourceOf(trial)}};
  if (result.impacts.impacts.empty()) return JsonText(json, 1);
  const tracking::BounceFit& fit = result.fit;
  json["ball"]["e"] = {{"value", result.e.mean.value}, {"sigma", result.e.mean.sigma}};
  json["ball"]["rms_px"] = fit.rms_px;
  for (const impacts::ImpactRecord& impact : result.impacts.impacts) {
    json["impacts"].push_back({{"impact",
                                {{"time", impact.time},
                                 {"time_sigma", impact.time_sigma},
                                 {"frame", FrameAtTime(result.frame_times, impact.time)}}}});
  }
  return JsonText(json, 1);
}

/// @return whether its files were there
bool MeasureOneTrial(const BallTrials& all, const capture::Trial& trial, int num_threads) {
  const auto& [experiment, calibration_file, settings, progress] = all;
  const fs::path folder = settings.folder / "tracks" / trial.name;
  StepRecord record = RecordOf("tracks/" + trial.name, settings);
  Provenance provenance{kBallTrialFormat, settings.command, {}};
  AddTrialEntry(experiment, trial, &provenance);
  if (!trial.motion) AddHash(calibration_file, settings, &record, &provenance);
  const bool inputs_there = AddTrialFiles(trial, settings, &record, &provenance);
  const bool clip = trial.motion && trial.motion->kind == Kind::kClip;
  const std::string key = KeyOf(provenance, clip && settings.videos ? "overlay" : "");
  if (inputs_there && record.IsDone(key, {folder / "trial.json"})) return true;
  progress->Update(fmt::format("track {}: measure the ball", trial.name), 0.0);
  record.Forget();
  RemoveFiles(folder, {"impacts.json", "body.yaml", "bounces.csv", "bounce.json", "flights.csv",
                       "path.jpg", "overlay.mp4", "report.html", "report.md"});
  BounceOptions options = BounceOptionsOf(experiment, trial);
  options.jobs = num_threads;
  BallResult result = TryTrial(all, trial, options, folder);
  if (const std::string changed = record.ChangedInput(); !changed.empty()) {
    result = {};
    result.status = tracking::TrialResult::Status::kBadInput;
    result.message = fmt::format("trial {}: {}", trial.name, changed);
  }
  WriteIfChanged(folder / "trial.json", TrialJson(trial, result, provenance));
  if (result.message.empty()) {
    for (impacts::ImpactRecord& impact : result.impacts.impacts)
      impact.extra.insert(trial.group.begin(), trial.group.end());
    provenance.format = kImpactsFormat;
    impacts::WriteImpactsJson(result.impacts, provenance, folder / kImpactsFile);
    progress->Line(
        fmt::format("track {}: {}; e {}", trial.name, result.line, FormatWithSigma(result.e.mean)));
    for (const std::string& warning : result.warnings)
      progress->Line(fmt::format("track {}: {}", trial.name, warning));
  }
  // What could not be read or written may be the next time: the disc was full, a copy under way.
  if (inputs_there && result.status != tracking::TrialResult::Status::kBadInput) record.Finish(key);
  return false;
}

}  // namespace

BounceOptions BounceOptionsOf(const capture::Experiment& experiment, const capture::Trial& trial) {
  const capture::MarkedBody& body = experiment.body;
  const double radius = std::get<solver::Sphere>(body.body.shape).radius, mass = body.body.mass;
  const double factor = body.body.inertia(0, 0) / (mass * radius * radius);
  BounceOptions options;
  options.clock = experiment.clock;
  if (trial.motion && trial.motion->frame_rate)
    options.clock = {.frame_rate = trial.motion->frame_rate,
                     .time_base = capture::TimeBase::kStated};
  options.tone = experiment.tone;
  options.scale.diameter = {2.0 * radius, 2.0 * body.sigma.length};
  options.mass = {mass, body.sigma.mass};
  options.inertia_factor = {factor, factor * body.sigma.inertia};
  if (trial.motion) options.ball = trial.motion->ball;
  if (experiment.gravity_sigma_stated)
    options.level_sigma = experiment.gravity_sigma / trial.gravity.norm();
  return options;
}

void BallStep(const capture::Experiment& experiment, const std::vector<capture::Trial>& trials,
              const fs::path& calibration_file, const RunSettings& settings, Progress* progress) {
  const auto refuse = [&](bool given, const std::string& option) {
    if (given)
      throw InputError(fmt::format("{}: found a ball without markers in {}, allowed without it",
                                   option, experiment.file.string()));
  };
  refuse(settings.fit_pixels, "--fit pixels");
  refuse(settings.states != tracking::StateMethod::kArcs, "--states");
  refuse(settings.enhanced_every.has_value(), "--enhanced");
  RemoveFiles(settings.folder, {"bench.json"});  // of another experiment file
  const BallTrials all{experiment, calibration_file, settings, progress};
  const int num_trials = static_cast<int>(trials.size());
  const int at_once = std::min(num_trials, settings.jobs);
  std::atomic<int> unchanged = 0;
  ParallelFor(num_trials, at_once, [&](int k) {
    OnTrial(trials[k], [&] {
      if (MeasureOneTrial(all, trials[k], settings.jobs / at_once)) ++unchanged;
    });
  });
  progress->Unchanged("track", unchanged, num_trials);
}

}  // namespace percuss::pipeline
