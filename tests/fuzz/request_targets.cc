// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Readers of what is asked for: impacts, sweeps, simulations, scenes to be rendered.

#include "app/requests/impact_request.h"
#include "app/requests/measure_readings.h"
#include "app/robots/robot_model.h"
#include "app/simulation/body_file.h"
#include "app/simulation/scene_file.h"
#include "app/sweep/sweep_spec.h"
#include "base/files/files.h"
#include "base/text/yaml_field.h"
#include "synthesis/ball/ball_reader.h"
#include "synthesis/scene/scene_reader.h"
#include "tests/fuzz/target.h"

namespace percuss::fuzz {
namespace {

namespace fs = std::filesystem;

void ReadRequest(const fs::path& file) { app::ReadImpactRequests(ReadFile(file), file.string()); }

void ReadReadings(const fs::path& file) {
  std::vector<std::string> left_out;
  app::ReadReadings(file.string(), "incline", {}, 9.81, left_out);
}

void ReadBodyOfSimulation(const fs::path& file) { app::ReadBodyFile(YamlField::ReadFile(file)); }

void ReadSceneOfSimulation(const fs::path& file) { app::ReadSceneFile(YamlField::ReadFile(file)); }

constexpr Target kTargets[] = {
    {"impact-request", "impact-request", "request.json", ReadRequest},
    {"sweep", "sweep", "spec.yaml", [](const fs::path& f) { app::ReadSweep(f); }},
    {"scene", "scene", "scene.yaml", [](const fs::path& f) { synthesis::ReadSceneSpec(f); }},
    {"readings", "readings", "readings.csv", ReadReadings},
    {"ball", "ball", "ball.yaml", [](const fs::path& f) { synthesis::ReadBallSpec(f); }},
    {"simulation", "simulation", "body.yaml", ReadBodyOfSimulation},
    {"simulation-scene", "simulation-scene", "scene.yaml", ReadSceneOfSimulation},
    {"urdf", "urdf", "robot.urdf", [](const fs::path& f) { app::SceneText(app::ReadUrdf(f), f); }},
    {"mjcf", "mjcf", "robot.xml", [](const fs::path& f) { app::SceneText(app::ReadMjcf(f), f); }},
};

}  // namespace

std::span<const Target> Targets() { return kTargets; }

}  // namespace percuss::fuzz
