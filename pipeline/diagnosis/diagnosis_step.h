// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/rig/rig_calibration.h"
#include "calibration/targets/calibration_error.h"
#include "capture/experiment/experiment.h"
#include "pipeline/diagnosis/diagnosis.h"
#include "pipeline/progress.h"
#include "pipeline/run_settings.h"

namespace percuss::pipeline {

/// diagnosis.json, where it is of this experiment file with these videos and pictures.
std::optional<Diagnosis> KnownDiagnosis(const capture::Experiment& typed,
                                        const RunSettings& settings);

/// What is wrong with the experiment file, where the tracked trials give a reason to ask: one that
/// failed, a warning, a number that the flights move (bench.json). Its lines go to `progress`, and
/// all of it into diagnosis.json, which is taken away where there is no reason.
Diagnosis DiagnosisStep(const capture::Experiment& typed,
                        const calibration::RigCalibration& calibration, const RunSettings& settings,
                        Progress* progress);

/// The same where there is no calibration.
Diagnosis CalibrationDiagnosisStep(const capture::Experiment& typed,
                                   const calibration::CalibrationError& failure,
                                   const RunSettings& settings, Progress* progress);

/// What is written at the top of the report: the lines of a diagnosis, or that they were followed.
std::vector<std::string> ReportLines(const capture::Experiment& typed, const Diagnosis& diagnosis,
                                     bool mended);

/// The experiment with the first explanation.
capture::Experiment Mended(const capture::Experiment& typed, const Diagnosis& diagnosis);

}  // namespace percuss::pipeline
