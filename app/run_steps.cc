// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/run_steps.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "app/command.h"
#include "calibration/calibrate.h"
#include "calibration/corner_file.h"
#include "capture/error.h"
#include "capture/parallel.h"
#include "fitting/gravity_audit.h"
#include "fitting/impulse_diagram.h"
#include "fitting/pixel_fit.h"
#include "report/overlay_video.h"
#include "tracking/enhancement.h"
#include "tracking/pictures.h"
#include "tracking/sighting_files.h"
#include "tracking/track_files.h"
#include "tracking/trial.h"

namespace percuss::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrialFormat = "percuss trial 1";
constexpr const char* kSightingsFormat = "percuss sightings 1";
constexpr const char* kSightings = "sightings.json";
constexpr const char* kCornersFormat = "percuss corners 1";
constexpr const char* kPicturesFormat = "percuss pictures 1";
constexpr const char* kOverlay = "overlay.mp4";
constexpr const char* kOverlayFormat = "percuss overlay 1";
constexpr const char* kImpactsFormat = "percuss impacts 1";
constexpr const char* kFitFormat = "percuss fit 1";
constexpr const char* kImpulsesFormat = "percuss impulses 1";

void AddHash(const fs::path& file, capture::Provenance* provenance) {
  provenance->input_hashes.emplace_back(file.generic_string(), capture::HashFile(file));
}

/// The key of a step: a hash of its format and of everything in its provenance but the command
/// line.
std::string KeyOf(const capture::Provenance& provenance, const std::string& settings = {}) {
  std::string text = provenance.format + "\n" + capture::ProgramVersion() + "\n" + settings + "\n";
  for (const auto& [file, hash] : provenance.input_hashes) text += file + " " + hash + "\n";
  return capture::HashText(text);
}

void RemoveAll(const fs::path& folder, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    std::error_code ignored;
    fs::remove(folder / name, ignored);
  }
}

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

/// One trial from its videos or trajectories to its files.
void ProcessOneTrial(const capture::Experiment& experiment, const capture::Trial& trial,
                     const calibration::RigCalibration& calibration,
                     const fs::path& calibration_file, const RunSettings& settings,
                     StepRecord* record, Progress* progress) {
  const fs::path folder = settings.folder / "tracks" / trial.name;
  const std::string step = "track " + trial.name;
  capture::Provenance provenance{kTrialFormat, settings.command, {}};
  AddHash(experiment.file, &provenance);
  if (!trial.motion) AddHash(calibration_file, &provenance);
  const std::vector<fs::path> inputs =
      trial.motion ? std::vector{trial.motion->file} : std::vector{trial.left, trial.right};
  bool inputs_there = true;
  for (const fs::path& input : inputs) {
    if (input.empty()) continue;  // one camera
    if (fs::is_regular_file(input)) {
      AddHash(input, &provenance);
    } else {
      inputs_there = false;  // an image sequence, or missing: the tracker says which
    }
  }
  const std::string key =
      KeyOf(provenance, trial.name + "\nstates " + tracking::StateMethodName(settings.states));
  std::vector<fs::path> outputs = {folder / "trial.json", folder / "impacts.json"};
  if (settings.fit_pixels) outputs.push_back(folder / kSightings);
  if (!settings.enhanced_every && inputs_there && record->IsDone(step, key, outputs)) {
    progress->Line(fmt::format("track {}: unchanged", trial.name));
    return;
  }

  tracking::TrialOptions options;
  options.states = settings.states;
  options.tracking.progress = [&](const std::string& what, double fraction) {
    progress->Update(fmt::format("track {}: {}", trial.name, what), fraction);
  };
  const tracking::TrialResult result =
      tracking::ProcessTrial(experiment, trial, calibration, options);
  record->Forget(step);
  RemoveAll(folder, {kOverlay});  // shows what was tracked before
  if (result.impacts.empty()) {
    RemoveAll(folder, {"impacts.json", kSightings});
  } else {
    tracking::ImpactTable table;
    std::vector<tracking::FittedArcs> arcs;
    for (const tracking::TrialImpact& impact : result.impacts) {
      table.impacts.push_back(impact.record);
      table.impacts.back().extra.insert(trial.group.begin(), trial.group.end());
      arcs.push_back(impact.fit.arcs_fitted);
    }
    provenance.format = kSightingsFormat;
    tracking::WriteSightings(arcs, provenance, folder / kSightings);
    table.calibration_covariance = calibration.covariance;
    provenance.format = kImpactsFormat;
    tracking::WriteImpactsJson(table, provenance, folder / "impacts.json");
    provenance.format = kTrialFormat;
  }
  provenance.format = kPicturesFormat;
  tracking::WritePictures(experiment, trial, result, calibration, provenance, folder / "pictures");
  provenance.format = kTrialFormat;
  if (settings.enhanced_every && result.status != tracking::TrialResult::Status::kBadInput &&
      !trial.motion) {
    const double diameter_px = tracking::ExpectedMarkerDiameter(tracking::ViewsOf(calibration),
                                                                experiment.body.marker_diameter);
    tracking::WriteEnhanced(experiment, trial, result.tracked, diameter_px, result.tracked.polarity,
                            *settings.enhanced_every, folder / "enhanced");
  }
  tracking::WriteTrial(result, experiment.body, calibration, provenance, folder);
  if (result.status == tracking::TrialResult::Status::kOk) {
    if (inputs_there) record->Finish(step, key);
    progress->Line(TrialLine(experiment, trial, result));
    for (const std::string& warning : result.warnings)
      progress->Line(fmt::format("track {}: {}", trial.name, warning));
  }
}

std::vector<fitting::FlightGravity> FlightsOf(
    const std::vector<tracking::TrialSummary>& summaries) {
  std::vector<fitting::FlightGravity> flights;
  for (const tracking::TrialSummary& summary : summaries) {
    for (const auto& arc : summary.measured_gravity)
      flights.push_back({summary.trial, arc.arc, summary.gravity, arc.measured, arc.covariance});
  }
  return flights;
}

std::vector<std::string> GroupColumns(const capture::Experiment& experiment) {
  std::set<std::string> columns;
  for (const capture::Trial& trial : experiment.trials) {
    for (const auto& [column, group] : trial.group) columns.insert(column);
  }
  return {columns.begin(), columns.end()};
}

}  // namespace

int Outcome::ExitCode() const {
  return bad_input_ ? kExitBadInput : no_answer_ ? kExitNoAnswer : kExitOk;
}

void CheckOutputFolder(const fs::path& folder) {
  if (fs::exists(folder) && !fs::is_directory(folder)) {
    throw InputError(
        fmt::format("--output: found {}, which is a file; allowed is a folder", folder.string()));
  }
}

capture::Provenance CalibrationProvenance(const capture::Experiment& experiment,
                                          const std::string& command) {
  capture::Provenance provenance{calibration::kCalibrationFormat, command, {}};
  AddHash(experiment.file, &provenance);
  for (const capture::CalibrationCamera& camera : experiment.calibration.cameras) {
    for (const fs::path& image : camera.images) AddHash(image, &provenance);
  }
  for (const capture::CalibrationCamera& camera : experiment.calibration.cameras) {
    if (!camera.surface.empty()) AddHash(camera.surface, &provenance);
  }
  return provenance;
}

std::string LeftOutLine(const calibration::ViewReport& view) {
  return fmt::format("left out: {}: {}", calibration::FilesOf(view), view.reason);
}

calibration::RigCalibration CalibrateStep(const capture::Experiment& experiment,
                                          const RunSettings& settings, StepRecord* record,
                                          Progress* progress, Outcome* outcome) {
  const fs::path file = settings.folder / "calibration.json",
                 corner_file = settings.folder / "corners.csv";
  capture::Provenance provenance = CalibrationProvenance(experiment, settings.command);
  const std::string key = KeyOf(provenance);
  calibration::RigCalibration calibration;
  if (record->IsDone("calibrate", key, {file, corner_file})) {
    calibration = calibration::ReadCalibration(file);
    progress->Line("calibrate: unchanged");
  } else {
    calibration::CalibrationOptions options;
    options.progress = [&](const std::string& step, double fraction) {
      progress->Update("calibrate: " + step, fraction);
    };
    std::vector<calibration::MeasuredResidual> corners;
    calibration = calibration::CalibrateRig(experiment, options, &corners);
    calibration::WriteCalibration(calibration, provenance, file);
    provenance.format = kCornersFormat;
    calibration::WriteCorners(corners, calibration, provenance, corner_file);
    record->Finish("calibrate", key);
    progress->Line(
        fmt::format("calibrate: {} corners, rms {:.3f} px, held out {:.3f} px, verdict {}",
                    calibration.num_corners, calibration.rms_px,
                    calibration.quality.held_out.rms_px, calibration.verdict));
  }
  for (const calibration::ViewReport& view : calibration.views) {
    if (view.used) continue;
    outcome->NoAnswer();
    progress->Line("percuss: calibrate: " + LeftOutLine(view));
  }
  return calibration;
}

tracking::ImpactTable TrackStep(const capture::Experiment& experiment,
                                const calibration::RigCalibration& calibration,
                                const fs::path& calibration_file,
                                const std::vector<std::string>& names, const RunSettings& settings,
                                StepRecord* record, Progress* progress, Outcome* outcome) {
  const std::size_t num_cameras = experiment.planar ? 1 : 2;
  if (experiment.HasVideos() && calibration.cameras.size() != num_cameras) {
    throw InputError(fmt::format("{}: cameras: found {}, allowed for tracking are {}",
                                 calibration_file.string(), calibration.cameras.size(),
                                 experiment.planar ? "1 with planar: true" : "2"));
  }
  std::vector<const capture::Trial*> trials;
  if (names.empty()) {
    for (const capture::Trial& trial : experiment.trials) trials.push_back(&trial);
  } else {
    for (const std::string& name : names) trials.push_back(&FindTrial(experiment, name));
  }

  // Throws only for an output folder that cannot be written: nothing to go on with.
  capture::ParallelFor(static_cast<int>(trials.size()), settings.jobs, [&](int k) {
    ProcessOneTrial(experiment, *trials[static_cast<std::size_t>(k)], calibration, calibration_file,
                    settings, record, progress);
  });

  // The table of all trials is put together from the files, in the order of the experiment, so that
  // it does not depend on which were computed now and which before.
  tracking::ImpactTable table;
  table.calibration_covariance = calibration.covariance;
  capture::Provenance provenance{kImpactsFormat, settings.command, {}};
  AddHash(experiment.file, &provenance);
  if (experiment.HasVideos()) AddHash(calibration_file, &provenance);
  std::string message;
  for (const capture::Trial* trial : trials) {
    const fs::path folder = settings.folder / "tracks" / trial->name;
    const tracking::TrialSummary summary = tracking::ReadTrialSummary(folder / "trial.json");
    if (summary.status != tracking::TrialResult::Status::kOk) {
      summary.status == tracking::TrialResult::Status::kBadInput ? outcome->BadInput()
                                                                 : outcome->NoAnswer();
      if (trials.size() > 1) progress->Line("percuss: " + summary.message);
      message = summary.message;
      continue;
    }
    AddHash(folder / "impacts.json", &provenance);
    for (tracking::ImpactRecord& impact : tracking::ReadImpacts(folder / "impacts.json").impacts) {
      table.impacts.push_back(std::move(impact));
    }
  }
  if (table.impacts.empty()) {
    RemoveAll(settings.folder, {"impacts.csv", "impacts.json", "fit.json", "impulses.json"});
    if (trials.size() > 1)
      message = fmt::format("none of the {} trials gave an impact", trials.size());
    if (outcome->ExitCode() == kExitBadInput) throw InputError(message);
    throw DataError(message);
  }
  // Written again only for new content: the fit depends on the file, which names the command line.
  const fs::path csv = settings.folder / "impacts.csv", json = settings.folder / "impacts.json";
  const std::string key = KeyOf(provenance);
  if (!record->IsDone("impacts", key, {csv, json})) {
    tracking::WriteImpactsCsv(table, provenance, csv);
    tracking::WriteImpactsJson(table, provenance, json);
    record->Finish("impacts", key);
  }
  return table;
}

namespace {

// The fit of each law to the sightings of the trials that it could use.
std::vector<fitting::PixelFit> FitPixels(const capture::Experiment& experiment,
                                         const calibration::RigCalibration& calibration,
                                         const std::vector<fitting::LawFit>& fits,
                                         const fs::path& tracks) {
  std::map<std::string, fitting::PixelTrial> trials;  // by the name of the impact
  for (const capture::Trial& trial : experiment.trials) {
    const fs::path folder = tracks / trial.name;
    if (!fs::exists(folder / kSightings)) continue;
    const auto arcs = tracking::ReadSightings(folder / kSightings);
    const auto impacts = tracking::ReadImpacts(folder / "impacts.json").impacts;
    for (std::size_t i = 0; i < std::min(arcs.size(), impacts.size()); ++i)
      trials[impacts[i].trial] = {impacts[i], arcs[i]};
  }
  const tracking::MarkerLayout layout = tracking::LayoutOf(experiment.body);
  std::vector<fitting::PixelFit> pixel_fits;
  for (const fitting::LawFit& fit : fits) {
    std::vector<fitting::PixelTrial> used;
    for (const fitting::TrialComparison& trial : fit.trials) {
      const auto found = trials.find(trial.trial);
      if (trial.used && found != trials.end()) used.push_back(found->second);
    }
    Eigen::VectorXd start(static_cast<Eigen::Index>(fit.parameters.size()));
    for (Eigen::Index i = 0; i < start.size(); ++i)
      start[i] = fit.parameters[static_cast<std::size_t>(i)].best;
    if (!fit.converged || !start.allFinite()) continue;
    pixel_fits.push_back(
        fitting::FitPixels(used, fit.law, start, experiment.body.body, layout, calibration));
  }
  return pixel_fits;
}

}  // namespace

fitting::FitReport FitStep(const capture::Experiment& experiment,
                           const calibration::RigCalibration& calibration,
                           const tracking::ImpactTable& table, const RunSettings& settings,
                           StepRecord* record, Progress* progress, Outcome* outcome) {
  const fs::path file = settings.folder / "fit.json";
  capture::Provenance provenance{kFitFormat, settings.command, {}};
  AddHash(experiment.file, &provenance);
  AddHash(settings.folder / "impacts.json", &provenance);
  std::vector<tracking::TrialSummary> summaries;
  for (const capture::Trial& trial : experiment.trials) {
    const fs::path summary = settings.folder / "tracks" / trial.name / "trial.json";
    if (fs::exists(summary)) summaries.push_back(tracking::ReadTrialSummary(summary));
  }
  std::string laws;
  for (const std::string& law : settings.laws) laws += law + " ";
  if (settings.fit_pixels) laws += "\npixels";
  const std::string key = KeyOf(provenance, laws);
  fitting::FitReport report;
  const fs::path impulses = settings.folder / "impulses.json";
  if (record->IsDone("fit", key, {file, impulses})) {
    report = fitting::ReadFit(file);
    progress->Line("fit: unchanged");
  } else {
    progress->Update("fit", 0.0);
    fitting::FitOptions options;
    options.laws = settings.laws;
    report.laws = fitting::FitCoefficients(table, experiment.body.body, options);
    report.audit = fitting::AuditGravity(FlightsOf(summaries));
    for (fitting::AuditFinding& finding :
         fitting::AuditImpacts(table, experiment.body.body, report.laws)) {
      report.audit.push_back(std::move(finding));
    }
    if (settings.fit_pixels) {
      progress->Update("fit to the pixels", 0.0);
      report.pixels = FitPixels(experiment, calibration, report.laws, settings.folder / "tracks");
    }
    for (const fitting::LawFit& law : report.laws)
      report.next_drop.push_back(fitting::AdviseNextDrop(law, table, experiment.body.body));
    const capture::BodySigmas& sigma = experiment.body.sigma;
    report.error_budget = fitting::CalcErrorBudget(
        report.laws.front(), table, experiment.body.body,
        {.mass = sigma.mass, .dimension = sigma.length, .tilt = sigma.tilt});
    report.repeatability = fitting::StudyRepeatability(
        table, experiment.body.body, report.laws.front().law, GroupColumns(experiment));
    fitting::WriteFit(report, provenance, file);
    std::vector<fitting::LawDiagrams> diagrams;
    for (const fitting::LawFit& law : report.laws)
      diagrams.push_back({law.law, fitting::CalcImpulseDiagrams(table, experiment.body.body, law)});
    provenance.format = kImpulsesFormat;
    fitting::WriteImpulseDiagrams(diagrams, provenance, impulses);
    record->Finish("fit", key);
  }
  if (std::none_of(report.laws.begin(), report.laws.end(),
                   [](const fitting::LawFit& law) { return law.converged; })) {
    outcome->NoAnswer();
    for (const fitting::LawFit& law : report.laws)
      progress->Line(fmt::format("percuss: fit: {}: {}", law.law, law.message));
  }
  return report;
}

namespace {

void WriteOneVideo(const capture::Experiment& experiment, const capture::Trial& trial,
                   const report::RunFolder& run, const std::vector<report::NamedView>& views,
                   const fs::path& folder, StepRecord* record, Progress* progress) {
  const auto facts = std::ranges::find(run.trials, trial.name, &report::TrialFacts::name);
  if (trial.motion || facts == run.trials.end()) return;
  const fs::path tracks = folder / "tracks" / trial.name, file = tracks / kOverlay;
  // trial.json names the hashes of the videos.
  capture::Provenance provenance{kOverlayFormat, "", {}};
  for (const fs::path& input : {folder / "calibration.json", folder / "fit.json",
                                tracks / "trial.json", tracks / "poses.csv"}) {
    if (fs::exists(input)) AddHash(input, &provenance);
  }
  const std::string step = "video " + trial.name, key = KeyOf(provenance);
  if (record->IsDone(step, key, {file})) {
    progress->Line(fmt::format("video {}: unchanged", trial.name));
    return;
  }
  record->Forget(step);
  RemoveAll(tracks, {kOverlay});
  report::TrialVideos videos{.files = {trial.left},
                             .fallback_rate = experiment.frame_rate.value_or(0.0)};
  if (!trial.right.empty()) videos.files.push_back(trial.right);
  report::OverlayOptions options;
  options.progress = [&](double fraction) {
    progress->Update(fmt::format("video {}", trial.name), fraction);
  };
  std::string problem;
  try {
    problem = report::WriteOverlayVideo(run, *facts, views, videos, file, options);
  } catch (const InputError& error) {
    problem = error.what();
  }
  if (problem.empty()) {
    record->Finish(step, key);
  } else {
    progress->Line(fmt::format("video {}: none: {}", trial.name, problem));
  }
}

}  // namespace

void VideoStep(const capture::Experiment& experiment, const RunSettings& settings,
               StepRecord* record, Progress* progress) {
  if (!experiment.HasVideos()) return;
  const report::RunFolder run = report::ReadRunFolder(settings.folder);
  const std::vector<report::NamedView> views = report::ReadViews(run);
  capture::ParallelFor(static_cast<int>(experiment.trials.size()), settings.jobs, [&](int k) {
    WriteOneVideo(experiment, experiment.trials[static_cast<std::size_t>(k)], run, views,
                  settings.folder, record, progress);
  });
}

void RemoveVideos(const capture::Experiment& experiment, const fs::path& folder) {
  for (const capture::Trial& trial : experiment.trials)
    RemoveAll(folder / "tracks" / trial.name, {kOverlay});
}

}  // namespace percuss::app
