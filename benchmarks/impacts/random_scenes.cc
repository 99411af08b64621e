// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/impacts/random_scenes.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>

#include "solver/simulation/plane_simulation.h"
#include "tests/solver/simulation/random_scene.h"

namespace percuss::benchmarks {

std::vector<BoundSection> MeasureRandomScenes(const std::filesystem::path&) {
  constexpr int kScenes = 10000;
  // A scene takes hundreds; one that takes so many has no answer.
  constexpr int kMostSteps = 20000;
  double gain = 0.0;
  int failed = 0;
  double impacts = 0.0;
  std::map<std::string, int> reasons;
  for (int k = 0; k < kScenes; ++k) {
    const solver::testing::RandomScene scene = solver::testing::DrawScene(k);
    const solver::PlaneSimulation simulation =
        solver::SimulateOnPlane(scene.body, scene.start, {0, 0, -9.81}, scene.model,
                                {.duration = 0.5, .max_steps = kMostSteps});
    gain = std::max(gain, simulation.energy_gain);
    for (const solver::PlaneEvent& event : simulation.events)
      impacts += event.kind == solver::PlaneEventKind::kImpact ? 1.0 : 0.0;
    if (simulation.status == solver::PlaneSimulationStatus::kSolved) continue;
    ++failed;
    ++reasons[fmt::format("{} (first: scene {})", solver::StatusName(simulation.status), k)];
  }
  BoundSection section{"10000 random scenes, half a second each",
                       {{"largest rise of energy, over that of the start", "", gain, 0.0, 1e-9},
                        {"scenes without answer", "", static_cast<double>(failed), 0.0, 0.0},
                        {"impacts", "", impacts}},
                       {}};
  for (const auto& [reason, count] : reasons)
    section.remarks.push_back(fmt::format("{} of {}", count, reason));
  return {section};
}

}  // namespace percuss::benchmarks
