// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "calibration/rig/rig_calibration.h"
#include "capture/experiment/experiment.h"
#include "fitting/result/fit_files.h"
#include "impacts/impact_files.h"
#include "pipeline/progress.h"
#include "pipeline/run_settings.h"
#include "pipeline/step_inputs.h"
#include "tracking/bench/bench.h"
#include "tracking/track_files.h"

// The steps of `percuss run`. Each writes its files into one folder and skips itself when nothing
// it depends on has changed. `percuss calibrate`, `track` and `fit` are single steps of these.
namespace percuss::pipeline {

/// @throws InputError if a file is where the folder should be: said before the work, not after it.
void CheckOutputFolder(const std::filesystem::path& folder);

/// Hashes of all images that a calibration reads, with what the experiment file says of them.
/// @param hash of a file
Provenance CalibrationProvenance(
    const capture::Experiment& experiment, const std::string& command,
    const std::function<std::string(const std::filesystem::path&)>& hash = HashFile);

/// run.json, where it is not there already: what was dropped, which trials there are.
/// @param notes for the top of the report, such as what is wrong with the experiment file
void WriteRunFile(const capture::Experiment& experiment, const RunSettings& settings,
                  const std::vector<std::string>& notes = {});

/// Which pair of views was left out, and why, in one line.
std::string LeftOutLine(const calibration::ViewReport& view);

/// By how much a surface that trials have of their own is turned from that of the calibration, or
/// why nobody knows, in one line.
/// @param covariance of the calibration
std::string SurfaceLine(const calibration::SurfacePlane& surface,
                        const Eigen::MatrixXd& covariance);

/// calibration.json. Views that had to be left out are named on stderr and in `outcome`.
calibration::RigCalibration CalibrateStep(const capture::Experiment& experiment,
                                          const RunSettings& settings, Progress* progress,
                                          Outcome* outcome);

/// Those of these names, in this order; all of them if there is no name.
/// @throws InputError for a name that the experiment does not have.
std::vector<capture::Trial> ChooseTrials(const capture::Experiment& experiment,
                                         const std::vector<std::string>& names);

/// The experiment with its markers placed, where none have places (MarkedBody::unplaced): those
/// that layout.json and layout.yaml have, from the videos of all trials. Nothing where the file
/// states them.
/// @throws DataError where the videos do not show them.
std::optional<capture::Experiment> LayoutStep(const capture::Experiment& experiment,
                                              const calibration::RigCalibration& calibration,
                                              const std::filesystem::path& calibration_file,
                                              const RunSettings& settings, Progress* progress);

/// tracks/TRIAL/labels.json of each trial, then StatesStep. A trial that fails says so in its
/// trial.json; the others go on.
/// @param calibration has no cameras, and its file no name, where no trial has videos.
void TrackStep(const capture::Experiment& experiment, const std::vector<capture::Trial>& trials,
               const calibration::RigCalibration& calibration,
               const std::filesystem::path& calibration_file, const RunSettings& settings,
               Progress* progress);

/// bench.json from the labels of these trials, then all else in tracks/TRIAL of each.
void StatesStep(const capture::Experiment& experiment, const std::vector<capture::Trial>& trials,
                const calibration::RigCalibration& calibration,
                const std::filesystem::path& calibration_file, const RunSettings& settings,
                Progress* progress);

/// What these trials share, as StatesStep left it in bench.json; as stated where there is none.
tracking::Bench BenchOf(const capture::Experiment& experiment,
                        const std::vector<capture::Trial>& trials,
                        const calibration::RigCalibration& calibration,
                        const RunSettings& settings);

/// What became of each of these trials.
/// @throws InputError for one that has not been tracked.
std::vector<tracking::TrialSummary> ReadSummaries(const std::vector<capture::Trial>& trials,
                                                  const RunSettings& settings);

/// impacts.csv and impacts.json of all these trials that gave an impact, from the files of
/// TrackStep. A line on stderr for each that failed, which also goes into `outcome`. Slides have
/// none, and where there are no drops, neither are these tables.
/// @throws InputError for a trial that has not been tracked.
/// @throws DataError, or InputError for bad input, when no trial gave an impact; tables of an
/// earlier run are removed then.
void GatherStep(const std::vector<capture::Trial>& trials, const tracking::Bench& bench,
                const std::filesystem::path& calibration_file, const RunSettings& settings,
                Progress* progress, Outcome* outcome);

/// fit.json and impulses.json from impacts.json, with the audit of impacts and gravity.
fitting::FitReport FitStep(const capture::Experiment& experiment, const tracking::Bench& bench,
                           const RunSettings& settings, Progress* progress, Outcome* outcome);

/// tracks/TRIAL/film.jpg and film.json of each trial that was tracked in videos, with overlay.mp4
/// as the settings say, or without. One that cannot be written is a line on stderr and nothing
/// else: no result depends on it.
void FilmStep(const capture::Experiment& experiment, const RunSettings& settings,
              Progress* progress);

/// The report, from all files above.
void ReportStep(const capture::Experiment& experiment, const RunSettings& settings,
                Progress* progress);

}  // namespace percuss::pipeline
