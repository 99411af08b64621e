// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/simulation/motion.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "solver/body/shape_outline.h"

namespace percuss::app {
namespace {

using Eigen::Vector3d;
using report::MotionFacts;
using report::MotionPlace;

// A page of more would be slow to load, and no slider has more places.
constexpr std::size_t kMostMoments = 4000;

/// Of too many moments those that are not nearly at the time of the last.
template <class Simulation>
auto ShownMoments(const Simulation& simulation) {
  const auto& all = simulation.moments;
  if (all.size() <= kMostMoments) return all;
  const double apart = 2.0 * all.back().time / kMostMoments;
  std::remove_cvref_t<decltype(all)> shown;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool is_end = k == 0 || k + 1 == all.size();
    if (is_end || all[k].time - shown.back().time >= apart) shown.push_back(all[k]);
  }
  return shown;
}

/// Times, energies, impacts: what all simulations have alike.
/// @param bodies_of the poses of all bodies at a moment
/// @param impulse_of an impulse with its names
template <class Simulation, class Bodies, class Impulse>
void AddMotion(const Simulation& simulation, const Bodies& bodies_of, const Impulse& impulse_of,
               MotionFacts* motion) {
  for (const auto& moment : ShownMoments(simulation)) {
    motion->times.push_back(moment.time);
    motion->kinetic.push_back(moment.kinetic);
    motion->potential.push_back(moment.potential);
    for (std::size_t b = 0; b < motion->bodies.size(); ++b) {
      const solver::FlightState<double>& state = bodies_of(moment.state, b);
      motion->bodies[b].poses.push_back({state.p_WB, state.q_WB});
    }
  }
  for (const auto& event : simulation.events) {
    if (event.kind != solver::PlaneEventKind::kImpact) continue;
    report::MotionImpact impact{.time = event.time,
                                .num_points = event.num_points,
                                .energy_before = event.energy_before,
                                .energy_after = event.energy_after};
    for (std::size_t k = 0; k < event.impulses.size(); ++k) {
      report::MotionImpulse impulse = impulse_of(event.impulses[k]);
      const solver::StruckPoint& struck = event.struck[k];
      for (const solver::ContactMode mode : struck.modes) {
        impulse.modes += impulse.modes.empty() ? "" : ", ";
        impulse.modes += solver::ModeName(mode);
      }
      impulse.duration = struck.peaks.duration;
      impulse.compression = struck.peaks.compression;
      impact.impulses.push_back(std::move(impulse));
    }
    motion->impacts.push_back(std::move(impact));
  }
  motion->at_rest = simulation.at_rest;
}

/// What is at a place of W at the start, in the axes of a body.
MotionPlace StartPlace(const solver::SceneModel& model, int body, const Vector3d& place) {
  if (body == solver::kGround) return {.body = report::kUnmoved, .at = place};
  const solver::FlightState<double>& start = model.bodies[body].start;
  return {.body = body, .at = start.q_WB.conjugate() * (place - start.p_WB)};
}

Vector3d StartAxis(const solver::SceneModel& model, int body, const Vector3d& axis) {
  return body == solver::kGround ? axis : model.bodies[body].start.q_WB.conjugate() * axis;
}

/// Where a joint is drawn: what has no point of its own at the mass centre of its second body.
Vector3d PointOf(const solver::SceneModel& model, const solver::SceneJoint& joint) {
  const bool has_point =
      joint.kind == solver::JointKind::kRevolute || joint.kind == solver::JointKind::kSpherical;
  if (has_point) return joint.point;
  return model.bodies[joint.second != solver::kGround ? joint.second : joint.first].start.p_WB;
}

report::MotionJointKind KindOf(solver::JointKind kind) {
  switch (kind) {
    case solver::JointKind::kRevolute:
      return report::MotionJointKind::kHinge;
    case solver::JointKind::kPrismatic:
      return report::MotionJointKind::kSlide;
    case solver::JointKind::kSpherical:
      return report::MotionJointKind::kBall;
    case solver::JointKind::kFixed:
    case solver::JointKind::kPlanar:
      break;
  }
  return report::MotionJointKind::kOther;
}

void AddArm(const MotionPlace& place, MotionFacts* motion) {
  if (place.body != report::kUnmoved) motion->bodies[place.body].arms.push_back(place.at);
}

void AddJoint(const solver::SceneModel& model, const solver::SceneJoint& joint,
              MotionFacts* motion) {
  const Vector3d point = PointOf(model, joint);
  // The rail of a slide is on the first body, the slider moves along it.
  motion->joints.push_back({.name = joint.name,
                            .kind = KindOf(joint.kind),
                            .place = StartPlace(model, joint.first, point),
                            .axis = StartAxis(model, joint.first, joint.axis)});
  if (joint.kind == solver::JointKind::kPrismatic || joint.kind == solver::JointKind::kPlanar)
    return;
  for (const int body : {joint.first, joint.second}) AddArm(StartPlace(model, body, point), motion);
}

/// As solver::SceneSurface says that it moves.
Vector3d ShiftOf(const solver::SceneSurface& surface, double time) {
  const double angle = 2.0 * std::numbers::pi * surface.frequency * time + surface.phase;
  return time * surface.velocity + std::sin(angle) * surface.amplitude;
}

void AddSurface(const solver::SceneSurface& surface, MotionFacts* motion) {
  report::MotionSurface shown{
      .name = surface.name, .body = surface.body, .frame = surface.frame, .point = surface.point};
  if (surface.Moves()) {
    for (const double time : motion->times) shown.shifts.push_back(ShiftOf(surface, time));
  }
  motion->surfaces.push_back(std::move(shown));
}

report::MotionBody SceneBodyShown(const solver::SceneBody& body) {
  report::MotionBody shown{.name = body.name, .touches = body.touches};
  for (const solver::TouchPoint& point : body.points) {
    shown.arms.push_back(point.at);
    if (!(point.radius > 0.0)) continue;
    for (const Vector3d& place : solver::OutlinePoints(solver::Sphere{point.radius}))
      shown.outline.push_back(point.at + place);
  }
  // A body that is given by mass and inertia alone has the shape of a sphere without radius.
  if (solver::BoundingRadius(body.body.shape) > 0.0)
    shown.outline = solver::OutlinePoints(body.body.shape);
  return shown;
}

}  // namespace

MotionFacts MotionOf(const BodyFile& file, const solver::PlaneSimulation& simulation) {
  MotionFacts motion;
  motion.bodies.push_back({.name = "body", .outline = solver::OutlinePoints(file.body.shape)});
  AddMotion(
      simulation,
      [](const solver::FlightState<double>& state, std::size_t) -> const auto& { return state; },
      [](const solver::PointAction& one) {
        return report::MotionImpulse{.on = "body",
                                     .from = fmt::format("surface {}", one.plane + 1),
                                     .position = one.position,
                                     .impulse = one.action};
      },
      &motion);
  for (std::size_t k = 0; k < file.model.planes.size(); ++k) {
    const solver::ContactPlane& plane = file.model.planes[k];
    motion.surfaces.push_back({.name = fmt::format("surface {}", k + 1),
                               .frame = plane.frame,
                               .point = plane.offset * plane.frame.col(2)});
  }
  return motion;
}

MotionFacts MotionOf(const solver::SceneModel& model, const solver::SceneSimulation& simulation) {
  MotionFacts motion;
  for (const solver::SceneBody& body : model.bodies) motion.bodies.push_back(SceneBodyShown(body));
  for (const solver::SceneJoint& joint : model.joints) AddJoint(model, joint, &motion);
  for (const solver::SceneSpring& spring : model.springs) {
    motion.springs.push_back({.name = spring.name,
                              .first = {.body = spring.first, .at = spring.at_first},
                              .second = {.body = spring.second, .at = spring.at_second}});
    AddArm(motion.springs.back().first, &motion);
    AddArm(motion.springs.back().second, &motion);
  }
  for (const solver::HolonomicConstraint& constraint : model.constraints) {
    for (const solver::PointCoordinate& one : constraint.variables) {
      if (one.axis < 3 && !one.at.isZero(0.0)) AddArm({.body = one.body, .at = one.at}, &motion);
    }
  }
  AddMotion(
      simulation, [](const solver::SceneSample& sample, std::size_t b) -> const auto& {
        return sample.bodies[b];
      },
      [&](const solver::PairAction& one) {
        const solver::TouchPair& pair = simulation.pairs[one.pair];
        return report::MotionImpulse{.on = model.bodies[pair.body].name,
                                     .from = pair.surface >= 0 ? model.surfaces[pair.surface].name
                                                               : model.bodies[pair.other].name,
                                     .from_body = pair.other != solver::kGround,
                                     .position = one.position,
                                     .impulse = one.action};
      },
      &motion);
  for (const solver::SceneSurface& surface : model.surfaces) AddSurface(surface, &motion);
  return motion;
}

}  // namespace percuss::app
