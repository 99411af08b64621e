// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pipeline/suspects/evidence.h"
#include "pipeline/suspects/typed_number.h"

namespace percuss::pipeline {
namespace {

constexpr std::array<const char*, 3> kAxes = {"x", "y", "z"};

std::vector<std::string> PathOf(const capture::Marker& marker) {
  return {"body", "markers", marker.name};
}

YamlEdit EditOf(const capture::Marker& marker, int axis, double value) {
  std::vector<std::string> path = PathOf(marker);
  path.push_back(std::to_string(axis));
  return {path, NumberText(value)};
}

void AddMirrored(const Evidence& evidence, int axis, std::vector<Hypothesis>* hypotheses) {
  Hypothesis mirrored{
      .kind = "mirrored layout",
      .path = {"body", "markers"},
      .found = fmt::format("is the mirror image of what the cameras see: {} points the other way",
                           kAxes[axis]),
      .write = fmt::format("{} of every marker with the other sign", kAxes[axis]),
      .edits = {}};
  for (const capture::Marker& marker : evidence.typed.body.markers) {
    const double typed = TypedNumbers(evidence.typed.file, PathOf(marker)).at(axis);
    if (typed != 0.0) mirrored.edits.push_back(EditOf(marker, axis, -typed));
  }
  if (!mirrored.edits.empty()) hypotheses->push_back(std::move(mirrored));
}

void AddExchanged(const Evidence& evidence, int first, int second,
                  std::vector<Hypothesis>* hypotheses) {
  Hypothesis exchanged{
      .kind = "exchanged axes",
      .path = {"body", "markers"},
      .found = fmt::format("has {} and {} exchanged", kAxes[first], kAxes[second]),
      .write = fmt::format("{} of every marker where {} stands, and {} where {} stands",
                           kAxes[first], kAxes[second], kAxes[second], kAxes[first]),
      .edits = {}};
  for (const capture::Marker& marker : evidence.typed.body.markers) {
    const std::vector<double> typed = TypedNumbers(evidence.typed.file, PathOf(marker));
    exchanged.edits.push_back(EditOf(marker, first, typed.at(second)));
    exchanged.edits.push_back(EditOf(marker, second, typed.at(first)));
  }
  hypotheses->push_back(std::move(exchanged));
}

/// From the spots of what moves as one body.
void AddDiameter(const Evidence& evidence, std::vector<Hypothesis>* hypotheses) {
  std::vector<double> ratios;
  for (const tracking::MovingBody& moving : evidence.moving) {
    if (std::isfinite(moving.diameter_ratio) && moving.group.tracks.size() >= 3)
      ratios.push_back(moving.diameter_ratio);
  }
  if (ratios.empty()) return;
  std::ranges::sort(ratios);
  const double ratio = ratios[ratios.size() / 2];
  // Outlines of blurred discs are off by some tenths; the labels care for a factor of 1.7.
  constexpr double kRight = 1.4, kNear = 1.3;
  if (std::abs(std::log(ratio)) < std::log(kRight)) return;
  const double typed = evidence.typed.body.marker_diameter;
  double factor = ratio;
  for (const double usual : {0.5, 2.0, 0.1, 10.0}) {  // a radius, a unit
    if (std::abs(std::log(ratio / usual)) < std::log(kNear)) factor = usual;
  }
  const bool usual = factor != ratio;
  const double diameter =
      usual ? factor * typed : RoundNumber(factor * typed, 0.1 * factor * typed);
  hypotheses->push_back(
      {.kind = "marker diameter",
       .path = {"body", "marker_diameter"},
       .found = fmt::format("is {}, but the spots in the pictures are about {:.1f} times as wide{}",
                            NumberText(typed), ratio,
                            factor == 0.5   ? " (the diameter twice?)"
                            : factor == 2.0 ? " (the radius?)"
                                            : ""),
       .write = "marker_diameter: " + NumberText(diameter),
       .edits = {{{"body", "marker_diameter"}, NumberText(diameter)}}});
}

}  // namespace

void SuspectLayout(const Evidence& evidence, std::vector<Hypothesis>* hypotheses) {
  if (std::ranges::all_of(evidence.judgement.trials, HasImpact)) return;
  AddDiameter(evidence, hypotheses);
  for (int axis = 0; axis < 3; ++axis) AddMirrored(evidence, axis, hypotheses);
  for (int axis = 0; axis < 3; ++axis)
    AddExchanged(evidence, std::min(axis, (axis + 1) % 3), std::max(axis, (axis + 1) % 3),
                 hypotheses);
}

}  // namespace percuss::pipeline
