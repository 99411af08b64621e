// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Scenes of bodies in joints against Simbody on the same models, and what they cost. The same
// arguments as the other benchmarks: RunTopics.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "benchmarks/mechanisms/linked_scenes.h"
#include "benchmarks/mechanisms/peer_scenes.h"
#include "benchmarks/timing.h"
#include "benchmarks/topics.h"
#include "solver/contact/contact.h"
#include "solver/scene/scene_simulation.h"

namespace percuss::benchmarks {
namespace {

using Eigen::Vector3d;

constexpr double kInterval = 0.001;

solver::SceneModel Empty() {
  solver::SceneModel model;
  model.gravity << 0.0, 0.0, -9.81;
  return model;
}

solver::SceneBody Mass(const char* name, double mass, const Vector3d& moments, const Vector3d& at) {
  solver::SceneBody body{.name = name, .touches = false};
  body.body.mass = mass;
  body.body.inertia = moments.asDiagonal();
  body.start.p_WB = at;
  return body;
}

solver::SceneJoint Hinge(const char* name, int first, int second, const Vector3d& point) {
  return {.name = name,
          .kind = solver::JointKind::kRevolute,
          .first = first,
          .second = second,
          .point = point,
          .axis = Vector3d::UnitY()};
}

solver::SceneModel DoublePendulum() {
  solver::SceneModel model = Empty();
  const Vector3d rod(0.001, 1.0 / 12.0, 1.0 / 12.0);
  model.bodies = {Mass("upper", 1.0, rod, {0.5, 0.0, 0.0}),
                  Mass("lower", 1.0, rod, {1.5, 0.0, 0.0})};
  model.joints = {Hinge("shoulder", solver::kGround, 0, {0.0, 0.0, 0.0}),
                  Hinge("elbow", 0, 1, {1.0, 0.0, 0.0})};
  return model;
}

solver::SceneModel FourBar() {
  solver::SceneModel model = Empty();
  const Vector3d b(0.5230124549639641, 0.0, 0.49403736489189193), end(0.0, 0.0, 0.2),
      pivot(0.6, 0.0, 0.0), moments(0.002, 0.002, 0.002);
  model.bodies = {Mass("crank", 0.5, moments, 0.5 * end),
                  Mass("coupler", 1.0, moments, 0.5 * (end + b)),
                  Mass("rocker", 0.8, moments, 0.5 * (pivot + b))};
  model.joints = {Hinge("motor", solver::kGround, 0, Vector3d::Zero()), Hinge("pin", 0, 1, end),
                  Hinge("swing", solver::kGround, 2, pivot), Hinge("close", 1, 2, b)};
  model.joints[0].rate = 10.0;
  return model;
}

/// It strikes a stop with its slider.
solver::SceneModel SliderCrank() {
  solver::SceneModel model = Empty();
  const double reach = std::sqrt(0.09 - 0.01);
  model.bodies = {Mass("crank", 2.0, {0.02, 0.02, 0.02}, {0.0, 0.0, 0.05}),
                  Mass("rod", 0.5, {0.004, 0.004, 0.004}, {0.5 * reach, 0.0, 0.05}),
                  Mass("slider", 0.4, {0.001, 0.001, 0.001}, {reach, 0.0, 0.0})};
  model.bodies[2].touches = true;
  model.bodies[2].points = {{.at = {0.03, 0.0, 0.0}}};
  model.joints = {Hinge("motor", solver::kGround, 0, Vector3d::Zero()),
                  Hinge("pin", 0, 1, {0.0, 0.0, 0.1}),
                  {.name = "guide",
                   .kind = solver::JointKind::kPrismatic,
                   .first = solver::kGround,
                   .second = 2,
                   .axis = Vector3d::UnitX()},
                  Hinge("wrist", 1, 2, {reach, 0.0, 0.0})};
  model.joints[0].rate = 20.0;
  model.surfaces = {{.name = "stop",
                     .frame = solver::ContactFrame(-Vector3d::UnitX()),
                     .point = {0.42, 0.0, 0.0}}};
  model.impact.restitution_by_points = {0.5};
  return model;
}

PeerScene ToPeer(const solver::SceneModel& model) {
  PeerScene scene{.gravity = model.gravity,
                  .e = model.impact.restitution_by_points.empty()
                           ? 0.0
                           : model.impact.restitution_by_points.front(),
                  .mu = model.mu};
  for (const solver::SceneBody& body : model.bodies) {
    const auto* ball = std::get_if<solver::Sphere>(&body.body.shape);
    scene.bodies.push_back({body.body.mass, body.body.inertia.diagonal(), body.start.p_WB,
                            ball != nullptr ? ball->radius : 0.0});
  }
  for (const solver::SceneJoint& joint : model.joints)
    scene.joints.push_back({joint.kind == solver::JointKind::kPrismatic, joint.first, joint.second,
                            joint.point, joint.axis});
  return scene;
}

/// Coordinates and speeds of the tree's joints from the bodies of a sample.
PeerState StateOf(const solver::SceneModel& model, const solver::SceneSample& sample) {
  PeerState state;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const double coordinate = sample.joints[static_cast<Eigen::Index>(j)];
    if (std::isnan(coordinate)) continue;
    const solver::SceneJoint& joint = model.joints[j];
    const solver::FlightState<double>& second = sample.bodies[joint.second];
    const Vector3d w =
        joint.first == solver::kGround ? Vector3d(Vector3d::Zero()) : sample.bodies[joint.first].w;
    state.coordinates.push_back(coordinate);
    state.speeds.push_back(joint.kind == solver::JointKind::kRevolute ? joint.axis.dot(second.w - w)
                                                                      : joint.axis.dot(second.v));
  }
  return state;
}

/// The largest difference of places over 2 s between impacts, of the largest extent.
BoundRow Against(const char* name, const solver::SceneModel& model, double length) {
  solver::PlaneSimulationOptions options;
  options.duration = 2.0;
  options.sample_interval = kInterval;
  const solver::SceneSimulation ours = solver::SimulateScene(model, options);
  double worst = ours.status == solver::PlaneSimulationStatus::kSolved
                     ? 0.0
                     : std::numeric_limits<double>::quiet_NaN();
  std::vector<double> ends;
  for (const auto& event : ours.events) ends.push_back(event.time);
  ends.push_back(options.duration + 0.5 * kInterval);
  std::size_t first = 0;
  for (const double end : ends) {  // first and last sample inside each smooth part
    const auto last = std::min(static_cast<std::size_t>(end / kInterval), ours.times.size() - 1);
    if (last > first) {
      const auto places = MoveBySimbody(ToPeer(model), StateOf(model, ours.states[first]),
                                        ours.times[last] - ours.times[first]);
      for (std::size_t b = 0; b < places.size(); ++b) {
        worst = std::max(worst, (places[b] - ours.states[last].bodies[b].p_WB).norm() / length);
      }
    }
    first = last + 1;
  }
  return {fmt::format("{} against Simbody, {} smooth parts", name, ends.size()), "of its length",
          worst, -std::numeric_limits<double>::infinity(), 1e-6};
}

std::vector<BoundSection> Motion(const std::filesystem::path&) {
  return {{"Smooth motion over 2 s",
           {Against("double pendulum", DoublePendulum(), 2.0), Against("four-bar", FourBar(), 0.6),
            Against("slider-crank with impacts", SliderCrank(), 0.3)},
           {}}};
}

/// Ten balls that bounce twice each within a second.
solver::SceneModel TenBalls() {
  solver::SceneModel model = Empty();
  for (int k = 0; k < 10; ++k) {
    solver::SceneBody ball{.name = fmt::format("ball-{}", k),
                           .body = {.shape = solver::Sphere{0.05}, .mass = 0.2}};
    ball.body.inertia = solver::UniformInertia(ball.body.shape, ball.body.mass);
    ball.start.p_WB << 0.3 * k, 0.0, 0.45 + 0.02 * k;
    model.bodies.push_back(ball);
  }
  model.surfaces = {{.name = "floor"}};
  model.impact.restitution_by_points = {0.6};
  model.mu = 0.3;
  return model;
}

std::vector<BoundSection> Speed(const std::filesystem::path&) {
  const solver::SceneModel model = TenBalls();
  solver::PlaneSimulationOptions options;
  options.duration = 1.0;
  options.sample_interval = 0.01;
  double least = std::numeric_limits<double>::infinity();
  int impacts = 0;
  for (int repetition = 0; repetition < 5; ++repetition) {
    solver::SceneSimulation ours;
    least =
        std::min(least, 1e-9 * Nanoseconds([&] { ours = solver::SimulateScene(model, options); }));
    impacts =
        static_cast<int>(std::ranges::count(ours.events, solver::PlaneEventKind::kImpact,
                                            &solver::SimulationEvent<solver::PairAction>::kind));
  }
  const PeerTime peer = DropBySimbody(ToPeer(model), options.duration);
  return {{"10 bodies, 1 s",
           {{"impacts", "", static_cast<double>(impacts)},
            {"Percuss", "ms", 1e3 * least},
            {"Simbody", "ms", 1e3 * peer.seconds},
            {"Percuss / Simbody", "", least / peer.seconds,
             -std::numeric_limits<double>::infinity(), 0.5}},
           {"Simbody's faster way: " + peer.method}}};
}

/// Energy of random scenes of bodies in joints.
std::vector<BoundSection> Scenes(const std::filesystem::path&) {
  const LinkedScenes scenes = SimulateLinkedScenes(2000);
  return {{"2000 random scenes of bodies in joints, 1 s each",
           {{"impacts", "", static_cast<double>(scenes.impacts)},
            {"start in one another, refused", "", static_cast<double>(scenes.refused)},
            {"not simulated to the end", "", static_cast<double>(scenes.unsolved), 0.0, 0.0},
            {"largest rise of the energy", "of it", scenes.energy_gain,
             -std::numeric_limits<double>::infinity(), 1e-9}},
           scenes.reasons}};
}

}  // namespace
}  // namespace percuss::benchmarks

int main(int argc, char** argv) {
  using namespace percuss::benchmarks;
  return RunTopics("percuss_mechanisms",
                   {{"motion", Motion}, {"speed", Speed}, {"scenes", Scenes, true}}, argc, argv);
}
