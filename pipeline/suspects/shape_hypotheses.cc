// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text/numbers.h"
#include "pipeline/suspects/evidence.h"
#include "pipeline/suspects/typed_number.h"
#include "solver/body/shape_lengths.h"

namespace percuss::pipeline {
namespace {

/// The three lengths of a box or an ellipsoid in another order.
void AddOrders(const Evidence& evidence, const std::string& key,
               std::vector<Hypothesis>* hypotheses) {
  const std::vector<double> typed = TypedNumbers(evidence.typed.file, {"body", key});
  if (typed.size() != 3) return;
  std::array<int, 3> order = {0, 1, 2};
  while (std::ranges::next_permutation(order).found) {
    const Eigen::Vector3d other(typed[order[0]], typed[order[1]], typed[order[2]]);
    if (other == Eigen::Vector3d(typed[0], typed[1], typed[2])) continue;
    hypotheses->push_back({.kind = "order of the lengths",
                           .path = {"body", key},
                           .found = "has its lengths in an order that the markers do not have",
                           .write = fmt::format("{}: {}", key, VectorText(other)),
                           .edits = {{{"body", key}, VectorText(other)}}});
  }
}

/// As a ruler reads it, to half a millimetre [m].
double ReadLength(double length) { return RoundNumber(length, 2.5e-4); }

Hypothesis WithLength(const std::string& key, std::size_t place, double typed, const Slip& slip) {
  const std::string length = NumberText(ReadLength(typed + slip.by));
  return {.kind = "length of the body",
          .path = {"body", key},
          .found = fmt::format("has {} in place {}, but the body touches and turns as if it were "
                               "{} mm",
                               NumberText(typed), place + 1,
                               FormatWithSigma(1e3 * (typed + slip.by), 1e3 * slip.sigma)),
          .write = fmt::format("{} in place {}", length, place + 1),
          .edits = {{{"body", key, std::to_string(place)}, length}}};
}

/// The slip that the file with a corrected length leaves: far from the right one nothing is linear.
Slip SlipLeft(const Evidence& evidence, const Hypothesis& corrected, std::size_t place) {
  capture::Experiment changed = evidence.typed;
  changed.body = capture::ReadChanged(evidence.typed, corrected.edits).body;
  return Judge(changed, evidence.calibration, evidence.recordings).slips.lengths[place];
}

/// Lengths that would explain what impulses and heights contradict, all else as it was typed.
void AddLengths(const Evidence& evidence, const std::string& key,
                std::vector<Hypothesis>* hypotheses) {
  const std::vector<double> typed = TypedNumbers(evidence.typed.file, {"body", key});
  const Slips& slips = evidence.judgement.slips;
  if (typed.size() != slips.lengths.size()) return;
  constexpr double kSigmas = 3.5;
  // What explains so much less than another does so by chance once in ten thousand times.
  constexpr double kStrain = 16.0;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    Slip slip = slips.lengths[i];
    if (slip.ChiSquare() < std::max(kSigmas * kSigmas, slips.LargestChiSquare() - kStrain) ||
        typed[i] + slip.by <= 0.0)
      continue;
    const Slip left = SlipLeft(evidence, WithLength(key, i, typed[i], slip), i);
    if (left.sigma > 0.0) slip = {ReadLength(typed[i] + slip.by) + left.by - typed[i], left.sigma};
    hypotheses->push_back(WithLength(key, i, typed[i], slip));
  }
}

}  // namespace

void SuspectShape(const Evidence& evidence, std::vector<Hypothesis>* hypotheses) {
  const bool labelled = std::ranges::any_of(evidence.judgement.trials, IsLabelled);
  for (const char* key : {"size", "semi_axes"}) {
    AddOrders(evidence, key, hypotheses);
    if (labelled) AddLengths(evidence, key, hypotheses);
  }
}

void SuspectTrials(const Evidence& evidence, std::vector<Hypothesis>* hypotheses) {
  const auto& trials = evidence.judgement.trials;
  std::vector<std::size_t> others;
  for (std::size_t k = 0; k < trials.size(); ++k) {
    if (!IsLabelled(trials[k])) others.push_back(k);
  }
  if (others.empty() || 2 * others.size() > trials.size()) return;
  Hypothesis hypothesis{.kind = "another body",
                        .path = {"trials"},
                        .found = "",
                        .write = "the trials without",
                        .edits = {}};
  std::vector<int> places;
  for (const std::size_t k : others) {
    // What moves there is one body, and none of its distances can be those of the layout.
    const tracking::RigidGroup& group = evidence.moving[k].group;
    if (group.tracks.size() < 3) return;
    hypothesis.found +=
        fmt::format("{}shows {} markers in {} that move as one body",
                    hypothesis.found.empty() ? "" : ", ", group.tracks.size(), trials[k].trial);
    hypothesis.write += " " + trials[k].trial;
    places.push_back(PlaceInFile(evidence.typed, trials[k].trial));
  }
  hypothesis.found += " and are not those of the layout: another body";
  if (std::ranges::count(places, -1) > 0) return;
  if (places.size() == 1) hypothesis.path = {"trials", std::to_string(places.front())};
  std::ranges::sort(places, std::greater<>());  // from the end, as places move up
  for (const int place : places)
    hypothesis.edits.push_back({{"trials", std::to_string(place)}, ""});
  hypotheses->push_back(std::move(hypothesis));
}

}  // namespace percuss::pipeline
