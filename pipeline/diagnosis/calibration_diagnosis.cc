// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "calibration/calibrate.h"
#include "pipeline/diagnosis/diagnosis.h"
#include "pipeline/diagnosis/free_surface.h"

namespace percuss::pipeline {
namespace {

/// The board that the pictures show. To look for all others that might have been meant would take
/// minutes.
void AddCounts(const capture::Experiment& typed, const std::array<int, 2>& shown,
               std::vector<Hypothesis>* hypotheses) {
  // The longer side is that of the columns, unless it was not so when it was typed.
  const bool upright = typed.board.rows > typed.board.columns;
  const int columns = shown[upright ? 1 : 0], rows = shown[upright ? 0 : 1];
  hypotheses->push_back(
      {.kind = "columns and rows",
       .path = {"board"},
       .found = fmt::format("has {} columns and {} rows, but the pictures show {} x {} of them "
                            "(inner corners count, not squares)",
                            typed.board.columns, typed.board.rows, columns, rows),
       .write = fmt::format("columns: {}, rows: {}", columns, rows),
       .edits = {{{"board", "columns"}, std::to_string(columns)},
                 {{"board", "rows"}, std::to_string(rows)}}});
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
  if (calibration["file"].Given()) return;
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

/// The surface where the flights show it, with one of the other pairs of pictures in the place of
/// those that do not fit.
std::optional<Hypothesis> WithoutSurface(const capture::Experiment& typed, Recordings* recordings,
                                         int num_threads) {
  const auto& cameras = typed.calibration.cameras;
  if (typed.planar || cameras.size() != 2 || typed.calibration.FromVideos()) return {};
  constexpr std::size_t kPairs = 3;  // one that is not used itself helps nobody
  for (std::size_t pair = 0; pair < std::min(kPairs, cameras[0].images.size()); ++pair) {
    capture::Experiment changed = typed;
    for (capture::CalibrationCamera& camera : changed.calibration.cameras)
      camera.surface = camera.images[pair];
    try {
      const calibration::RigCalibration calibration =
          calibration::CalibrateRig(changed, {.num_threads = num_threads, .num_folds = 0});
      if (FindFreeSurface(changed, calibration, recordings)) {
        return OtherSurface(std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::quiet_NaN());
      }
      return {};
    } catch (const InputError&) {
      return {};
    } catch (const DataError&) {  // another pair
    }
  }
  return {};
}

}  // namespace

Diagnosis DiagnoseCalibration(const capture::Experiment& typed,
                              const calibration::CalibrationError& failure, Recordings* recordings,
                              const DiagnosisOptions& options) {
  Diagnosis diagnosis;
  diagnosis.complaints = {failure.what()};
  std::vector<Hypothesis> calibrated;  // whether or not the trials agree
  std::vector<Hypothesis> hypotheses;
  if (failure.Fault().surface_view) AddExchangedPictures(typed, &hypotheses);
  if (failure.Fault().other_board) AddCounts(typed, *failure.Fault().other_board, &hypotheses);
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    if (options.progress) {
      options.progress(hypotheses[i].kind,
                       static_cast<double>(i) / static_cast<double>(hypotheses.size()));
    }
    ++diagnosis.tried;
    try {
      const capture::Experiment changed = capture::ReadChanged(typed, hypotheses[i].edits);
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
  if (diagnosis.explanations.empty() && failure.Fault().surface_view) {
    ++diagnosis.tried;
    if (const auto surface = WithoutSurface(typed, recordings, options.num_threads))
      diagnosis.explanations.push_back(*surface);
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
