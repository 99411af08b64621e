// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "pipeline/suspects/evidence.h"
#include "pipeline/suspects/typed_number.h"

namespace percuss::pipeline {
namespace {

/// The videos of these trials exchanged.
void AddSwapped(const Evidence& evidence, const std::vector<std::string>& trials,
                std::vector<Hypothesis>* hypotheses) {
  const bool all = trials.size() == evidence.judgement.trials.size();
  Hypothesis swapped{.kind = "exchanged cameras",
                     .path = {"trials"},
                     .found = "has the videos of the two cameras exchanged",
                     .write = "left where right stands, and right where left stands",
                     .edits = {}};
  for (const std::string& name : trials) {
    const int place = PlaceInFile(evidence.typed, name);
    if (place < 0) return;
    const std::string number = std::to_string(place);
    const YamlField trial =
        YamlField::ReadFile(evidence.typed.file)["trials"].Items("a list of trials")[place];
    swapped.edits.push_back({{"trials", number, "left"}, trial["right"].CanonicalText()});
    swapped.edits.push_back({{"trials", number, "right"}, trial["left"].CanonicalText()});
    if (!all && trials.size() == 1) swapped.path = {"trials", number};
  }
  if (all) {
    swapped.write += " (the same as to exchange left and right of calibration and its surface)";
  } else if (trials.size() > 1) {
    swapped.write += fmt::format(" in {}", fmt::join(trials, ", "));
  }
  hypotheses->push_back(std::move(swapped));
}

void AddLineTime(const Evidence& evidence, double factor, const char* found,
                 std::vector<Hypothesis>* hypotheses) {
  const auto& [left, right] = evidence.typed.line_time;
  const std::string value = left == right
                                ? NumberText(factor * left)
                                : fmt::format("{{left: {}, right: {}}}", NumberText(factor * left),
                                              NumberText(factor * right));
  hypotheses->push_back({.kind = "line time",
                         .path = {"line_time"},
                         .found = found,
                         .write = "line_time: " + value,
                         .edits = {{{"line_time"}, value}}});
}

}  // namespace

void SuspectCameras(const Evidence& evidence, std::vector<Hypothesis>* hypotheses) {
  std::vector<std::string> unlabelled;
  for (const tracking::TrialResult& trial : evidence.judgement.trials) {
    if (!IsLabelled(trial)) unlabelled.push_back(trial.trial);
  }
  if (!unlabelled.empty()) AddSwapped(evidence, unlabelled, hypotheses);
  if (evidence.typed.line_time[0] != 0.0 || evidence.typed.line_time[1] != 0.0) {
    AddLineTime(evidence, -1.0, "has the wrong sign: the pictures are read the other way",
                hypotheses);
    AddLineTime(evidence, 0.0, "is stated, but the rows are exposed together", hypotheses);
  }
}

}  // namespace percuss::pipeline
