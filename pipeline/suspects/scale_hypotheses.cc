// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "pipeline/suspects/evidence.h"
#include "pipeline/suspects/typed_number.h"

namespace percuss::pipeline {
namespace {

/// Stated over measured distances of markers.
struct Scale {
  double value = 1.0, sigma = 0.0;
};

void AddScale(const Scale& scale, std::vector<Scale>* scales) {
  const bool known = std::ranges::any_of(*scales, [&](const Scale& other) {
    return std::abs(other.value / scale.value - 1.0) < 0.01;
  });
  if (!known) scales->push_back(scale);
}

std::vector<Scale> MeasuredScales(const Evidence& evidence) {
  const tracking::MarkerLayout layout = tracking::LayoutOf(evidence.typed.body);
  std::vector<Scale> scales;
  // The largest groups know it best.
  std::vector<const tracking::RigidGroup*> groups;
  for (const tracking::MovingBody& moving : evidence.moving) groups.push_back(&moving.group);
  std::ranges::stable_sort(groups, std::greater<>(),
                           [](const auto* group) { return group->tracks.size(); });
  constexpr std::size_t kMaxGroups = 2;
  groups.resize(std::min(groups.size(), kMaxGroups));
  for (const tracking::RigidGroup* group : groups) {
    for (const DistanceMatch& match : MatchDistances(*group, layout))
      AddScale({match.scale, std::max(match.sigma, 1e-3)}, &scales);
  }
  for (const tracking::TrialResult& trial : evidence.judgement.trials) {
    if (std::isfinite(trial.marker_scale.scale))
      AddScale({trial.marker_scale.scale, std::max(trial.marker_scale.sigma, 1e-3)}, &scales);
  }
  static constexpr double kNotable = 0.004;  // a ruler's errors of a layout of 0.2 m
  std::erase_if(scales, [](const Scale& scale) {
    return std::abs(scale.value - 1.0) < std::max(kNotable, 4.0 * scale.sigma);
  });
  return scales;
}

void AddSquare(const Evidence& evidence, const Scale& scale, std::vector<Hypothesis>* hypotheses) {
  const double typed = evidence.typed.board.square;
  const double square = RoundNumber(scale.value * typed, scale.sigma * scale.value * typed);
  if (square == typed || !(square > 0.0)) return;
  hypotheses->push_back(
      {.kind = "square of the board",
       .path = {"board", "square"},
       .found = fmt::format("is {}, with which the markers are {:.1f} % {} apart than stated",
                            NumberText(typed), 100.0 * std::abs(1.0 / scale.value - 1.0),
                            scale.value < 1.0 ? "farther" : "nearer"),
       .write = "square: " + NumberText(square),
       .edits = {{{"board", "square"}, NumberText(square)}}});
}

/// Edits that multiply numbers of the file.
void Multiply(const Evidence& evidence, const std::vector<std::string>& path, double factor,
              std::vector<YamlEdit>* edits) {
  std::vector<double> numbers = TypedNumbers(evidence.typed.file, path);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::vector<std::string> place = path;
    place.push_back(std::to_string(i));
    edits->push_back({place, NumberText(factor * numbers[i])});
  }
}

/// The unit of the markers, alone or with the lengths of the shape.
void AddUnit(const Evidence& evidence, const Scale& scale, std::vector<Hypothesis>* hypotheses) {
  struct Unit {
    double factor;
    const char* name;
  };
  static constexpr std::array kUnits = {
      Unit{0.1, "ten times too large: centimetres for millimetres?"},
      Unit{10.0, "ten times too small: millimetres for centimetres?"},
      Unit{2.54, "2.54 times too small: inches taken for centimetres?"},
      Unit{1.0 / 2.54, "2.54 times too large: centimetres taken for inches?"},
      Unit{0.01, "a hundred times too large: metres for centimetres?"},
      Unit{0.5, "twice as large as they are"},
      Unit{2.0, "half as large as they are"}};
  for (const Unit& unit : kUnits) {
    if (std::abs(unit.factor * scale.value - 1.0) > std::max(0.02, 3.0 * scale.sigma)) continue;
    Hypothesis markers{.kind = "unit of the markers",
                       .path = {"body", "markers"},
                       .found = fmt::format("has places that are {}", unit.name),
                       .write = fmt::format("every place {:.6g} times as large", unit.factor),
                       .edits = {}};
    for (const capture::Marker& marker : evidence.typed.body.markers)
      Multiply(evidence, {"body", "markers", marker.name}, unit.factor, &markers.edits);
    Hypothesis body = markers;
    hypotheses->push_back(std::move(markers));
    body.kind = "unit of the body";
    body.path = {"body"};
    body.write = fmt::format("every length of the body {:.6g} times as large", unit.factor);
    const YamlField typed = YamlField::ReadFile(evidence.typed.file)["body"];
    for (const char* key : {"size", "semi_axes"})
      Multiply(evidence, {"body", key}, unit.factor, &body.edits);
    for (const char* key : {"radius", "length", "marker_diameter"}) {
      if (typed[key].Given())
        body.edits.push_back({{"body", key}, NumberText(unit.factor * typed[key].Number({}))});
    }
    Hypothesis lengths = body;  // the stickers have a unit of their own, off a packet
    std::erase_if(lengths.edits,
                  [](const YamlEdit& edit) { return edit.path.back() == "marker_diameter"; });
    lengths.kind = "unit of the lengths";
    lengths.write += ", marker_diameter as it is";
    hypotheses->push_back(std::move(body));
    hypotheses->push_back(std::move(lengths));
  }
}

}  // namespace

void SuspectScale(const Evidence& evidence, std::vector<Hypothesis>* hypotheses) {
  for (const Scale& scale : MeasuredScales(evidence)) {
    AddSquare(evidence, scale, hypotheses);
    AddUnit(evidence, scale, hypotheses);
  }
}

}  // namespace percuss::pipeline
