// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/motion/motion_scene.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "report/scene/convex_hull.h"

namespace percuss::report {
namespace {

using nlohmann::ordered_json;

double RadiusOf(const MotionBody& body) {
  double radius = 0.0;
  for (const auto* points : {&body.outline, &body.arms}) {
    for (const Eigen::Vector3d& point : *points) radius = std::max(radius, point.norm());
  }
  return radius;
}

/// The box that holds all bodies at all times.
Eigen::AlignedBox3d RoomOf(const MotionFacts& motion) {
  Eigen::AlignedBox3d room;
  for (const MotionBody& body : motion.bodies) {
    const Eigen::Vector3d radius = Eigen::Vector3d::Constant(RadiusOf(body));
    for (const MotionPose& pose : body.poses)
      room.extend(Eigen::AlignedBox3d(pose.p_WB - radius, pose.p_WB + radius));
  }
  return room;
}

/// To decimals of which 1e5 or more make the largest of the numbers.
class ShortNumbers {
 public:
  /// @param size of the largest
  explicit ShortNumbers(double size)
      : per_unit_(size > 0.0 && std::isfinite(size)
                      ? std::pow(10.0, 5.0 - std::floor(std::log10(size)))
                      : 1e6) {}

  double Of(double value) const { return std::round(value * per_unit_) / per_unit_; }
  ordered_json Of(const Eigen::Vector3d& v) const { return {Of(v.x()), Of(v.y()), Of(v.z())}; }
  ordered_json Of(const MotionPlace& place) const {
    return {{"body", place.body}, {"at", Of(place.at)}};
  }

 private:
  double per_unit_;
};

ordered_json PoseJson(const MotionPose& pose, const ShortNumbers& numbers) {
  const ShortNumbers turns(1.0);
  ordered_json json = numbers.Of(pose.p_WB);
  const Eigen::Quaterniond& q = pose.q_WB;
  for (const double part : {q.w(), q.x(), q.y(), q.z()}) json.push_back(turns.Of(part));
  return json;
}

struct MotionPatch {
  Eigen::Vector2d low, high;  ///< along t1, t2 from the point of the surface
};

/// As wide as the motion of the bodies that it stops.
MotionPatch PatchBelowMotion(const MotionFacts& motion, const MotionSurface& surface) {
  Eigen::AlignedBox2d patch(Eigen::Vector2d::Zero().eval());
  const Eigen::Matrix<double, 2, 3> along = surface.frame.leftCols<2>().transpose();
  const bool any = std::ranges::any_of(motion.bodies, &MotionBody::touches);
  if (any) patch.setEmpty();
  for (const MotionBody& body : motion.bodies) {
    if (any && !body.touches) continue;
    const Eigen::Vector2d radius = Eigen::Vector2d::Constant(RadiusOf(body));
    for (std::size_t k = 0; k < body.poses.size(); ++k) {
      Eigen::Vector3d from = body.poses[k].p_WB - surface.point;
      if (!surface.shifts.empty()) from -= surface.shifts[k];
      const Eigen::Vector2d place = along * from;
      patch.extend(Eigen::AlignedBox2d(place - radius, place + radius));
    }
  }
  return {patch.min(), patch.max()};
}

/// As wide as the body that the surface is fixed to.
MotionPatch PatchOfBody(const MotionBody& owner, const MotionSurface& surface) {
  const Eigen::Matrix<double, 2, 3> along = surface.frame.leftCols<2>().transpose();
  Eigen::AlignedBox2d patch(Eigen::Vector2d(along * -surface.point));
  for (const auto* points : {&owner.outline, &owner.arms}) {
    for (const Eigen::Vector3d& point : *points)
      patch.extend(Eigen::Vector2d(along * (point - surface.point)));
  }
  return {patch.min(), patch.max()};
}

/// @param size of all that is shown
MotionPatch PatchOf(const MotionFacts& motion, const MotionSurface& surface, double size) {
  const bool on_body = surface.body != kUnmoved;
  MotionPatch patch = on_body ? PatchOfBody(motion.bodies[surface.body], surface)
                              : PatchBelowMotion(motion, surface);
  // A body that has no width there has none to go by.
  const bool has_width = (patch.high - patch.low).minCoeff() > 0.02 * size;
  if (on_body && has_width) return patch;
  const double margin = on_body ? 0.1 * size : 0.06 * size;
  patch.low.array() -= margin;
  patch.high.array() += margin;
  return patch;
}

bool Rests(const MotionSurface& surface) {
  return surface.body == kUnmoved && surface.shifts.empty();
}

/// The part of a polygon that is not behind a plane, by walking along its sides.
std::vector<Eigen::Vector3d> BeforePlane(const std::vector<Eigen::Vector3d>& rim,
                                         const MotionSurface& plane) {
  std::vector<Eigen::Vector3d> part;
  const auto height = [&](const Eigen::Vector3d& p) {
    return plane.frame.col(2).dot(p - plane.point);
  };
  for (std::size_t k = 0; k < rim.size(); ++k) {
    const Eigen::Vector3d &from = rim[k], &to = rim[(k + 1) % rim.size()];
    const double at_from = height(from), at_to = height(to);
    if (at_from >= 0.0) part.push_back(from);
    if (at_from * at_to < 0.0) part.push_back(from + at_from / (at_from - at_to) * (to - from));
  }
  return part;
}

ordered_json SurfaceJson(const MotionFacts& motion, const MotionSurface& surface, double size,
                         const ShortNumbers& numbers) {
  const MotionPatch patch = PatchOf(motion, surface, size);
  const Eigen::Vector2d width = patch.high - patch.low;
  const Eigen::Vector3d u = width.x() * surface.frame.col(0), v = width.y() * surface.frame.col(1);
  const Eigen::Vector3d corner = surface.point + surface.frame.leftCols<2>() * patch.low;
  std::vector<Eigen::Vector3d> rim = {corner, corner + u, corner + u + v, corner + v};
  // Walls end at the floor.
  for (const MotionSurface& other : motion.surfaces) {
    if (&other != &surface && Rests(other) && Rests(surface)) rim = BeforePlane(rim, other);
  }
  ordered_json json = {{"name", surface.name},
                       {"body", surface.body},
                       {"corner", numbers.Of(corner)},
                       {"u", numbers.Of(u)},
                       {"v", numbers.Of(v)},
                       {"rim", ordered_json::array()},
                       {"normal", {surface.frame(0, 2), surface.frame(1, 2), surface.frame(2, 2)}}};
  for (const Eigen::Vector3d& point : rim) json["rim"].push_back(numbers.Of(point));
  for (const Eigen::Vector3d& shift : surface.shifts) json["shifts"].push_back(numbers.Of(shift));
  return json;
}

ordered_json MotionBodyJson(const MotionBody& body, const ShortNumbers& numbers) {
  ordered_json points = ordered_json::array(), faces = points, arms = points, poses = points;
  for (const Eigen::Vector3d& point : body.outline) points.push_back(numbers.Of(point));
  for (const Triangle& face : ConvexHullOf(body.outline)) faces.push_back(face);
  for (const Eigen::Vector3d& arm : body.arms) arms.push_back(numbers.Of(arm));
  for (const MotionPose& pose : body.poses) poses.push_back(PoseJson(pose, numbers));
  return {
      {"name", body.name}, {"points", points}, {"faces", faces}, {"arms", arms}, {"poses", poses}};
}

const char* KindName(MotionJointKind kind) {
  switch (kind) {
    case MotionJointKind::kHinge:
      return "hinge";
    case MotionJointKind::kSlide:
      return "slide";
    case MotionJointKind::kBall:
      return "ball";
    case MotionJointKind::kOther:
      break;
  }
  return "other";
}

ordered_json MotionImpactJson(const MotionImpact& impact, const ShortNumbers& numbers) {
  ordered_json impulses = ordered_json::array();
  for (const MotionImpulse& one : impact.impulses) {
    const Eigen::Vector3d& p = one.impulse;
    impulses.push_back({{"on", one.on},
                        {"from", one.from},
                        {"both", one.from_body},
                        {"at", numbers.Of(one.position)},
                        {"impulse", {p.x(), p.y(), p.z()}}});
  }
  return {{"time", impact.time},
          {"before", impact.energy_before},
          {"after", impact.energy_after},
          {"impulses", impulses}};
}

/// Potential energy from its lowest, where it has a zero that says something.
ordered_json EnergyJson(const MotionFacts& motion) {
  ordered_json kinetic = ordered_json::array(), potential = kinetic;
  if (motion.potential.empty()) return {{"kinetic", kinetic}, {"potential", potential}};
  const double lowest = *std::ranges::min_element(motion.potential);
  double most = 0.0;
  for (std::size_t k = 0; k < motion.kinetic.size(); ++k)
    most = std::max(most, motion.kinetic[k] + motion.potential[k] - lowest);
  const ShortNumbers numbers(most);
  for (const double one : motion.kinetic) kinetic.push_back(numbers.Of(one));
  for (const double one : motion.potential) potential.push_back(numbers.Of(one - lowest));
  return {{"kinetic", kinetic}, {"potential", potential}};
}

}  // namespace

std::string MotionScene(const MotionFacts& motion) {
  const Eigen::AlignedBox3d room = RoomOf(motion);
  const double size = room.isEmpty() ? 1.0 : room.diagonal().norm();
  const ShortNumbers numbers(size);
  const ordered_json none = ordered_json::array();
  ordered_json scene = {{"times", motion.times},
                        {"bodies", none},
                        {"surfaces", none},
                        {"joints", none},
                        {"springs", none},
                        {"impacts", none},
                        {"energy", EnergyJson(motion)}};
  for (const MotionBody& body : motion.bodies)
    scene["bodies"].push_back(MotionBodyJson(body, numbers));
  for (const MotionSurface& surface : motion.surfaces)
    scene["surfaces"].push_back(SurfaceJson(motion, surface, size, numbers));
  for (const MotionJoint& joint : motion.joints) {
    scene["joints"].push_back({{"name", joint.name},
                               {"kind", KindName(joint.kind)},
                               {"place", numbers.Of(joint.place)},
                               {"axis", {joint.axis.x(), joint.axis.y(), joint.axis.z()}}});
  }
  for (const MotionSpring& spring : motion.springs) {
    scene["springs"].push_back({{"name", spring.name},
                                {"first", numbers.Of(spring.first)},
                                {"second", numbers.Of(spring.second)}});
  }
  for (const MotionImpact& impact : motion.impacts)
    scene["impacts"].push_back(MotionImpactJson(impact, numbers));
  return JsonText(scene, -1);
}

}  // namespace percuss::report
