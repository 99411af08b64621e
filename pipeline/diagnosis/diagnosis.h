// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/targets/calibration_error.h"
#include "pipeline/judgement/hypothesis.h"
#include "pipeline/judgement/judgement.h"

namespace percuss::pipeline {

struct DiagnosisOptions {
  int num_threads = 2;
  std::function<void(const std::string& what, double fraction)> progress;  ///< may be empty
};

/// What is wrong with an experiment file, as far as one line of it is.
struct Diagnosis {
  std::vector<std::string> complaints;  ///< Judgement::complaints of the file as typed
  int tried = 0;                        ///< hypotheses
  int num_trials = 0;                   ///< that a hypothesis must explain
  int num_labelled = 0;                 ///< of them, as typed
  /// Those that leave no complaint. The first ones have the same impacts, see num_same.
  std::vector<Hypothesis> explanations;
  int num_same = 0;  ///< of the first of `explanations`: which of them was typed, nothing can tell

  /// Whether it is known what to compute with: one explanation, or several with the same impacts,
  /// that other words in the file would mend.
  bool IsKnown() const {
    return num_same > 0 && num_same == static_cast<int>(explanations.size()) &&
           !explanations.front().edits.empty();
  }
};

/// Looks for the one line of an experiment file that explains all of what Judge complains of:
/// hypotheses are drawn from what the data show (evidence.h), the file is read again with each, and
/// judged. Changes of numbers come first; a marker or a trial is left out only where no change
/// explains the data, the lengths of the shape likewise. Videos of two cameras; without complaints
/// nothing is tried.
Diagnosis Diagnose(const capture::Experiment& typed, const calibration::RigCalibration& calibration,
                   Recordings* recordings, const DiagnosisOptions& options = {});

/// The same for a calibration that failed: the board's columns and rows, the surface pictures
/// or those of the cameras exchanged, as its failure asks for. What can be calibrated is
/// judged by the trials; where they complain of all, that it can be calibrated must do.
Diagnosis DiagnoseCalibration(const capture::Experiment& typed,
                              const calibration::CalibrationError& failure, Recordings* recordings,
                              const DiagnosisOptions& options = {});

/// The pictures of the board on the surface, where they show another one: nothing that could be
/// typed mends it.
Hypothesis OtherSurface(double turned_deg, double shifted);

/// For the user: one line for each explanation, and one where they are several.
std::vector<std::string> DiagnosisLines(const capture::Experiment& typed,
                                        const Diagnosis& diagnosis);

}  // namespace percuss::pipeline
