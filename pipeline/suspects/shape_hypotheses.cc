// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

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

/// One length, as the impulses show it where it is free and all else is as known as typed.
void AddLengths(const Evidence& evidence, const std::string& key,
                std::vector<Hypothesis>* hypotheses) {
  const std::vector<double> typed = TypedNumbers(evidence.typed.file, {"body", key});
  const tracking::BenchParameters places = evidence.judgement.stated.Parameters();
  if (static_cast<int>(typed.size()) != places.num_lengths) return;
  for (int i = 0; i < places.num_lengths; ++i) {
    constexpr double kLoose = 0.2;  // of the length: more than a slip of a centimetre
    Eigen::VectorXd sigmas = Eigen::VectorXd::Zero(places.Size());
    sigmas[places.Length() + i] = kLoose * typed[i];
    const tracking::BenchEstimate estimate = LooseEstimate(evidence, sigmas);
    if (!estimate.converged) continue;
    const double change = estimate.change[places.Length() + i];
    const double sigma = std::sqrt(
        std::max(0.0, estimate.bench.covariance(places.Length() + i, places.Length() + i)));
    constexpr double kOff = 0.002;  // [m] four times what a ruler errs by
    if (std::abs(change) < std::max(kOff, 4.0 * sigma)) continue;
    const double length = RoundNumber(typed[i] + change, std::hypot(sigma, 2.5e-4));
    hypotheses->push_back(
        {.kind = "length of the body",
         .path = {"body", key},
         .found = fmt::format("has {} in place {}, but the corners touch as if it were {:.1f} mm",
                              NumberText(typed[i]), i + 1, 1e3 * (typed[i] + change)),
         .write = fmt::format("{} in place {}", NumberText(length), i + 1),
         .edits = {{{"body", key, std::to_string(i)}, NumberText(length)}}});
  }
}

}  // namespace

void SuspectShape(const Evidence& evidence, std::vector<Hypothesis>* hypotheses) {
  if (std::ranges::none_of(evidence.judgement.trials, IsLabelled)) return;
  for (const char* key : {"size", "semi_axes"}) {
    AddOrders(evidence, key, hypotheses);
    AddLengths(evidence, key, hypotheses);
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
