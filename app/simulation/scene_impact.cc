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
#include "solver/scene/impact_orders.h"

namespace percuss::app {

namespace {

using nlohmann::ordered_json;

SceneFile ReadScene(const std::filesystem::path& file) {
  const YamlField root = YamlField::ReadFile(file);
  if (!IsSceneFile(root)) root["bodies"].Throw("a scene: a list of bodies");
  return ReadSceneFile(root);
}

// What `solve` says of the scene of a file.
template <class Solve>
auto Solved(const std::filesystem::path& file, const Solve& solve) {
  try {
    return solve();
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

void RequireStrike(const std::filesystem::path& file, const solver::SceneImpact& impact) {
  if (impact.strikes) return;
  throw DataError(
      fmt::format("{}: nothing that touches approaches faster than rest_speed", file.string()));
}

}  // namespace

ordered_json SceneImpactJson(const std::filesystem::path& file) {
  const SceneFile scene = ReadScene(file);
  const solver::SceneImpact impact =
      Solved(file, [&] { return solver::SolveSceneImpact(scene.model, scene.options); });
  if (impact.status != solver::PlaneSimulationStatus::kSolved)
    throw DataError(fmt::format("{}: {}", file.string(), impact.reason));
  RequireStrike(file, impact);
  ordered_json out = {
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
  out["impulses"] = ImpulsesJson(scene.model, impact.pairs, impact.event);
  return out;
}

ordered_json SceneImpactOrdersJson(const std::filesystem::path& file) {
  const SceneFile scene = ReadScene(file);
  const solver::ImpactOrders orders =
      Solved(file, [&] { return solver::SolveInAllOrders(scene.model, scene.options); });
  if (orders.outcomes.empty()) throw DataError(fmt::format("{}: {}", file.string(), orders.reason));
  RequireStrike(file, orders.outcomes.front().impact);
  ordered_json out = {{"law", scene.model.law},
                      {"energy_before", orders.outcomes.front().impact.event.energy_before},
                      {"orders", orders.num_orders},
                      {"complete", orders.complete},
                      {"failed", orders.num_failed},
                      {"probability", orders.probability}};
  for (std::size_t b = 0; b < scene.model.bodies.size(); ++b) {
    const solver::VelocitySpread& spread = orders.bodies[b];
    out["bodies"].push_back(
        {{"name", scene.model.bodies[b].name},
         {"velocity", {{"mean", JsonList(spread.v_mean)}, {"sd", JsonList(spread.v_sd)}}},
         {"angular_velocity", {{"mean", JsonList(spread.w_mean)}, {"sd", JsonList(spread.w_sd)}}}});
  }
  for (const solver::OrderedOutcome& outcome : orders.outcomes) {
    ordered_json one = {{"probability", outcome.probability},
                        {"orders", outcome.num_orders},
                        {"energy", outcome.impact.event.energy_after}};
    for (std::size_t b = 0; b < scene.model.bodies.size(); ++b) {
      const solver::FlightState<double>& after = outcome.impact.after.bodies[b];
      one["bodies"].push_back({{"name", scene.model.bodies[b].name},
                               {"velocity", JsonList(after.v)},
                               {"angular_velocity", JsonList(after.w)}});
    }
    one["impulses"] = ImpulsesJson(scene.model, outcome.impact.pairs, outcome.impact.event);
    out["outcomes"].push_back(one);
  }
  return out;
}

}  // namespace percuss::app
