// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/progress.h"
#include "app/step_record.h"
#include "calibration/rig_calibration.h"
#include "capture/experiment.h"
#include "fitting/fit_files.h"
#include "tracking/impact_files.h"
#include "tracking/state_method.h"

// The steps of `percuss run`. Each writes its files into one folder and skips itself when nothing
// it depends on has changed. `percuss calibrate`, `track` and `fit` are single steps of these.
namespace percuss::app {

struct RunSettings {
  std::filesystem::path folder;  ///< OUT
  std::string command;           ///< command line, for the provenance of files
  int jobs = 1;                  ///< trials at a time
  std::vector<std::string> laws;
  tracking::StateMethod states = tracking::StateMethod::kArcs;
  bool fit_pixels = false;  ///< beside the fit to the states, one to the pixels of all trials
  /// Write tracking::WriteEnhanced of every so many frames, for which trials are tracked again.
  std::optional<int> enhanced_every = {};
};

/// What the exit code of a command is made of: the worst thing that happened to any input.
class Outcome {
 public:
  void BadInput() { bad_input_ = true; }
  void NoAnswer() { no_answer_ = true; }
  int ExitCode() const;

 private:
  bool bad_input_ = false, no_answer_ = false;
};

/// @throws InputError if a file is where the folder should be: said before the work, not after it.
void CheckOutputFolder(const std::filesystem::path& folder);

/// Hashes of all images that a calibration reads, with the experiment file.
capture::Provenance CalibrationProvenance(const capture::Experiment& experiment,
                                          const std::string& command);

/// Which pair of views was left out, and why, in one line.
std::string LeftOutLine(const calibration::ViewReport& view);

/// calibration.json. Views that had to be left out are named on stderr and in `outcome`.
calibration::RigCalibration CalibrateStep(const capture::Experiment& experiment,
                                          const RunSettings& settings, StepRecord* record,
                                          Progress* progress, Outcome* outcome);

/// tracks/TRIAL/*, then impacts.csv and impacts.json of all trials that gave an impact. A failed
/// trial is one line on stderr; the others go on. `trials` restricts them by name; empty means all.
/// The calibration has no cameras, and its file no name, where no trial has videos.
/// @throws InputError for a name in `trials` that the experiment does not have.
/// @throws DataError when no trial gave an impact; tables of an earlier run are removed then.
tracking::ImpactTable TrackStep(const capture::Experiment& experiment,
                                const calibration::RigCalibration& calibration,
                                const std::filesystem::path& calibration_file,
                                const std::vector<std::string>& trials, const RunSettings& settings,
                                StepRecord* record, Progress* progress, Outcome* outcome);

/// fit.json, with the audit of impacts and gravity.
fitting::FitReport FitStep(const capture::Experiment& experiment,
                           const calibration::RigCalibration& calibration,
                           const tracking::ImpactTable& table, const RunSettings& settings,
                           StepRecord* record, Progress* progress, Outcome* outcome);

/// tracks/TRIAL/overlay.mp4 of each trial that was tracked in videos. One that cannot be written is
/// a line on stderr and nothing else: no result depends on it.
void VideoStep(const capture::Experiment& experiment, const RunSettings& settings,
               StepRecord* record, Progress* progress);

/// Removes the overlay videos of an earlier run.
void RemoveVideos(const capture::Experiment& experiment, const std::filesystem::path& folder);

}  // namespace percuss::app
