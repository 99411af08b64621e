// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/scene/scene_simulation.h"

#include <sstream>
#include <stdexcept>

#include "solver/simulation/hybrid_simulator.h"

namespace percuss::solver {
namespace {

void RequireApart(const SceneModel& model, const SceneSystem& system,
                  const PlaneSimulationOptions& options) {
  for (const Touch& touch : system.Look(system.start()).touches) {
    if (touch.gap >= -options.contact_tolerance) continue;
    const TouchPair& pair = system.pairs()[touch.pair];
    std::ostringstream text;
    text << "bodies." << model.bodies[pair.body].name << " starts " << -touch.gap << " m deep in ";
    if (pair.surface >= 0) {
      text << "surfaces." << model.surfaces[pair.surface].name;
    } else {
      text << "bodies." << model.bodies[pair.other].name;
    }
    text << "; it must be outside";
    throw std::invalid_argument(text.str());
  }
}

}  // namespace

SceneSimulation SimulateScene(const SceneModel& model, const PlaneSimulationOptions& options) {
  SceneSystem system(model, options);
  RequireApart(model, system, options);
  SceneSimulation out;
  using Base = SimulationOutput<SceneSystem::Sample, SceneSystem::Action>;
  internal::HybridSimulator<SceneSystem> simulator(system, system.start(), options);
  static_cast<Base&>(out) = simulator.Run();
  out.pairs = system.pairs();
  out.redundant = system.redundant();
  out.energy_counts = system.Conserves();
  return out;
}

SceneImpact SolveSceneImpact(const SceneModel& model, const PlaneSimulationOptions& options,
                             const SceneSystem::NextImpact& next) {
  const SceneSystem system(model, options);
  RequireApart(model, system, options);
  SceneImpact out;
  out.pairs = system.pairs();
  SceneSystem::State state = system.start();
  out.before = system.SampleOf(state);
  out.event.energy_before = system.KineticEnergy(state);
  constexpr int kMostRounds = 200;
  SceneSystem::ImpactOutcome outcome = SceneSystem::ImpactOutcome::kDone;
  for (int round = 0; round < kMostRounds && outcome == SceneSystem::ImpactOutcome::kDone;
       ++round) {
    outcome = system.Strike(state, out.event, out.reason, next);
    out.strikes = out.strikes || outcome == SceneSystem::ImpactOutcome::kDone;
  }
  if (outcome == SceneSystem::ImpactOutcome::kDone) out.reason = "points go on approaching";
  if (outcome != SceneSystem::ImpactOutcome::kNone)
    out.status = PlaneSimulationStatus::kImpactFailed;
  out.after = system.SampleOf(state);
  out.event.energy_after = system.KineticEnergy(state);
  return out;
}

}  // namespace percuss::solver
