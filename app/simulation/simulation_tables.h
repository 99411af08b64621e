// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "solver/scene/scene_simulation.h"
#include "solver/simulation/plane_simulation.h"

// What `percuss simulate` writes and prints (docs/simulate.md).

namespace percuss::app {

/// Poses and velocities, a row for each time; of a scene for each time and body.
std::string PoseTable(const solver::PlaneSimulation& simulation);
std::string PoseTable(const solver::SceneModel& model, const solver::SceneSimulation& simulation);

/// A row for each point in contact at each pose.
std::string ForceTable(const solver::PlaneSimulation& simulation);
std::string ForceTable(const solver::SceneModel& model, const solver::SceneSimulation& simulation);

/// Angles and ways of revolute and prismatic joints, a row for each time.
std::string JointTable(const solver::SceneModel& model, const solver::SceneSimulation& simulation);

nlohmann::ordered_json SimulationJson(const solver::PlaneSimulation& simulation);
nlohmann::ordered_json SimulationJson(const solver::SceneModel& model,
                                      const solver::SceneSimulation& simulation);

/// The impulses of an impact: body, what it touches (`against`), position, impulse, the `modes` of
/// the point and, where the law says it, its `force` over time.
nlohmann::ordered_json ImpulsesJson(const solver::SceneModel& model,
                                    const std::vector<solver::TouchPair>& pairs,
                                    const solver::SimulationEvent<solver::PairAction>& event);

}  // namespace percuss::app
