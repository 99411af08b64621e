// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>

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

/// One video of a trial exchanged with that of another. Where both fall alike, it is no matter
/// which of the two has which name.
void AddMixed(const Evidence& evidence, const std::string& first, const std::string& second,
              std::vector<Hypothesis>* hypotheses) {
  const int i = PlaceInFile(evidence.typed, first), k = PlaceInFile(evidence.typed, second);
  if (i < 0 || k < 0) return;
  const std::vector<YamlField> trials =
      YamlField::ReadFile(evidence.typed.file)["trials"].Items("a list of trials");
  const auto gravity = [&](const std::string& name) {
    return std::ranges::find(evidence.typed.trials, name, &capture::Trial::name)->gravity;
  };
  const bool alike = gravity(first) == gravity(second);
  for (const std::string side : {"right", "left"}) {
    if (side == "left" && alike) continue;
    const std::string one = trials[i][side].CanonicalText(),
                      other = trials[k][side].CanonicalText();
    hypotheses->push_back(
        {.kind = "videos of two trials mixed",
         .path = {"trials", std::to_string(i), side},
         .found = fmt::format("is the {} video of {}, which has that of {}", side, second, first),
         .write = fmt::format("{} {} in {}, and {} in {}", side, other, first, one, second),
         .edits = {{{"trials", std::to_string(i), side}, other},
                   {{"trials", std::to_string(k), side}, one}}});
  }
}

void AddLineTime(const Evidence& evidence, double factor, const char* found,
                 std::vector<Hypothesis>* hypotheses) {
  const auto& cameras = evidence.typed.calibration.cameras;
  const auto of_cameras = std::span(evidence.typed.line_time).first(cameras.size());
  std::string value = NumberText(factor * of_cameras.front());
  if (std::ranges::adjacent_find(of_cameras, std::ranges::not_equal_to()) != of_cameras.end()) {
    value.clear();
    for (std::size_t c = 0; c < cameras.size(); ++c) {
      value += fmt::format("{}{}: {}", c == 0 ? "{" : ", ", cameras[c].name,
                           NumberText(factor * of_cameras[c]));
    }
    value += "}";
  }
  hypotheses->push_back({.kind = "line time",
                         .path = {"line_time"},
                         .found = found,
                         .write = "line_time: " + value,
                         .edits = {{{"line_time"}, value}}});
}

}  // namespace

void SuspectCameras(const Evidence& evidence, std::vector<Hypothesis>* hypotheses) {
  std::vector<std::string> without;
  for (const tracking::TrialResult& trial : evidence.judgement.trials) {
    if (!HasImpact(trial)) without.push_back(trial.trial);
  }
  if (!without.empty()) AddSwapped(evidence, without, hypotheses);
  // Each pair of trials costs as much as to label both.
  constexpr std::size_t kMostMixed = 5;
  if (without.size() <= kMostMixed) {
    for (std::size_t j = 0; j < without.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) AddMixed(evidence, without[i], without[j], hypotheses);
    }
  }
  const auto rolls = [](double line_time) { return line_time != 0.0; };
  if (std::ranges::any_of(evidence.typed.line_time, rolls)) {
    AddLineTime(evidence, -1.0, "has the wrong sign: the pictures are read the other way",
                hypotheses);
    AddLineTime(evidence, 0.0, "is stated, but the rows are exposed together", hypotheses);
  }
}

}  // namespace percuss::pipeline
