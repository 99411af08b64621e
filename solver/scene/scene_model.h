// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <limits>
#include <string>
#include <vector>

#include "solver/body/flight.h"
#include "solver/body/rigid_body.h"
#include "solver/multi_contact/multi_impact_problem.h"
#include "solver/scene/expression.h"
#include "solver/simulation/struck_point.h"

namespace percuss::solver {

/// In place of a body: what does not move.
inline constexpr int kGround = -1;

/// What may touch a surface: a point, or a ball about it.
struct TouchPoint {
  Eigen::Vector3d at = Eigen::Vector3d::Zero();  ///< from the mass centre, body axes [m]
  double radius = 0.0;                           ///< [m]
};

struct SceneBody {
  std::string name;
  Body body;  ///< its shape counts only if `touches` and `points` is empty
  bool touches = true;
  std::vector<TouchPoint> points = {};  ///< in place of a shape
  FlightState<double> start;
  /// Whether start.v and start.w count; what is not given follows from the joints.
  bool velocity_given = false, angular_velocity_given = false;
};

enum class JointKind { kRevolute, kPrismatic, kSpherical, kFixed, kPlanar };

/// An ideal joint, described where the bodies are at the start. Its coordinates are zero there.
struct SceneJoint {
  std::string name;
  JointKind kind = JointKind::kRevolute;
  int first = kGround, second = kGround;  ///< the coordinate is that of `second` against `first`
  Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< of revolute and spherical joints, W [m]
  /// Of revolute and prismatic joints; of a planar one the normal of the plane. W, any length.
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();
  // Revolute and prismatic joints: torque or force -stiffness (q - rest) - damping dq/dt.
  double stiffness = 0.0;  ///< [N m/rad] or [N/m]
  double damping = 0.0;    ///< [N m s/rad] or [N s/m]
  double rest = 0.0;       ///< [rad] or [m]
  /// At the start [rad/s] or [m/s]; not a number: it follows.
  double rate = std::numeric_limits<double>::quiet_NaN();
};

/// A massless spring and damper between two points.
struct SceneSpring {
  std::string name;
  int first = kGround, second = kGround;
  Eigen::Vector3d at_first, at_second;  ///< from the mass centre in body axes; of the ground in W
  double stiffness = 0.0;               ///< [N/m]
  double damping = 0.0;                 ///< [N s/m]
  double length = 0.0;                  ///< without force [m]
};

/// A constant force on a point of a body.
struct SceneForce {
  int body = 0;
  Eigen::Vector3d at = Eigen::Vector3d::Zero();     ///< from the mass centre in body axes [m]
  Eigen::Vector3d force = Eigen::Vector3d::Zero();  ///< W [N]
};

/// One coordinate of a point of a body, in W.
struct PointCoordinate {
  int body = kGround;
  Eigen::Vector3d at = Eigen::Vector3d::Zero();  ///< as of SceneSpring
  int axis = 0;                                  ///< 0, 1, 2 for x, y, z; 3: the time [s]
};

/// expression(variables) = 0 at all times.
struct HolonomicConstraint {
  std::string name;
  Expression expression;
  std::vector<PointCoordinate> variables;
};

/// A half-space that bodies cannot enter, at rest, moving, or fixed to a body.
struct SceneSurface {
  std::string name;
  int body = kGround;  ///< it is fixed to
  /// Columns t1, t2, n; n points out of it. W; of a body at the start, in its axes.
  Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();
  Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< of the plane, likewise [m]
  // On the ground alone: it moves by velocity t + amplitude sin(2 pi frequency t + phase).
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();   ///< [m/s]
  Eigen::Vector3d amplitude = Eigen::Vector3d::Zero();  ///< [m]
  double frequency = 0.0;                               ///< [Hz]
  double phase = 0.0;                                   ///< [rad]

  bool Moves() const { return !velocity.isZero(0.0) || !amplitude.isZero(0.0); }
};

/// What counts for one pair in place of the numbers of the scene; not a number: as of the scene.
struct ScenePair {
  int body = 0;
  int other_body = kGround, surface = -1;  ///< one of the two
  bool touches = true;                     ///< false: they pass through each other
  double mu = std::numeric_limits<double>::quiet_NaN();
  double mu_s = std::numeric_limits<double>::quiet_NaN();
  double e = std::numeric_limits<double>::quiet_NaN();  ///< of a law for one contact with an e
};

/// Bodies, what joins them, and what they may touch. Balls also touch balls.
struct SceneModel {
  std::vector<SceneBody> bodies;
  std::vector<SceneJoint> joints = {};
  std::vector<SceneSpring> springs = {};
  std::vector<SceneForce> forces = {};
  std::vector<HolonomicConstraint> constraints = {};
  std::vector<SceneSurface> surfaces = {};
  std::vector<ScenePair> pairs = {};
  Eigen::Vector3d gravity{0.0, 0.0, -9.80665};

  std::string law = "multi-point";  ///< as PlaneContactModel::law
  std::vector<double> parameters = {};
  MultiImpactOptions impact = {};
  double mu = 0.0;  ///< Coulomb friction, of multi-point impacts and of sustained contact
  double mu_s = std::numeric_limits<double>::quiet_NaN();  ///< mu if not a number
  ForceOverTime over_time = {};
};

}  // namespace percuss::solver
