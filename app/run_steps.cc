// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/run_steps.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <set>
#include <thread>

#include "app/command.h"
#include "calibration/calibrate.h"
#include "capture/error.h"
#include "fitting/statistics.h"
#include "tracking/track_files.h"
#include "tracking/trial.h"

namespace percuss::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrialFormat = "percuss trial 1";
constexpr const char* kImpactsFormat = "percuss impacts 1";
constexpr const char* kFitFormat = "percuss fit 1";

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
  }
  return seen.size();
}

/// One trial from its videos to its files.
void ProcessOneTrial(const capture::Experiment& experiment, const capture::Trial& trial,
                     const calibration::RigCalibration& calibration,
                     const fs::path& calibration_file, const RunSettings& settings,
                     StepRecord* record, Progress* progress) {
  const fs::path folder = settings.folder / "tracks" / trial.name;
  const std::string step = "track " + trial.name;
  capture::Provenance provenance{kTrialFormat, settings.command, {}};
  AddHash(experiment.file, &provenance);
  AddHash(calibration_file, &provenance);
  bool videos_there = true;
  for (const fs::path& video : {trial.left, trial.right}) {
    if (fs::is_regular_file(video)) {
      AddHash(video, &provenance);
    } else {
      videos_there = false;  // an image sequence, or missing: the tracker says which
    }
  }
  const std::string key =
      KeyOf(provenance, trial.name + "\nstates " + tracking::StateMethodName(settings.states));
  if (videos_there && record->IsDone(step, key, {folder / "trial.json", folder / "impacts.json"})) {
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
  if (result.impacts.empty()) {
    RemoveAll(folder, {"impacts.json"});
  } else {
    tracking::ImpactTable table;
    for (const tracking::TrialImpact& impact : result.impacts)
      table.impacts.push_back(impact.record);
    table.calibration_covariance = calibration.covariance;
    provenance.format = kImpactsFormat;
    tracking::WriteImpactsJson(table, provenance, folder / "impacts.json");
    provenance.format = kTrialFormat;
  }
  tracking::WriteTrial(result, experiment.body, calibration, provenance, folder);
  if (result.status == tracking::TrialResult::Status::kOk) {
    if (videos_there) record->Finish(step, key);
    const tracking::TrialImpact& impact = result.impacts.front();
    progress->Line(fmt::format(
        "track {}: {} of {} markers in {} frames, impact at {:.4f} s, arcs of {} and {} frames, "
        "rms {:.3f} px",
        trial.name, CountSeenMarkers(result.tracked), experiment.body.markers.size(),
        result.tracked.frames.size(), impact.fit.time, impact.fit.arcs[0].frames,
        impact.fit.arcs[1].frames, std::max(impact.fit.arcs[0].rms_px, impact.fit.arcs[1].rms_px)));
    for (const std::string& warning : result.warnings)
      progress->Line(fmt::format("track {}: {}", trial.name, warning));
  }
}

fitting::AuditFinding GravityFinding(const tracking::TrialSummary& summary,
                                     const tracking::TrialSummary::Gravity& arc,
                                     std::size_t num_arcs) {
  const Eigen::Vector3d error = arc.measured - summary.gravity;
  const double chi2 = error.dot(arc.covariance.ldlt().solve(error));
  const double size_sigma =
      std::sqrt(summary.gravity.normalized().dot(arc.covariance * summary.gravity.normalized()));
  const double cosine =
      std::clamp(arc.measured.normalized().dot(summary.gravity.normalized()), -1.0, 1.0);
  fitting::AuditFinding finding;
  finding.check = "gravity";
  finding.trial = summary.trial;
  finding.probability = fitting::ChiSquareSurvival(chi2, 3);
  finding.ok = finding.probability > 0.01 / static_cast<double>(std::max<std::size_t>(num_arcs, 1));
  finding.text = fmt::format(
      "The flight {} the impact shows gravity of {:.3f} +- {:.3f} m/s^2, {:.2f} degrees from the "
      "stated direction; stated {:.3f} m/s^2.",
      arc.arc, arc.measured.norm(), size_sigma, std::acos(cosine) * 180.0 / std::numbers::pi,
      summary.gravity.norm());
  if (!finding.ok) finding.text += " Check frame rate, board size and the slope of the surface.";
  return finding;
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
  const fs::path file = settings.folder / "calibration.json";
  const capture::Provenance provenance = CalibrationProvenance(experiment, settings.command);
  const std::string key = KeyOf(provenance);
  calibration::RigCalibration calibration;
  if (record->IsDone("calibrate", key, {file})) {
    calibration = calibration::ReadCalibration(file);
    progress->Line("calibrate: unchanged");
  } else {
    calibration::CalibrationOptions options;
    options.progress = [&](const std::string& step, double fraction) {
      progress->Update("calibrate: " + step, fraction);
    };
    calibration = calibration::CalibrateRig(experiment, options);
    calibration::WriteCalibration(calibration, provenance, file);
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
  if (calibration.cameras.size() != 2) {
    throw InputError(fmt::format("{}: cameras: found {}, allowed for tracking are 2",
                                 calibration_file.string(), calibration.cameras.size()));
  }
  std::vector<const capture::Trial*> trials;
  if (names.empty()) {
    for (const capture::Trial& trial : experiment.trials) trials.push_back(&trial);
  } else {
    for (const std::string& name : names) trials.push_back(&FindTrial(experiment, name));
  }

  std::atomic<std::size_t> next = 0;
  std::mutex error_mutex;
  std::exception_ptr first_error;
  const auto work = [&] {
    for (std::size_t i = next++; i < trials.size(); i = next++) {
      try {
        ProcessOneTrial(experiment, *trials[i], calibration, calibration_file, settings, record,
                        progress);
      } catch (...) {  // an output folder that cannot be written: nothing to go on with
        const std::lock_guard lock(error_mutex);
        if (!first_error) first_error = std::current_exception();
        next = trials.size();
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 1; i < settings.jobs; ++i) workers.emplace_back(work);
    work();
  }
  if (first_error) std::rethrow_exception(first_error);

  // The table of all trials is put together from the files, in the order of the experiment, so that
  // it does not depend on which were computed now and which before.
  tracking::ImpactTable table;
  table.calibration_covariance = calibration.covariance;
  capture::Provenance provenance{kImpactsFormat, settings.command, {}};
  AddHash(experiment.file, &provenance);
  AddHash(calibration_file, &provenance);
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
    RemoveAll(settings.folder, {"impacts.csv", "impacts.json", "fit.json"});
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

fitting::FitReport FitStep(const capture::Experiment& experiment,
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
  const std::string key = KeyOf(provenance, laws);
  fitting::FitReport report;
  if (record->IsDone("fit", key, {file})) {
    report = fitting::ReadFit(file);
    progress->Line("fit: unchanged");
  } else {
    progress->Update("fit", 0.0);
    fitting::FitOptions options;
    options.laws = settings.laws;
    report.laws = fitting::FitCoefficients(table, experiment.body.body, options);
    std::size_t num_arcs = 0;
    for (const tracking::TrialSummary& summary : summaries)
      num_arcs += summary.measured_gravity.size();
    for (const tracking::TrialSummary& summary : summaries) {
      for (const auto& arc : summary.measured_gravity)
        report.audit.push_back(GravityFinding(summary, arc, num_arcs));
    }
    for (fitting::AuditFinding& finding :
         fitting::AuditImpacts(table, experiment.body.body, report.laws)) {
      report.audit.push_back(std::move(finding));
    }
    fitting::WriteFit(report, provenance, file);
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

}  // namespace percuss::app
