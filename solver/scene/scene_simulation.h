// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "solver/scene/scene_model.h"
#include "solver/scene/scene_system.h"
#include "solver/simulation/plane_model.h"

namespace percuss::solver {

struct SceneSimulation : SimulationOutput<SceneSample, PairAction> {
  std::vector<TouchPair> pairs;        ///< to which PairAction::pair points
  std::vector<std::string> redundant;  ///< names of what asks for what other joints hold already
  bool energy_counts =
      true;  ///< nothing that moves by itself does work, so energy_gain says something
};

/// Bodies in joints, through motion, impacts at all points that touch, and sustained contact: the
/// hybrid simulator of chatterjee2019 3.3.2 in joint coordinates, with loops and constraints
/// eliminated (2.7)-(2.13).
/// @throws std::invalid_argument quoting field and value: a mass or inertia that is not positive, a
/// body beyond a surface or in another, a constraint that does not hold at the start, velocities
/// that joints do not allow, a law or parameters that do not exist.
SceneSimulation SimulateScene(const SceneModel& model, const PlaneSimulationOptions& options = {});

/// The impact of a scene as it starts.
struct SceneImpact {
  PlaneSimulationStatus status = PlaneSimulationStatus::kSolved;
  std::string reason;                 ///< of kImpactFailed
  bool strikes = false;               ///< false: nothing that touches approaches
  SimulationEvent<PairAction> event;  ///< impulses of all rounds until nothing approaches
  SceneSample before, after;
  std::vector<TouchPair> pairs;
};

/// @param next chooses among impacts that happen at once; the fastest if empty
/// @throws std::invalid_argument as SimulateScene
SceneImpact SolveSceneImpact(const SceneModel& model, const PlaneSimulationOptions& options = {},
                             const SceneSystem::NextImpact& next = {});

}  // namespace percuss::solver
