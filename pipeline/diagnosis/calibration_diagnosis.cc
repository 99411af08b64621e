// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <regex>
#include <utility>

#include "base/error.h"
#include "calibration/calibrate.h"
#include "pipeline/diagnosis/diagnosis.h"

namespace percuss::pipeline {
namespace {

/// The board that the pictures show, as the failed calibration names it: "... shows 9 x 6 inner
/// corners". To look for all others that might have been meant would take minutes.
void AddCounts(const capture::Experiment& typed, const std::string& reason,
               std::vector<Hypothesis>* hypotheses) {
  static const std::regex kShown(" shows ([0-9]+) x ([0-9]+) ");
  std::smatch shown;
  if (!std::regex_search(reason, shown, kShown)) return;
  const std::string columns = shown[1], rows = shown[2];
  hypotheses->push_back({.kind = "columns and rows",
                         .path = {"board"},
                         .found = fmt::format("has {} columns and {} rows, but the pictures show "
                                              "{} x {} of them (inner corners count, not squares)",
                                              typed.board.columns, typed.board.rows, columns, rows),
                         .write = fmt::format("columns: {}, rows: {}", columns, rows),
                         .edits = {{{"board", "columns"}, columns}, {{"board", "rows"}, rows}}});
}

void AddExchangedPictures(const capture::Experiment& typed, std::vector<Hypothesis>* hypotheses) {
  const YamlField calibration = YamlField::ReadFile(typed.file)["calibration"];
  const YamlField surface = calibration["surface"];
  const YamlField left = surface["left"], right = surface["right"];
  if (!left.Given() || !right.Given() || !calibration["left"].Given()) return;
  const std::string first = left.CanonicalText(), second = right.CanonicalText();
  hypotheses->push_back({.kind = "exchanged surface pictures",
                         .path = {"calibration", "surface"},
                         .found = "has the pictures of the two cameras exchanged",
                         .write = fmt::format("left: {}, right: {}", second, first),
                         .edits = {{{"calibration", "surface", "left"}, second},
                                   {{"calibration", "surface", "right"}, first}}});
  const std::string images = calibration["left"].CanonicalText(),
                    others = calibration["right"].CanonicalText();
  hypotheses->push_back(
      {.kind = "exchanged calibration pictures",
       .path = {"calibration", "left"},
       .found = "has the pictures of the right camera, and right those of the "
                "left one",
       .write = fmt::format("left: {}, right: {}", others, images),
       .edits = {{{"calibration", "left"}, others}, {{"calibration", "right"}, images}}});
}

}  // namespace

Diagnosis DiagnoseCalibration(const capture::Experiment& typed, const std::string& reason,
                              Recordings* recordings, const DiagnosisOptions& options) {
  Diagnosis diagnosis;
  diagnosis.complaints = {reason};
  std::vector<Hypothesis> calibrated;  // whether or not the trials agree
  std::vector<Hypothesis> hypotheses;
  // Which of the two is in question, the failure says: a board that is found has its corners.
  const bool found = reason.find("surface view does not fit") != std::string::npos;
  if (found) {
    AddExchangedPictures(typed, &hypotheses);
  } else {
    AddCounts(typed, reason, &hypotheses);
  }
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    if (options.progress) {
      options.progress(hypotheses[i].kind,
                       static_cast<double>(i) / static_cast<double>(hypotheses.size()));
    }
    ++diagnosis.tried;
    try {
      const capture::Experiment changed =
          capture::ReadExperiment(typed.file, capture::ExperimentNeeds::kAll, hypotheses[i].edits);
      const calibration::RigCalibration calibration =
          calibration::CalibrateRig(changed, {.num_threads = options.num_threads, .num_folds = 0});
      calibrated.push_back(hypotheses[i]);
      if (typed.planar || calibration.cameras.size() != 2) continue;
      if (Judge(changed, calibration, recordings).complaints.empty())
        diagnosis.explanations.push_back(hypotheses[i]);
    } catch (const InputError&) {  // nothing that could be typed
    } catch (const DataError&) {   // fails as well
    }
  }
  if (diagnosis.explanations.empty()) {
    diagnosis.explanations = std::move(calibrated);
  } else {
    diagnosis.num_trials = static_cast<int>(typed.trials.size());
  }
  diagnosis.num_same = diagnosis.explanations.empty() ? 0 : 1;
  return diagnosis;
}

}  // namespace percuss::pipeline
