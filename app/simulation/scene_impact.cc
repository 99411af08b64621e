// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/simulation/scene_impact.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/simulation/scene_file.h"
#include "app/simulation/simulation_tables.h"
#include "base/error.h"
#include "base/text/json_text.h"
#include "solver/scene/scene_simulation.h"

namespace percuss::app {

nlohmann::ordered_json SceneImpactJson(const std::filesystem::path& file) {
  const YamlField root = YamlField::ReadFile(file);
  if (!IsSceneFile(root)) root["bodies"].Throw("a scene: a list of bodies");
  const SceneFile scene = ReadSceneFile(root);
  solver::SceneImpact impact;
  try {
    impact = solver::SolveSceneImpact(scene.model, scene.options);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", file.string(), error.what()));
  }
  if (impact.status != solver::PlaneSimulationStatus::kSolved)
    throw DataError(fmt::format("{}: {}", file.string(), impact.reason));
  if (!impact.strikes)
    throw DataError(
        fmt::format("{}: nothing that touches approaches faster than rest_speed", file.string()));
  nlohmann::ordered_json out = {
      {"law", scene.model.law},
      {"energy", {{"before", impact.event.energy_before}, {"after", impact.event.energy_after}}}};
  for (std::size_t b = 0; b < scene.model.bodies.size(); ++b) {
    const solver::FlightState<double>&before = impact.before.bodies[b],
          &after = impact.after.bodies[b];
    out["bodies"].push_back({{"name", scene.model.bodies[b].name},
                             {"velocity_before", JsonList(before.v)},
                             {"angular_velocity_before", JsonList(before.w)},
                             {"velocity", JsonList(after.v)},
                             {"angular_velocity", JsonList(after.w)}});
  }
  for (const solver::PairAction& one : impact.event.impulses)
    out["impulses"].push_back(ImpulseJson(scene.model, impact.pairs[one.pair], one));
  return out;
}

}  // namespace percuss::app
