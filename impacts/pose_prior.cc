// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "impacts/pose_prior.h"

#include <cmath>
#include <string_view>

#include "capture/experiment/experiment_body.h"

namespace percuss::impacts {
namespace {

constexpr std::string_view kOrientations =
    "stated, any, {turned_about: [x, y, z], heading: either}, or {by: COLUMN, ENTRY: one of these}";

Heading ReadHeading(const YamlField& field) {
  constexpr std::string_view kHeadings = "stated, either or any";
  if (!field.Given()) return Heading::kStated;
  const std::string text = field.Text(kHeadings);
  if (text == "either") return Heading::kEither;
  if (text == "any") return Heading::kAny;
  if (text != "stated") field.Throw(kHeadings);
  return Heading::kStated;
}

OrientationPrior ReadOrientation(const YamlField& field) {
  OrientationPrior prior;
  if (!field.IsMap()) {
    const std::string text = field.Text(kOrientations);
    if (text != "stated" && text != "any") field.Throw(kOrientations);
    prior.any = text == "any";
    return prior;
  }
  field.AllowKeys({"turned_about", "heading"});
  if (const YamlField axis = field["turned_about"]; axis.Given()) {
    prior.turned_about = capture::ReadVector3(axis, {.lowest = -1.0, .highest = 1.0});
    if (std::abs(prior.turned_about->norm() - 1.0) > 1e-3) axis.Throw("a unit vector");
    prior.turned_about->normalize();
  }
  prior.heading = ReadHeading(field["heading"]);
  return prior;
}

}  // namespace

const OrientationPrior* PosePriors::OrientationOf(const ImpactRecord& record) const {
  std::string entry;
  if (!by.empty()) {
    const auto cell = record.extra.find(by);
    if (cell == record.extra.end()) return nullptr;
    entry = cell->second;
  }
  const auto found = orientations.find(entry);
  return found == orientations.end() ? nullptr : &found->second;
}

PosePriors ReadPosePriors(const YamlField& field) {
  field.AllowKeys({"orientation", "normal"});
  PosePriors priors;
  const YamlField orientation = field["orientation"];
  if (!orientation.IsMap() || !orientation["by"].Given()) {
    priors.orientations[""] = ReadOrientation(orientation);
  } else {
    for (const auto& [entry, prior] : orientation.Entries(kOrientations)) {
      if (entry == "by") {
        priors.by = prior.Text("a column of the table that is not mapped");
      } else {
        priors.orientations[entry] = ReadOrientation(prior);
      }
    }
    if (priors.orientations.empty()) orientation.Throw(kOrientations);
  }
  if (const YamlField normal = field["normal"]; normal.Given()) {
    normal.AllowKeys({"sigma", "heading"});
    if (normal["sigma"].Given()) {
      priors.normal.sigma = normal["sigma"].Number({.lowest = 0.0, .highest = 1.0, .unit = "rad"});
    }
    priors.normal.heading = ReadHeading(normal["heading"]);
  }
  return priors;
}

}  // namespace percuss::impacts
