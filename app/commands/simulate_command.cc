// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/command.h"
#include "base/error.h"
#include "base/files/files.h"
#include "base/text/json_text.h"
#include "base/text/yaml_field.h"
#include "capture/experiment/experiment.h"
#include "capture/experiment/experiment_body.h"
#include "solver/contact/contact.h"
#include "solver/law/impact_law.h"
#include "solver/simulation/plane_candidates.h"
#include "solver/simulation/plane_simulation.h"
#include "solver/solve_impact.h"

namespace percuss::app {
namespace {

using nlohmann::ordered_json;

constexpr const char* kSimulateFooter = R"(BODY.yaml:

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
the mu of the law; rest_speed [m/s], default 0.001, below which a point rests.

With `multi-point` all points that touch take part in an impact, with e at one point and e_many
(-1 to 1, default e) at several; other laws act on one point after the other.

The table has the columns t, x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz. `percuss run` and
`percuss track` read it as `poses` of a trial.

Example:  percuss simulate body.yaml -o poses.csv)";

struct Request {
  solver::Body body;
  solver::FlightState<double> start;
  Eigen::Vector3d gravity{0.0, 0.0, -9.80665};
  solver::PlaneContactModel model;
  solver::PlaneSimulationOptions options;
};

constexpr Range kFriction{.lowest = 0.0, .highest = 100.0};

void ReadMultiPoint(const YamlField& parameters, solver::PlaneContactModel& model) {
  if (!parameters.IsMap()) parameters.Throw("a map with mu, e, mu_s, e_many");
  parameters.AllowKeys({"mu", "e", "mu_s", "e_many"});
  model.mu = parameters["mu"].Number(kFriction);
  if (parameters["mu_s"].Given()) model.mu_s = parameters["mu_s"].Number(kFriction);
  const double e = parameters["e"].Number({.lowest = 0.0, .highest = 1.0});
  const double many = parameters["e_many"].Given()
                          ? parameters["e_many"].Number({.lowest = -1.0, .highest = 1.0})
                          : e;
  model.impact.restitution_by_points = {e, many};
}

void ReadLaw(const YamlField& root, solver::PlaneContactModel& model) {
  const YamlField law = root["law"], parameters = root["parameters"];
  if (law.Given()) model.law = law.Text("multi-point, or a name from `percuss laws`");
  if (model.law == "multi-point") {
    ReadMultiPoint(parameters, model);
  } else {
    const solver::LawInfo* info = nullptr;
    try {
      info = &solver::FindLaw(model.law);
    } catch (const std::invalid_argument&) {
      law.Throw("multi-point, or a name from `percuss laws`");
    }
    std::vector<std::string_view> names;
    for (const auto& parameter : info->parameters) names.push_back(parameter.name);
    for (const auto& parameter : info->optional_parameters) names.push_back(parameter.name);
    if (!names.empty() && !parameters.IsMap()) parameters.Throw("a map with the law's parameters");
    if (parameters.Given()) parameters.AllowKeys(names);
    const auto range = [](const solver::ParameterInfo& parameter) {
      return Range{.lowest = parameter.lower, .highest = parameter.upper};
    };
    for (const auto& parameter : info->parameters) {
      model.parameters.push_back(parameters[parameter.name].Number(range(parameter)));
    }
    for (const auto& parameter : info->optional_parameters) {
      if (!parameters[parameter.name].Given()) break;
      model.parameters.push_back(parameters[parameter.name].Number(range(parameter)));
    }
    const YamlField friction = root["sliding_friction"];
    if (!friction.Given() && !parameters["mu"].Given()) {
      friction.Throw("a number of at least 0, beside a law without mu");
    }
    if (parameters["mu"].Given()) model.mu = parameters["mu"].Number(kFriction);
    if (parameters["mu_s"].Given()) model.mu_s = parameters["mu_s"].Number(kFriction);
  }
  if (root["sliding_friction"].Given()) model.mu = root["sliding_friction"].Number(kFriction);
}

/// Planes that the body is before; without any the floor z = 0.
void ReadSurfaces(const YamlField& field, solver::PlaneContactModel& model) {
  if (!field.Given()) return;
  constexpr Range kPlace{.lowest = -1e3, .highest = 1e3};
  model.planes.clear();
  for (const YamlField& one : field.Items("a list of planes")) {
    if (!one.IsMap()) one.Throw("a map with normal, point, mu, mu_s");
    one.AllowKeys({"normal", "point", "mu", "mu_s"});
    const Eigen::Vector3d normal = capture::ReadVector3(one["normal"], kPlace);
    if (!(normal.norm() > 0.0)) one["normal"].Throw("a vector that is not zero");
    solver::ContactPlane plane{.frame = solver::ContactFrame(normal)};
    if (one["point"].Given())
      plane.offset = plane.frame.col(2).dot(capture::ReadVector3(one["point"], kPlace));
    if (one["mu"].Given()) plane.mu = one["mu"].Number(kFriction);
    if (one["mu_s"].Given()) plane.mu_s = one["mu_s"].Number(kFriction);
    model.planes.push_back(plane);
  }
  if (model.planes.empty()) field.Throw("a list of at least one plane");
}

/// The body is on the side of each plane to which its normal points.
void CheckStart(const YamlField& root, const Request& request) {
  const Eigen::Matrix3d R_WB = request.start.q_WB.toRotationMatrix();
  for (std::size_t k = 0; k < request.model.planes.size(); ++k) {
    const solver::ContactPlane& plane = request.model.planes[k];
    double lowest = 0.0;
    for (const Eigen::Vector3d& arm :
         solver::ContactCandidates(request.body.shape, plane.frame.transpose() * R_WB)) {
      lowest = std::min(lowest, arm.z());
    }
    const double height = plane.frame.col(2).dot(request.start.p_WB) - plane.offset;
    if (height + lowest >= -request.options.contact_tolerance) continue;
    root["start"]["position"].Throw(
        root["surfaces"].Given()
            ? fmt::format("a body before surface {}: at least {:.6g} m from it along its normal, "
                          "which is {:.6g} m",
                          k + 1, -lowest, height)
            : fmt::format("a body above the plane z = 0: z of at least {:.6g}", -lowest));
  }
}

solver::FlightState<double> ReadStart(const YamlField& field) {
  if (!field.IsMap()) field.Throw("a map with position, orientation, velocity, angular_velocity");
  field.AllowKeys({"position", "orientation", "velocity", "angular_velocity"});
  solver::FlightState<double> start;
  start.p_WB = capture::ReadVector3(field["position"], {.lowest = -1e3, .highest = 1e3});
  if (field["velocity"].Given()) {
    start.v = capture::ReadVector3(field["velocity"], {.lowest = -1e3, .highest = 1e3});
  }
  if (field["angular_velocity"].Given()) {
    start.w = capture::ReadVector3(field["angular_velocity"], {.lowest = -1e4, .highest = 1e4});
  }
  if (field["orientation"].Given()) {
    const std::vector<double> q = field["orientation"].Numbers(4, {.lowest = -1e3, .highest = 1e3});
    start.q_WB = Eigen::Quaterniond(q[0], q[1], q[2], q[3]);
    if (!(start.q_WB.norm() > 0.0)) field["orientation"].Throw("4 numbers that are not all zero");
    start.q_WB.normalize();
  }
  return start;
}

Request ReadRequest(const std::filesystem::path& file) {
  const YamlField root = YamlField::ReadFile(file);
  root.AllowKeys({"body", "start", "gravity", "law", "parameters", "sliding_friction", "duration",
                  "frame_rate", "rest_speed", "surfaces"});
  Request request;
  request.body = capture::ReadBody(root["body"]).body;
  request.start = ReadStart(root["start"]);
  if (root["gravity"].Given()) {
    request.gravity = capture::ReadVector3(root["gravity"], {.lowest = -30.0, .highest = 30.0});
  }
  ReadLaw(root, request.model);
  ReadSurfaces(root["surfaces"], request.model);
  const auto positive = [&](std::string_view key, double highest, std::string_view unit) {
    return root[key].Number(
        {.lowest = 0.0, .highest = highest, .lowest_included = false, .unit = unit});
  };
  request.options.duration = positive("duration", 1e3, "s");
  const double rate = root["frame_rate"].Given() ? positive("frame_rate", 1e6, "Hz") : 100.0;
  request.options.sample_interval = 1.0 / rate;
  if (root["rest_speed"].Given()) request.options.rest_speed = positive("rest_speed", 1.0, "m/s");
  CheckStart(root, request);
  return request;
}

std::string Table(const solver::PlaneSimulation& simulation) {
  std::string text = "t,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
  for (std::size_t k = 0; k < simulation.times.size(); ++k) {
    const solver::FlightState<double>& s = simulation.states[k];
    const Eigen::Quaterniond& q = s.q_WB;
    const std::array cells = {simulation.times[k],
                              s.p_WB.x(),
                              s.p_WB.y(),
                              s.p_WB.z(),
                              q.w(),
                              q.x(),
                              q.y(),
                              q.z(),
                              s.v.x(),
                              s.v.y(),
                              s.v.z(),
                              s.w.x(),
                              s.w.y(),
                              s.w.z()};
    text += fmt::format("{:.9g}\n", fmt::join(cells, ","));
  }
  return text;
}

/// A row for each point in contact at each pose.
std::string ForceTable(const solver::PlaneSimulation& simulation) {
  std::string text = "t,surface,x,y,z,fx,fy,fz\n";
  for (std::size_t k = 0; k < simulation.forces.size(); ++k) {
    for (const solver::PointAction& point : simulation.forces[k]) {
      const Eigen::Vector3d &p = point.position, &f = point.action;
      text +=
          fmt::format("{:.9g},{},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g}\n", simulation.times[k],
                      point.plane + 1, p.x(), p.y(), p.z(), f.x(), f.y(), f.z());
    }
  }
  return text;
}

ordered_json ImpulsesJson(const std::vector<solver::PointAction>& impulses) {
  ordered_json list = ordered_json::array();
  for (const solver::PointAction& one : impulses) {
    list.push_back({{"surface", one.plane + 1},
                    {"position", {one.position.x(), one.position.y(), one.position.z()}},
                    {"impulse", {one.action.x(), one.action.y(), one.action.z()}}});
  }
  return list;
}

ordered_json ToJson(const solver::PlaneSimulation& simulation) {
  ordered_json out = {{"poses", simulation.times.size()},
                      {"at_rest", simulation.at_rest},
                      {"energy_gain", simulation.energy_gain}};
  out["events"] = ordered_json::array();
  for (const solver::PlaneEvent& event : simulation.events) {
    out["events"].push_back({{"kind", solver::KindName(event.kind)},
                             {"time", event.time},
                             {"points", event.num_points},
                             {"energy_before", event.energy_before},
                             {"energy_after", event.energy_after}});
    if (!event.impulses.empty()) out["events"].back()["impulses"] = ImpulsesJson(event.impulses);
  }
  return out;
}

int RunSimulate(const std::string& file, const std::string& output, const std::string& forces,
                bool json) {
  Request request = ReadRequest(file);
  request.options.record_forces = !forces.empty();
  const solver::PlaneSimulation simulation = solver::SimulateOnPlane(
      request.body, request.start, request.gravity, request.model, request.options);
  if (simulation.status != solver::PlaneSimulationStatus::kSolved) {
    throw DataError(fmt::format("{}: {}", file, simulation.reason));
  }
  WriteFileAtomically(output, Table(simulation));
  if (!forces.empty()) WriteFileAtomically(forces, ForceTable(simulation));
  if (json) {
    fmt::print("{}", JsonText(ToJson(simulation), 2));
    return kExitOk;
  }
  std::size_t num_impacts = 0;
  for (const solver::PlaneEvent& event : simulation.events) {
    num_impacts += event.kind == solver::PlaneEventKind::kImpact ? 1 : 0;
  }
  fmt::print("{}: {} poses, {} impacts{}\n", output, simulation.times.size(), num_impacts,
             simulation.at_rest ? ", comes to rest" : "");
  return kExitOk;
}

}  // namespace

Command MakeSimulateCommand(CLI::App& program, const CommonOptions&) {
  CLI::App* subcommand =
      program.add_subcommand("simulate",
                             "A body dropped or thrown on a floor, against walls, into a corner: "
                             "flight, impacts, contact, as a table of poses");
  auto file = std::make_shared<std::string>();
  auto output = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  subcommand->add_option("body", *file, "Body, its start, and the impact law")
      ->required()
      ->type_name("BODY.yaml");
  subcommand->add_option("-o,--output", *output, "Table of poses to write")
      ->required()
      ->type_name("POSES.csv");
  auto forces = std::make_shared<std::string>();
  subcommand
      ->add_option("--forces", *forces,
                   "Table of the forces of sustained contact, a row for each point at each pose")
      ->type_name("FORCES.csv");
  subcommand->add_flag("--json", *json, "Print impacts and other events as JSON");
  subcommand->footer(kSimulateFooter);
  return {subcommand, [=] { return RunSimulate(*file, *output, *forces, *json); }};
}

}  // namespace percuss::app
