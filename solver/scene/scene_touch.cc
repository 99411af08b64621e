// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/scene/scene_touch.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <variant>

#include "solver/contact/contact.h"
#include "solver/simulation/plane_candidates.h"

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

bool IsBall(const SceneBody& body) {
  return body.touches && body.points.empty() && std::holds_alternative<Sphere>(body.body.shape);
}

double RadiusOf(const SceneBody& body) { return std::get<Sphere>(body.body.shape).radius; }

/// From the mass centre to the points of a body that may touch a plane, in the axes of the plane.
std::vector<Vector3d> PointsOf(const SceneBody& body, const Matrix3d& R_PB) {
  if (body.points.empty()) return ContactCandidates(body.body.shape, R_PB);
  std::vector<Vector3d> points;
  for (const TouchPoint& point : body.points)
    points.push_back(R_PB * point.at - point.radius * Vector3d::UnitZ());
  return points;
}

/// Whether the points of its shape turn with the body.
bool HasCorners(const SceneBody& body) {
  return std::holds_alternative<Box>(body.body.shape) ||
         std::holds_alternative<ConvexMesh>(body.body.shape);
}

struct SurfacePose {
  Matrix3d frame;
  Vector3d point, velocity, acceleration;
};

SurfacePose PoseOf(const SceneSurface& surface, const std::vector<PlacedBody>& bodies,
                   double time) {
  if (surface.body != kGround) {
    const PlacedBody& body = bodies[surface.body];
    return {body.R * surface.frame, body.p + body.R * surface.point, Vector3d::Zero(),
            Vector3d::Zero()};
  }
  const double rate = 2.0 * std::numbers::pi * surface.frequency;
  const double angle = rate * time + surface.phase;
  return {surface.frame,
          surface.point + time * surface.velocity + std::sin(angle) * surface.amplitude,
          surface.velocity + rate * std::cos(angle) * surface.amplitude,
          -rate * rate * std::sin(angle) * surface.amplitude};
}

/// How the arm from the mass centre to a point changes while the plane of `frame` turns with
/// `w_plane`.
Vector3d ArmRate(const SceneBody& body, const PlacedBody& placed, const Touch& touch,
                 const Vector3d& w_plane) {
  if (!body.points.empty()) {  // the centre turns with the body, the ball's radius with the plane
    const Vector3d radius = -body.points[touch.point].radius * touch.frame.col(2);
    return placed.w.cross(touch.arm - radius) + w_plane.cross(radius);
  }
  if (HasCorners(body)) return placed.w.cross(touch.arm);
  const Vector3d w = placed.w - w_plane;
  const double speed = w.norm();
  Vector3d rate = w_plane.cross(touch.arm);
  if (!(speed > 0.0) || IsBall(body)) return rate;
  constexpr double kAngle = 1e-5;
  const auto turned = [&](double angle) -> Vector3d {
    const Matrix3d R = Eigen::AngleAxisd(angle, w / speed).toRotationMatrix() * placed.R;
    return touch.frame * PointsOf(body, touch.frame.transpose() * R)[touch.point];
  };
  return rate + (turned(kAngle) - turned(-kAngle)) * (speed / (2.0 * kAngle));
}

bool Joined(const SceneModel& model, int first, int second) {
  return std::ranges::any_of(model.joints, [&](const SceneJoint& joint) {
    return (joint.first == first && joint.second == second) ||
           (joint.first == second && joint.second == first);
  });
}

/// Position, arms and velocity, from the arm of the body and the motion of the surface itself.
void FollowArm(const TouchPair& pair, const std::vector<PlacedBody>& bodies, Touch* touch) {
  const PlacedBody& body = bodies[pair.body];
  touch->position = body.p + touch->arm;
  Vector3d u = body.v + body.w.cross(touch->arm) - touch->drift;
  touch->other_arm.setZero();
  if (pair.other != kGround) {
    const PlacedBody& other = bodies[pair.other];
    touch->other_arm = touch->position - other.p;
    u -= other.v + other.w.cross(touch->other_arm);
  }
  touch->velocity = touch->frame.transpose() * u;
}

/// Puts the numbers of the scene and of the pair's own in. False if the two pass through each
/// other.
bool Complete(const SceneModel& model, TouchPair* pair) {
  pair->mu = model.mu;
  pair->mu_s = model.mu_s >= 0.0 ? model.mu_s : model.mu;
  bool touches = pair->other == kGround || !Joined(model, pair->body, pair->other);
  for (const ScenePair& one : model.pairs) {
    const bool same = pair->surface >= 0
                          ? one.surface == pair->surface && one.body == pair->body
                          : one.surface < 0 && std::minmax(one.body, one.other_body) ==
                                                   std::minmax(pair->body, pair->other);
    if (!same) continue;
    touches = one.touches;
    if (one.mu >= 0.0) pair->mu = pair->mu_s = one.mu;
    if (one.mu_s >= 0.0) pair->mu_s = one.mu_s;
    pair->e = one.e;
  }
  return touches;
}

}  // namespace

std::vector<TouchPair> TouchPairs(const SceneModel& model) {
  std::vector<TouchPair> pairs;
  const int num_bodies = static_cast<int>(model.bodies.size());
  for (int b = 0; b < num_bodies; ++b) {
    if (!model.bodies[b].touches) continue;
    for (int s = 0; s < static_cast<int>(model.surfaces.size()); ++s) {
      const int owner = model.surfaces[s].body;
      if (owner == b) continue;
      TouchPair pair{.body = b, .other = owner, .surface = s};
      pair.num_points = static_cast<int>(PointsOf(model.bodies[b], Matrix3d::Identity()).size());
      if (Complete(model, &pair)) pairs.push_back(pair);
    }
  }
  for (int b = 0; b < num_bodies; ++b) {
    for (int other = b + 1; other < num_bodies; ++other) {
      if (!IsBall(model.bodies[b]) || !IsBall(model.bodies[other])) continue;
      TouchPair pair{.body = b, .other = other};
      if (Complete(model, &pair)) pairs.push_back(pair);
    }
  }
  return pairs;
}

std::vector<Touch> LookAtTouches(const SceneModel& model, const std::vector<TouchPair>& pairs,
                                 const std::vector<PlacedBody>& bodies, double time) {
  std::vector<Touch> touches;
  for (int k = 0; k < static_cast<int>(pairs.size()); ++k) {
    const TouchPair& pair = pairs[k];
    const PlacedBody& body = bodies[pair.body];
    const auto add = [&](Touch touch) {
      touch.pair = k;
      FollowArm(pair, bodies, &touch);
      touches.push_back(touch);
    };
    Touch touch;
    if (pair.surface < 0) {
      const PlacedBody& other = bodies[pair.other];
      const double radius = RadiusOf(model.bodies[pair.body]);
      const Vector3d between = body.p - other.p;
      const double distance = between.norm();
      touch.frame = ContactFrame(distance > 0.0 ? between : Vector3d::UnitZ());
      touch.gap = distance - radius - RadiusOf(model.bodies[pair.other]);
      touch.arm = -radius * touch.frame.col(2);
      add(touch);
      continue;
    }
    const SurfacePose surface = PoseOf(model.surfaces[pair.surface], bodies, time);
    touch.frame = surface.frame;
    touch.drift = surface.velocity;
    touch.drift_rate = surface.acceleration;
    const Vector3d n = surface.frame.col(2);
    for (const Vector3d& arm :
         PointsOf(model.bodies[pair.body], surface.frame.transpose() * body.R)) {
      touch.arm = surface.frame * arm;
      touch.gap = n.dot(body.p + touch.arm - surface.point);
      add(touch);
      ++touch.point;
    }
  }
  return touches;
}

void MoveToSurface(const TouchPair& pair, const std::vector<PlacedBody>& bodies, Touch* touch) {
  if (pair.surface < 0) return;
  touch->arm -= touch->gap * touch->frame.col(2);
  touch->gap = 0.0;
  FollowArm(pair, bodies, touch);
}

Eigen::MatrixXd TouchRows(const SceneTree& tree, const TouchPair& pair, const Touch& touch,
                          const std::vector<PlacedBody>& bodies) {
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(3, tree.num_speeds);
  Eigen::RowVectorXd row(tree.num_speeds);
  for (int k = 0; k < 3; ++k) {
    row.setZero();
    AddPointRow(tree, bodies, pair.body, touch.arm, touch.frame.col(k), 1.0, row);
    AddPointRow(tree, bodies, pair.other, touch.other_arm, touch.frame.col(k), -1.0, row);
    rows.row(k) = row;
  }
  return rows;
}

Vector3d TouchBias(const SceneModel& model, const TouchPair& pair, const Touch& touch,
                   const std::vector<PlacedBody>& bodies) {
  const PlacedBody& body = bodies[pair.body];
  const Vector3d n = touch.frame.col(2);
  Vector3d normal_rate = Vector3d::Zero(), arm_rate;
  if (pair.surface < 0) {
    const PlacedBody& other = bodies[pair.other];
    const double distance = (body.p - other.p).norm();
    const Vector3d relative = body.v - other.v;
    normal_rate = (relative - n.dot(relative) * n) / distance;
    arm_rate = -RadiusOf(model.bodies[pair.body]) * normal_rate;
  } else {
    const Vector3d w_plane =
        pair.other == kGround ? Vector3d(Vector3d::Zero()) : bodies[pair.other].w;
    normal_rate = w_plane.cross(n);
    arm_rate = ArmRate(model.bodies[pair.body], body, touch, w_plane);
  }
  Vector3d acceleration =
      body.linear_bias + body.angular_bias.cross(touch.arm) + body.w.cross(arm_rate);
  if (pair.other == kGround) {
    acceleration -= touch.drift_rate;
  } else {
    const PlacedBody& other = bodies[pair.other];
    const Vector3d other_rate = body.v + arm_rate - other.v;
    acceleration -=
        other.linear_bias + other.angular_bias.cross(touch.other_arm) + other.w.cross(other_rate);
  }
  Vector3d bias = touch.frame.transpose() * acceleration;
  bias.z() += normal_rate.dot(touch.frame * touch.velocity);
  return bias;
}

}  // namespace percuss::solver
