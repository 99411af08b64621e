// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/run_steps.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>

#include "base/error.h"
#include "base/parallel.h"
#include "base/text/json_text.h"
#include "base/text/numbers.h"
#include "calibration/calibrate.h"
#include "calibration/corner_file.h"
#include "capture/experiment/ball_trials.h"
#include "fitting/fit_report.h"
#include "fitting/impulse_diagram.h"
#include "impacts/joined_tables.h"
#include "pipeline/experiment_summary.h"
#include "pipeline/laws_so_far.h"
#include "pipeline/pixel_fit.h"
#include "pipeline/step_inputs.h"
#include "report/report.h"
#include "solver/solve_impact.h"
#include "tracking/bounces/bounce_numbers.h"
#include "tracking/sighting_files.h"

namespace percuss::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSightings = "sightings.json";
constexpr const char* kCornersFormat = "percuss corners 1";
constexpr const char* kRunFormat = "percuss run 1";

}  // namespace

void CheckOutputFolder(const fs::path& folder) {
  if (fs::exists(folder) && !fs::is_directory(folder)) {
    throw InputError(
        fmt::format("--output: found {}, which is a file; allowed is a folder", folder.string()));
  }
}

Provenance CalibrationProvenance(const capture::Experiment& experiment, const std::string& command,
                                 const std::function<std::string(const fs::path&)>& hash) {
  Provenance provenance{calibration::kCalibrationFormat, command, {}};
  AddSharedEntries(experiment, &provenance);
  const auto add = [&](const fs::path& image) {
    provenance.input_hashes.emplace_back(NameFrom(experiment.file.parent_path(), image),
                                         hash(image));
  };
  for (const fs::path& file : experiment.calibration.file.files) add(file);
  for (const capture::CalibrationCamera& camera : experiment.calibration.cameras) {
    for (const fs::path& image : camera.images) add(image);
  }
  for (const capture::CalibrationCamera& camera : experiment.calibration.cameras) {
    if (!camera.surface.empty()) add(camera.surface);
  }
  for (const capture::TrialSurface& surface : experiment.OwnSurfaces()) {
    for (const fs::path& picture : surface.pictures) {
      if (fs::exists(picture)) add(picture);  // else only its trials cannot be used
    }
  }
  return provenance;
}

void WriteRunFile(const capture::Experiment& experiment, const RunSettings& settings,
                  const std::vector<std::string>& notes) {
  nlohmann::json trials = nlohmann::json::array();
  for (const capture::Trial& trial : experiment.trials) trials.push_back(trial.name);
  nlohmann::json document = {{"format", kRunFormat},
                             {"program", "percuss " + ProgramVersion()},
                             {"command", settings.command},
                             {"name", experiment.name},
                             {"trials", trials},
                             {"experiment", SummariseExperiment(experiment)}};
  if (!notes.empty()) document["notes"] = notes;
  WriteIfChanged(settings.folder / "run.json", JsonText(document, 1));
}

std::string LeftOutLine(const calibration::ViewReport& view) {
  return fmt::format("left out: {}: {}", calibration::FilesOf(view), view.reason);
}

std::string SurfaceLine(const calibration::SurfacePlane& surface,
                        const Eigen::MatrixXd& covariance) {
  if (!surface.reason.empty()) return fmt::format("surface {}: {}", surface.name, surface.reason);
  constexpr double kDegrees = 180.0 / std::numbers::pi;
  const Eigen::Vector3d across = Eigen::Vector3d::UnitZ().cross(surface.normal);
  const Eigen::Vector3d axis =
      across.norm() > 1e-6 ? across.normalized() : Eigen::Vector3d(Eigen::Vector3d::UnitY());
  const Eigen::Matrix3d tilt =
      surface.tilt_covariance + surface.tilt_by_rig * covariance * surface.tilt_by_rig.transpose();
  return fmt::format("surface {}: {} deg from that of the calibration", surface.name,
                     FormatWithSigma(kDegrees * std::atan2(across.norm(), surface.normal.z()),
                                     kDegrees * std::sqrt(axis.dot(tilt * axis))));
}

calibration::RigCalibration CalibrateStep(const capture::Experiment& experiment,
                                          const RunSettings& settings, Progress* progress,
                                          Outcome* outcome) {
  const fs::path file = settings.folder / "calibration.json",
                 corner_file = settings.folder / "corners.csv";
  StepRecord record = RecordOf("calibrate", settings);
  Provenance provenance = CalibrationProvenance(
      experiment, settings.command, [&](const fs::path& image) { return record.HashOf(image); });
  const std::string key = KeyOf(provenance, "");
  calibration::RigCalibration calibration;
  if (record.IsDone(key, {file, corner_file})) {
    calibration = calibration::ReadCalibration(file);
    progress->Line("calibrate: unchanged");
  } else {
    calibration::CalibrationOptions options;
    options.num_threads = settings.jobs;
    options.progress = [&](const std::string& step, double fraction) {
      progress->Update("calibrate: " + step, fraction);
    };
    std::vector<calibration::MeasuredResidual> corners;
    calibration = calibration::CalibrateRig(experiment, options, &corners);
    record.Forget();
    calibration::WriteCalibration(calibration, provenance, file);
    provenance.format = kCornersFormat;
    calibration::WriteCorners(corners, calibration, provenance, corner_file);
    record.Finish(key);
    progress->Line(
        calibration.source.empty()
            ? fmt::format("calibrate: {} corners, rms {:.3f} px, held out {:.3f} px, verdict {}",
                          calibration.num_corners, calibration.rms_px,
                          calibration.quality.held_out.rms_px, calibration.verdict)
            : fmt::format("calibrate: cameras of {}; {} corners on the surface, rms {:.3f} px, "
                          "verdict {}",
                          calibration.source, calibration.num_corners, calibration.rms_px,
                          calibration.verdict));
    for (const std::string& note : calibration.notes) progress->Line("calibrate: " + note);
    for (const calibration::SurfacePlane& surface : calibration.surfaces)
      progress->Line("calibrate: " + SurfaceLine(surface, calibration.covariance));
  }
  for (const calibration::ViewReport& view : calibration.views) {
    // Frames of a video are the program's own choice.
    if (view.used || experiment.calibration.FromVideos()) continue;
    outcome->NoAnswer();
    progress->Line("percuss: calibrate: " + LeftOutLine(view));
  }
  return calibration;
}

std::vector<tracking::TrialSummary> ReadSummaries(const std::vector<capture::Trial>& trials,
                                                  const RunSettings& settings) {
  std::vector<tracking::TrialSummary> summaries(trials.size());
  ParallelFor(static_cast<int>(trials.size()), settings.jobs, [&](int k) {
    summaries[k] =
        tracking::ReadTrialSummary(settings.folder / "tracks" / trials[k].name / "trial.json");
  });
  return summaries;
}

void GatherStep(const std::vector<capture::Trial>& trials, const tracking::Bench& bench,
                const fs::path& calibration_file, const RunSettings& settings, Progress* progress,
                Outcome* outcome) {
  StepRecord record = RecordOf("gather", settings);
  std::vector<fs::path> files;
  std::string message;
  for (const tracking::TrialSummary& summary : ReadSummaries(trials, settings)) {
    if (summary.status == tracking::TrialResult::Status::kOk) {
      if (summary.slide) continue;
      files.push_back(settings.folder / "tracks" / summary.trial / "impacts.json");
      continue;
    }
    summary.status == tracking::TrialResult::Status::kBadInput ? outcome->BadInput()
                                                               : outcome->NoAnswer();
    message = summary.message;
    if (trials.size() > 1) progress->Line("percuss: " + message);
  }
  if (files.empty()) {
    record.Forget();
    RemoveFiles(settings.folder, {"impacts.csv", "impacts.json", "fit.json", "impulses.json"});
    const std::size_t drops = CountDrops(trials);
    if (drops == 0) {
      if (trials.size() == 1 && !message.empty()) progress->Line("percuss: " + message);
      return;
    }
    if (trials.size() > 1) message = fmt::format("none of the {} trials gave an impact", drops);
    if (outcome->ExitCode() == kExitBadInput) throw InputError(message);
    throw DataError(message);
  }
  // From the files, in the order of the experiment: the same whichever were made just now.
  Provenance provenance{kImpactsFormat, settings.command, {}};
  if (!bench.calibration.cameras.empty()) AddHash(calibration_file, settings, &record, &provenance);
  for (const fs::path& file : files) AddHash(file, settings, &record, &provenance);
  // Written again only for new content: the fit depends on the file, which names the command line.
  const fs::path csv = settings.folder / "impacts.csv", json = settings.folder / "impacts.json";
  // The ratios in impacts.csv depend on the mass, which the files of the trials do not hold.
  const std::string key = KeyOf(provenance, fmt::format("mass {}", bench.body.body.mass));
  if (record.IsDone(key, {csv, json})) return;
  impacts::ImpactTable table = bench.EmptyTable();
  if (capture::IsBallTrial(trials.front(), bench.body)) {
    std::vector<impacts::ImpactTable> tables;
    for (const fs::path& file : files) tables.push_back(impacts::ReadImpacts(file));
    table =
        impacts::JoinTables(tables, tracking::kNumSharedErrors + 1);  // the last one is the scale
    table.inertia = bench.body.body.inertia;
  } else {  // one by one: each has the covariance of the bench beside its impacts
    for (const fs::path& file : files) {
      std::ranges::move(impacts::ReadImpacts(file).impacts, std::back_inserter(table.impacts));
    }
  }
  record.Forget();
  impacts::WriteImpactsCsv(table, provenance, csv, &bench.body.body);
  impacts::WriteImpactsJson(table, provenance, json);
  record.Finish(key);
}

namespace {

// The fit of each law to the sightings of the trials that it could use.
std::vector<fitting::PixelFit> FitAllToPixels(const capture::Experiment& experiment,
                                              const tracking::Bench& bench,
                                              const std::vector<fitting::LawFit>& fits,
                                              const fs::path& tracks) {
  std::map<std::string, PixelTrial> trials;  // by the name of the impact
  for (const capture::Trial& trial : experiment.trials) {
    const fs::path folder = tracks / trial.name;
    if (!fs::exists(folder / kSightings)) continue;
    const auto arcs =
        tracking::ReadSightings(folder / kSightings, bench.calibration.cameras.size());
    const auto impacts = impacts::ReadImpacts(folder / "impacts.json").impacts;
    for (std::size_t i = 0; i < std::min(arcs.size(), impacts.size()); ++i)
      trials[impacts[i].trial] = {impacts[i], arcs[i]};
  }
  const tracking::MarkerLayout layout = tracking::LayoutOf(bench.body);
  std::vector<fitting::PixelFit> pixel_fits;
  for (const fitting::LawFit& fit : fits) {
    std::vector<PixelTrial> used;
    for (const fitting::TrialComparison& trial : fit.trials) {
      const auto found = trials.find(trial.trial);
      if (!trial.used || found == trials.end()) continue;
      used.push_back(found->second);
      used.back().touching = trial.points;
    }
    if (!solver::FindLaw(fit.law).products.empty()) {
      pixel_fits.push_back(
          {.law = fit.law,
           .message = fmt::format("no fit to the pixels: the law depends on a product alone, {}",
                                  solver::FindLaw(fit.law).products.front().name)});
      continue;
    }
    Eigen::VectorXd start(static_cast<Eigen::Index>(fit.parameters.size()));
    for (Eigen::Index i = 0; i < start.size(); ++i) start[i] = fit.parameters[i].best;
    if (!fit.converged || !start.allFinite()) continue;
    pixel_fits.push_back(FitPixels(used, fit.law, start, bench.body.body, layout, bench.calibration,
                                   bench.InSpace() ? &bench.covariance : nullptr));
  }
  return pixel_fits;
}

}  // namespace

fitting::FitReport FitStep(const capture::Experiment& experiment, const tracking::Bench& bench,
                           const RunSettings& settings, Progress* progress, Outcome* outcome) {
  if (settings.fit_pixels && !experiment.OwnSurfaces().empty()) {
    throw InputError(fmt::format(
        "{}: trials: found surfaces of their own, allowed with --fit pixels is the surface of the "
        "calibration; leave the option out",
        experiment.file.string()));
  }
  const fs::path file = settings.folder / "fit.json";
  StepRecord record = RecordOf("fit", settings);
  Provenance provenance{fitting::kFitFormat, settings.command, {}};
  AddSharedEntries(experiment, &provenance);
  AddHash(settings.folder / "impacts.json", settings, &record, &provenance);
  // What else is read of each trial belongs to its impacts: it is in the key, not in the list.
  std::string key_text = CommandLineOf(settings.fit);
  for (const auto& [name, value] :
       FitOptionsOf(settings.fit, experiment.coefficients, settings.jobs).given)
    key_text += fmt::format("\n{} = {} +- {}", name, value.value, value.sigma);
  if (settings.fit_pixels) key_text += "\npixels";
  for (const capture::Trial& trial : experiment.trials) {
    const fs::path folder = settings.folder / "tracks" / trial.name;
    key_text += "\n" + trial.name;
    std::vector<const char*> names = {"trial.json"};
    if (settings.fit_pixels) names.push_back(kSightings);
    for (const char* name : names) {
      if (fs::exists(folder / name)) key_text += " " + record.HashOf(folder / name);
    }
  }
  const std::string key = KeyOf(provenance, key_text);
  fitting::FitReport report;
  const fs::path impulses = settings.folder / "impulses.json";
  if (record.IsDone(key, {file, impulses})) {
    report = fitting::ReadFit(file);
    progress->Line("fit: unchanged");
  } else {
    progress->Update("fit", 0.0);
    const fitting::PreparedImpacts data = fitting::PrepareImpacts(
        impacts::ReadImpacts(settings.folder / "impacts.json"), bench.body.body);
    fitting::FitReportOptions options = ReportOptionsOf(settings.fit, settings.jobs, experiment,
                                                        ReadSummaries(experiment.trials, settings));
    record.Forget();
    options.fit.on_law = WriteLawsAsTheyEnd(progress, provenance, file);
    report = fitting::MakeFitReport(data, options);
    if (settings.fit_pixels) {
      progress->Update("fit to the pixels", 0.0);
      report.pixels = FitAllToPixels(experiment, bench, report.laws, settings.folder / "tracks");
    }
    fitting::WriteFit(report, provenance, file);
    fitting::WriteImpulseDiagrams(
        report.laws,
        [&](const fitting::LawFit& law) { return fitting::CalcImpulseDiagrams(data, law); },
        provenance, impulses);
    record.Finish(key);
  }
  if (std::none_of(report.laws.begin(), report.laws.end(),
                   [](const fitting::LawFit& law) { return law.converged; })) {
    outcome->NoAnswer();
    for (const fitting::LawFit& law : report.laws)
      progress->Line(fmt::format("percuss: fit: {}: {}", law.law, law.message));
  }
  return report;
}

void ReportStep(const capture::Experiment& experiment, const RunSettings& settings,
                Progress* progress) {
  StepRecord record = RecordOf("report", settings);
  Provenance provenance{"percuss report 1", settings.command, {}};
  std::vector<fs::path> files;
  for (const char* name : {"run.json", "calibration.json", "corners.csv", "impacts.csv",
                           "impacts.json", "fit.json", "impulses.json"})
    files.push_back(settings.folder / name);
  // Tables and pictures of a trial change with its trial.json, which names their inputs.
  for (const capture::Trial& trial : experiment.trials)
    files.push_back(settings.folder / "tracks" / trial.name / "trial.json");
  // Films are made with a trial or later: a fault may have kept them from being there.
  std::vector<fs::path> films;
  for (const capture::Trial& trial : experiment.trials) {
    for (const char* name : {"overlay.mp4", "film.jpg", "film.json"})
      films.push_back(settings.folder / "tracks" / trial.name / name);
  }
  for (std::vector<fs::path>* some : {&files, &films}) {
    std::erase_if(*some, [](const fs::path& file) { return !fs::exists(file); });
    record.HashAhead(*some, settings.jobs);
  }
  for (const fs::path& file : files) AddHash(file, settings, &record, &provenance);
  std::string shown = settings.command + (settings.videos ? " videos" : "");
  for (const fs::path& film : films)
    shown += "\n" + NameFrom(settings.folder, film) + " " + record.HashOf(film);
  const std::string key = KeyOf(provenance, shown);
  if (record.IsDone(key, {settings.folder / "report.html", settings.folder / "report.md"})) {
    progress->Line("report: unchanged");
    return;
  }
  progress->Update("report", 0.0);
  record.Forget();
  report::WriteReport(settings.folder, {.command = settings.command, .num_threads = settings.jobs});
  record.Finish(key);
}

}  // namespace percuss::pipeline
