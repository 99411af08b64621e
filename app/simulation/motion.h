// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/simulation/body_file.h"
#include "report/motion/motion_facts.h"
#include "solver/scene/scene_simulation.h"
#include "solver/simulation/plane_simulation.h"

// What the page of `percuss simulate` shows, from simulations with their moments
// (PlaneSimulationOptions::record_moments). The name of the file is left to the caller.

namespace percuss::app {

report::MotionFacts MotionOf(const BodyFile& file, const solver::PlaneSimulation& simulation);
report::MotionFacts MotionOf(const solver::SceneModel& model,
                             const solver::SceneSimulation& simulation);

}  // namespace percuss::app
