// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <numbers>
#include <span>
#include <vector>

namespace percuss::tracking {

inline constexpr double kSlideDegree = std::numbers::pi / 180.0;  ///< [rad]

/// The part of a vector that lies in a plane with this unit normal.
inline Eigen::Vector3d InPlate(const Eigen::Vector3d& v, const Eigen::Vector3d& normal) {
  return v - normal.dot(v) * normal;
}

/// Axes of the plate in which it is described: u along the slide, n the normal, e = n x u, about
/// which the plate may turn. Right-handed and of length 1, W, the plate as it lies at turn 0.
struct PlateAxes {
  Eigen::Vector3d u = Eigen::Vector3d::UnitX();
  Eigen::Vector3d n = Eigen::Vector3d::UnitZ();
  Eigen::Vector3d e = Eigen::Vector3d::UnitY();
};

/// Which motions a model has.
struct SlideModel {
  PlateAxes axes;
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< W [m/s^2]
  int turn_order = -1;   ///< of the polynomial in time of the turn; -1: the plate does not move
  bool rests = true;     ///< until a start time that is an unknown; else it slides at first_time
  bool knocked = false;  ///< its speed at the start is an unknown; else it is 0
  bool changes = false;  ///< its friction changes in proportion to the way
  double first_time = 0.0, last_time = 0.0;  ///< [s]
  double path = 1.0;                         ///< [m], of the change

  bool Turns() const { return turn_order >= 0; }
  // Places of the unknowns.
  int Friction() const { return 0; }
  int Place() const { return 1; }  ///< along u and, if it turns, n: of the body from the axis
  int Axis() const { return 3; }   ///< if it turns: of the axis, along u and n
  int Turn(int k) const { return 5 + k; }
  int StartTime() const { return Turns() ? Turn(turn_order + 1) : 2; }
  int StartSpeed() const { return StartTime() + (rests ? 1 : 0); }
  int Change() const { return StartSpeed() + (knocked ? 1 : 0); }
  int Size() const { return Change() + (changes ? 1 : 0); }
  int PerFrame() const { return Turns() ? 3 : 1; }

  double StartTimeOf(const Eigen::VectorXd& x) const { return rests ? x[StartTime()] : first_time; }
};

/// Where the plate is, and what gravity does on it.
struct PlateState {
  double turn = 0.0, rate = 0.0, acceleration = 0.0;  ///< [rad, rad/s, rad/s^2]
  double along = 0.0, normal = 0.0;  ///< gravity along u and against n of the turned plate [m/s^2]
};
PlateState PlateAt(const SlideModel& model, const Eigen::VectorXd& x, double time);

/// Acceleration of the body's way, and the force per mass with which the plate carries it.
///
/// The mass centre is at x along u and z along n from the axis of the plate, which turns by phi
/// about e. Newton's law along u and n of the turned plate, F the friction, N the normal force, per
/// mass:
///
///     x'' - x phi'^2 + z phi'' = g_u - F,    N = g_n - 2 x' phi' - x phi'' - z phi'^2,
///
/// F = mu N while it slides. On a plate at rest x'' = g sin(theta) - mu g cos(theta):
/// sun2017, 4.40.
struct SlideForces {
  double tangential = 0.0;  ///< F that would hold it: g_u + x phi'^2 - z phi''
  double normal = 0.0;      ///< N
};
SlideForces ForcesAt(const PlateState& plate, double x, double z, double speed);

/// Ways s(t) at these rising times [m]: 0 before the start, Runge-Kutta steps from time to time
/// after it; a body that comes to rest stays there.
std::vector<double> SlideWays(const SlideModel& model, const Eigen::VectorXd& x,
                              std::span<const double> times);

/// What the frames should show: the place along u, and if the plate turns, along n, and the turn.
/// PerFrame() numbers of each frame.
Eigen::VectorXd Predict(const SlideModel& model, const Eigen::VectorXd& x,
                        std::span<const double> times);

}  // namespace percuss::tracking
