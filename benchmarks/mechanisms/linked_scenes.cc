// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/mechanisms/linked_scenes.h"

#include <fmt/core.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <random>
#include <string>

#include "solver/contact/contact.h"
#include "solver/scene/scene_simulation.h"

namespace percuss::benchmarks {
namespace {

using Eigen::Vector3d;

class LinkedDraw {
 public:
  explicit LinkedDraw(unsigned seed) : random_(seed) {}

  double Between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  Vector3d Vector(double size) {
    const double x = Between(-size, size), y = Between(-size, size), z = Between(-size, size);
    return {x, y, z};
  }
  int Below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

 private:
  std::mt19937 random_;
};

solver::Shape ShapeOf(LinkedDraw& draw) {
  const double a = draw.Between(0.02, 0.1), b = draw.Between(0.02, 0.1),
               c = draw.Between(0.02, 0.1);
  switch (draw.Below(3)) {
    case 0:
      return solver::Box{{a, b, c}};
    case 1:
      return solver::Capsule{a, b};
    default:
      return solver::Sphere{a};
  }
}

/// Two to four bodies in a row, each on the one before by a joint of any kind or free, the first on
/// the ground or free; a floor that is tilted, and now and then a wall.
solver::SceneModel DrawLinked(unsigned seed) {
  LinkedDraw draw(seed);
  solver::SceneModel model;
  model.gravity << 0.0, 0.0, -9.81;
  const int count = 2 + draw.Below(3);
  for (int b = 0; b < count; ++b) {
    solver::SceneBody body{.name = fmt::format("body-{}", b),
                           .body = {.shape = ShapeOf(draw), .mass = draw.Between(0.1, 1.0)}};
    body.body.inertia = solver::UniformInertia(body.body.shape, body.body.mass);
    body.start.p_WB << 0.25 * b, draw.Between(-0.05, 0.05), draw.Between(0.3, 0.5);
    body.start.q_WB = Eigen::Quaterniond(draw.Between(-1.0, 1.0), draw.Between(-1.0, 1.0),
                                         draw.Between(-1.0, 1.0), draw.Between(-1.0, 1.0))
                          .normalized();
    const int previous = b == 0 ? solver::kGround : b - 1;
    const bool joined = draw.Below(3) > 0;
    if (joined) {
      const solver::JointKind kinds[] = {
          solver::JointKind::kRevolute, solver::JointKind::kSpherical,
          solver::JointKind::kPrismatic, solver::JointKind::kPlanar, solver::JointKind::kRevolute};
      const Vector3d before = b == 0 ? body.start.p_WB : model.bodies[b - 1].start.p_WB;
      solver::SceneJoint joint{.name = fmt::format("joint-{}", b),
                               .kind = kinds[draw.Below(5)],
                               .first = previous,
                               .second = b};
      joint.point = 0.5 * (before + body.start.p_WB) + draw.Vector(0.05);
      joint.axis = draw.Vector(1.0);
      if (draw.Below(4) == 0 && (joint.kind == solver::JointKind::kRevolute ||
                                 joint.kind == solver::JointKind::kPrismatic)) {
        joint.stiffness = draw.Between(0.1, 5.0);
        joint.damping = draw.Between(0.0, 0.05);
      }
      model.joints.push_back(joint);
    } else {
      body.start.v = draw.Vector(1.0);
      body.start.w = draw.Vector(5.0);
      body.velocity_given = body.angular_velocity_given = true;
    }
    model.bodies.push_back(body);
  }
  const Vector3d up(draw.Between(-0.3, 0.3), draw.Between(-0.3, 0.3), 1.0);
  model.surfaces = {{.name = "floor", .frame = solver::ContactFrame(up)}};
  // Below everything: no body starts in it.
  model.surfaces[0].point = -0.3 * up.normalized();
  if (draw.Below(3) == 0) {
    model.surfaces.push_back({.name = "wall",
                              .frame = solver::ContactFrame(-Vector3d::UnitX()),
                              .point = {1.2, 0.0, 0.0}});
  }
  model.mu = draw.Below(5) == 0 ? 0.0 : draw.Between(0.0, 1.0);
  model.impact.restitution_by_points = {draw.Between(0.0, 1.0), draw.Between(-0.5, 1.0)};
  return model;
}

}  // namespace

LinkedScenes SimulateLinkedScenes(int count) {
  LinkedScenes out;
  solver::PlaneSimulationOptions options;
  options.duration = 1.0;
  options.sample_interval = 0.1;
  options.max_steps = 200000;
  for (int k = 0; k < count; ++k) {
    try {
      const solver::SceneSimulation simulation =
          solver::SimulateScene(DrawLinked(static_cast<unsigned>(k)), options);
      ++out.simulated;
      out.impacts +=
          static_cast<int>(std::ranges::count(simulation.events, solver::PlaneEventKind::kImpact,
                                              &solver::SimulationEvent<solver::PairAction>::kind));
      if (simulation.status != solver::PlaneSimulationStatus::kSolved) {
        ++out.unsolved;
        if (out.reasons.size() < 5)
          out.reasons.push_back(fmt::format("scene {}: {}", k, simulation.reason));
        continue;
      }
      if (simulation.energy_gain > out.energy_gain) {
        out.energy_gain = simulation.energy_gain;
        out.worst = k;
      }
    } catch (const std::invalid_argument&) {
      ++out.refused;  // it starts in another body or beyond a surface
    }
  }
  return out;
}

}  // namespace percuss::benchmarks
