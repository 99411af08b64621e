// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "app/command.h"
#include "app/simulation/body_file.h"
#include "app/simulation/motion.h"
#include "app/simulation/scene_file.h"
#include "app/simulation/simulation_tables.h"
#include "base/error.h"
#include "base/files/files.h"
#include "base/text/json_text.h"
#include "base/text/yaml_field.h"
#include "report/motion/motion_page.h"
#include "report/page/html.h"
#include "solver/scene/scene_simulation.h"
#include "solver/simulation/plane_simulation.h"

namespace percuss::app {
namespace {

constexpr const char* kSimulateFooter = R"(SCENE.yaml with one body:

  body: {shape: box, size: [0.1048, 0.1048, 0.1048], mass: 0.37}   # as in an experiment file
  start:
    position: [0, 0, 0.3]          # of the mass centre, above the plane z = 0 [m]
    orientation: [0.9, 0.3, 0.3, 0.1]  # quaternion w x y z, made a unit one; default 1 0 0 0
    velocity: [1, 0, 0]            # [m/s]; default 0 0 0
    angular_velocity: [0, 5, 0]    # world axes [rad/s]; default 0 0 0
  law: multi-point                 # default; or a name from `percuss laws`
  parameters: {mu: 0.2, e: 0.4}    # multi-point: mu, e, optional mu_s, e_many; else of the law
  duration: 1.5                    # [s]
  frame_rate: 148                  # poses per second [Hz]; default 100

  surfaces:                        # default: the floor z = 0, with the mu of the law
    - {normal: [0, 0, 1]}          # towards the body
    - {normal: [-1, 0, 0], point: [0.5, 0, 0], mu: 0.1, mu_s: 0.2}   # a wall at x = 0.5

Optional: gravity [m/s^2], default 0 0 -9.80665; sliding_friction: mu of sustained contact, default
the mu of the law; rest_speed [m/s], default 0.001, below which a point rests; material, as in
`percuss impact`, or stiffness of a law with a force over time: then --json and --page tell how long
each impact lasts and how deep it presses.

SCENE.yaml with several:

  bodies:
    - {name: arm, body: {mass: 1, inertia: [0.01, 0.01, 0.001]}, start: {position: [0.2, 0, 0.5]}}
    - {name: ball, body: {shape: sphere, radius: 0.05, mass: 0.4}, start: {position: [0.4, 0, 0.5]}}
  joints:                          # where they are at the start
    - {name: hinge, type: revolute, bodies: [ground, arm], point: [0, 0, 0.5], axis: [0, 1, 0]}
    - {type: spherical, bodies: [arm, ball], point: [0.4, 0, 0.5]}
  surfaces:
    - {name: floor, normal: [0, 0, 1]}

with joints revolute, prismatic, spherical, planar and fixed, springs, constant forces, constraints
by expressions, surfaces that move or belong to a body, and friction and e by pair: docs/simulate.md.

With `multi-point` all points that touch take part in an impact, with e at one point and e_many
(-1 to 1, default e) at several; other laws act on one point after the other.

--page shows the motion in three dimensions: it plays, turns, steps from impact to impact with the
impulses as arrows, and has the energy over time.

The table has the columns t, x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz. `percuss run` and
`percuss track` read it as `poses` of a trial.

Example:  percuss simulate body.yaml -o poses.csv)";

struct Outputs {
  std::string poses, forces, joints, page;
  bool json = false;
};

template <class Simulation>
void RequireSolved(const std::string& file, const Simulation& simulation) {
  if (simulation.status == solver::PlaneSimulationStatus::kSolved) return;
  throw DataError(fmt::format("{}: {}", file, simulation.reason));
}

template <class Simulation>
void PrintSummary(const Outputs& outputs, const Simulation& simulation) {
  const auto num_impacts =
      std::ranges::count(simulation.events, solver::PlaneEventKind::kImpact,
                         &std::remove_cvref_t<decltype(simulation.events[0])>::kind);
  fmt::print("{}: {} poses, {} impacts{}\n", outputs.poses, simulation.times.size(), num_impacts,
             simulation.at_rest ? ", comes to rest" : "");
}

void WritePage(const std::string& page, const std::string& file, report::MotionFacts motion) {
  motion.name = std::filesystem::path(file).filename().string();
  WriteFileAtomically(page, report::ToHtml(report::MotionDocument(motion)));
}

int RunBody(const std::string& file, const YamlField& root, const Outputs& outputs) {
  BodyFile request = ReadBodyFile(root);
  if (!outputs.joints.empty())
    throw InputError(file + ": --joints: found one body, allowed with bodies");
  request.options.record_forces = !outputs.forces.empty();
  request.options.record_moments = !outputs.page.empty();
  const solver::PlaneSimulation simulation = solver::SimulateOnPlane(
      request.body, request.start, request.gravity, request.model, request.options);
  RequireSolved(file, simulation);
  WriteFileAtomically(outputs.poses, PoseTable(simulation));
  if (!outputs.forces.empty()) WriteFileAtomically(outputs.forces, ForceTable(simulation));
  if (!outputs.page.empty()) WritePage(outputs.page, file, MotionOf(request, simulation));
  if (outputs.json) {
    fmt::print("{}", JsonText(SimulationJson(simulation), 2));
  } else {
    PrintSummary(outputs, simulation);
  }
  return kExitOk;
}

int RunScene(const std::string& file, const YamlField& root, const Outputs& outputs) {
  SceneFile scene = ReadSceneFile(root);
  scene.options.record_forces = !outputs.forces.empty();
  scene.options.record_moments = !outputs.page.empty();
  solver::SceneSimulation simulation;
  try {
    simulation = solver::SimulateScene(scene.model, scene.options);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
  RequireSolved(file, simulation);
  WriteFileAtomically(outputs.poses, PoseTable(scene.model, simulation));
  if (!outputs.forces.empty())
    WriteFileAtomically(outputs.forces, ForceTable(scene.model, simulation));
  if (!outputs.joints.empty())
    WriteFileAtomically(outputs.joints, JointTable(scene.model, simulation));
  if (!outputs.page.empty()) WritePage(outputs.page, file, MotionOf(scene.model, simulation));
  if (outputs.json) {
    fmt::print("{}", JsonText(SimulationJson(scene.model, simulation), 2));
    return kExitOk;
  }
  PrintSummary(outputs, simulation);
  for (const std::string& name : simulation.redundant)
    fmt::print("{}: asks for something that other joints hold already; fine\n", name);
  return kExitOk;
}

int RunSimulate(const std::string& file, const Outputs& outputs) {
  const YamlField root = YamlField::ReadFile(file);
  return IsSceneFile(root) ? RunScene(file, root, outputs) : RunBody(file, root, outputs);
}

}  // namespace

Command MakeSimulateCommand(CLI::App& program, const CommonOptions&) {
  CLI::App* subcommand =
      program.add_subcommand("simulate",
                             "A body, or several in joints, dropped or thrown on a floor, against "
                             "walls and each other: flight, impacts, contact, as a table of poses");
  auto file = std::make_shared<std::string>();
  auto outputs = std::make_shared<Outputs>();
  subcommand->add_option("scene", *file, "A body or a scene, its start, and the impact law")
      ->required()
      ->type_name("SCENE.yaml");
  subcommand->add_option("-o,--output", outputs->poses, "Table of poses to write")
      ->required()
      ->type_name("POSES.csv");
  subcommand
      ->add_option("--forces", outputs->forces,
                   "Table of the forces of sustained contact, a row for each point at each pose")
      ->type_name("FORCES.csv");
  subcommand
      ->add_option("--joints", outputs->joints,
                   "Table of the angles and ways of the joints of a scene")
      ->type_name("JOINTS.csv");
  subcommand
      ->add_option("--page", outputs->page,
                   "The motion in three dimensions, as a page that one plays and turns")
      ->type_name("PAGE.html");
  subcommand->add_flag("--json", outputs->json,
                       "Print impacts and other events as JSON, with the modes of points");
  subcommand->footer(kSimulateFooter);
  return {subcommand, [=] { return RunSimulate(*file, *outputs); }};
}

}  // namespace percuss::app
