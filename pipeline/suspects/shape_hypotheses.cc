// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <Eigen/Cholesky>
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

/// A number of the bench as the flights show it, by how much it moves from what was typed.
struct MeasuredChange {
  double change = 0.0, sigma = 0.0;
};

/// The same with what the heights of the contacts add: they are where the surface is.
MeasuredChange WithHeights(const Evidence& evidence, const tracking::BenchEstimate& estimate,
                           int place) {
  std::vector<impacts::ImpactRecord> records;
  for (const tracking::TrialResult& labelled : evidence.judgement.trials) {
    if (!IsLabelled(labelled)) continue;
    const capture::Trial& trial =
        *std::ranges::find(evidence.typed.trials, labelled.trial, &capture::Trial::name);
    tracking::TrialResult seen;
    seen.trial = labelled.trial;
    seen.tracked = labelled.tracked;
    seen.message.clear();
    for (const tracking::TrialImpact& impact :
         tracking::EstimateTrial(evidence.typed, trial, estimate.bench, seen).impacts)
      records.push_back(impact.record);
  }
  const ContactHeights heights = MeasureContactHeights(records);
  const Eigen::MatrixXd& C = estimate.bench.covariance;
  MeasuredChange measured{estimate.change[place], std::sqrt(std::max(0.0, C(place, place)))};
  if (heights.height.size() == 0) return measured;
  const Eigen::MatrixXd S =
      heights.covariance + heights.by_bench * C * heights.by_bench.transpose();
  const Eigen::LDLT<Eigen::MatrixXd> solver(S);
  const Eigen::VectorXd by = heights.by_bench * C.col(place);
  measured.change -= by.dot(solver.solve(heights.height));
  measured.sigma = std::sqrt(std::max(0.0, C(place, place) - by.dot(solver.solve(by))));
  return measured;
}

/// One length, as impulses and heights show it where it is free and all else is as known as typed.
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
    const auto [change, sigma] = WithHeights(evidence, estimate, places.Length() + i);
    constexpr double kOff = 0.002;  // [m] four times what a ruler errs by
    if (std::abs(change) < std::max(kOff, 4.0 * sigma)) continue;
    const double length = RoundNumber(typed[i] + change, std::hypot(sigma, 2.5e-4));
    hypotheses->push_back(
        {.kind = "length of the body",
         .path = {"body", key},
         .found = fmt::format("has {} in place {}, but the body touches as if it were {:.1f} mm",
                              NumberText(typed[i]), i + 1, 1e3 * (typed[i] + change)),
         .write = fmt::format("{} in place {}", NumberText(length), i + 1),
         .edits = {{{"body", key, std::to_string(i)}, NumberText(length)}}});
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
