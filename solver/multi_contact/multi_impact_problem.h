// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "solver/law/impact_law.h"

namespace percuss::solver {

/// Name of the law that takes all points at once.
inline constexpr std::string_view kMultiPoint = "multi-point";

/// A point where a body touches an obstacle.
struct ImpactPoint {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< from any origin common to all, W [m]
  /// Columns t1, t2, n in W; n points out of the obstacle. A planar point moves along t1 and n.
  Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();
  double mu = 0.0;  ///< Coulomb friction of slip
  /// Friction that holds a stopped point; mu if not a number.
  double mu_s = std::numeric_limits<double>::quiet_NaN();
  int body = 0;  ///< points of one rigid body share their force by the rows of a rigid body

  double StaticFriction() const { return mu_s >= 0.0 ? mu_s : mu; }
};

/// A system in generalised speeds that strikes at several points at once:
///     mass (qd' - qd) = jacobian^T P,   contact velocities u = jacobian qd - drift,
/// rows point by point, (t, n) in the plane or (t1, t2, n) in space; u_n < 0 approaches.
struct MultiImpactProblem {
  Eigen::MatrixXd mass;      ///< of the generalised speeds, symmetric positive definite
  Eigen::MatrixXd jacobian;  ///< (rows of all points) x (speeds)
  Eigen::VectorXd speeds;    ///< qd before the impact
  std::vector<ImpactPoint> points;
  Eigen::VectorXd drift = {};  ///< velocities of the obstacles, rows as of jacobian; empty: at rest
};

/// In which axes the rows (f_i - f_j) . (P_i - P_j) = 0 of a rigid body are written.
enum class ForceRows {
  kWorld,           ///< forces as vectors in W
  kLocalComponents  ///< as printed, (3.25): components of each point's own frame
};
enum class NormalWork {
  kIntegral,    ///< int u_n . dP_n, (5.48)
  kSplitEnergy  ///< as printed, (3.11): normal and mixed terms of the kinetic energy; planar only
};
enum class EventEnd {
  kEnergetic,  ///< W_n = (1 - e^2) min W_n, (3.14)
  kPoisson     ///< as printed, (3.15): p = (1 + e) p_c of the normal impulse of reference_point
};
enum class SeparatedPoints {
  kWholeBody,  ///< later events move all points, and may make them approach again
  kFrozen      ///< as printed: they keep the velocity with which they left
};

struct MultiImpactOptions {
  /// e of event 1, 2, ...; the last one counts for all that follow. In [-1, 1]: a negative one ends
  /// the event inside compression. Events at a single point take its absolute value.
  std::vector<double> restitution = {0.0};
  /// If not empty: e of events with 1, 2, ... points (the last for more), instead of `restitution`.
  std::vector<double> restitution_by_points = {};

  ForceRows force_rows = ForceRows::kWorld;
  NormalWork normal_work = NormalWork::kIntegral;
  EventEnd event_end = EventEnd::kEnergetic;
  SeparatedPoints separated_points = SeparatedPoints::kWholeBody;
  /// Leave out of an event a point that would have to pull.
  bool drop_pulling_points = true;
  int reference_point = -1;  ///< of kPoisson and of ImpactPhase::impulse; -1: the last

  double rest_speed = 1e-6;  ///< slower approach counts as rest [m/s]
  double tolerance = 1e-9;   ///< relative error of a step where slip turns
  bool record_path = false;  ///< fill ImpactEvent::path
  int max_events = 200;
  int max_phases = 200;   ///< of one event
  int max_steps = 20000;  ///< of one event, where slip turns
};

enum class PointMode { kSlip, kStick, kOff };  ///< kOff: left out because it would pull

struct ImpactPhase {
  double impulse = 0.0;          ///< at its start: of the reference point's normal [N s]
  std::vector<PointMode> modes;  ///< of the points of the event
};

/// Where an event has come to.
struct ImpactPathKnot {
  Eigen::VectorXd impulse;  ///< of the points of the event [N s]
  double work = 0.0;        ///< W_n [J]
};

/// One integration over impulse with one e.
struct ImpactEvent {
  std::vector<int> points;  ///< that take part
  double restitution = 0.0;
  Eigen::VectorXd compression_impulse;  ///< P of all points where W_n is least [N s]
  Eigen::VectorXd impulse;              ///< P of all points at the end [N s]
  Eigen::VectorXd velocity;             ///< u of all points after the event [m/s]
  double compression_work = 0.0;        ///< min W_n [J]
  EnergyLedger<double> energy;          ///< W_n and friction work of the event
  std::vector<ImpactPhase> phases;
  std::vector<ImpactPathKnot> path;  ///< straight between knots; empty unless record_path
  /// No direction of slip was possible, so points stick beyond mu_s (chatterjee2019 6.2.1).
  bool stuck_beyond_friction = false;
};

enum class MultiImpactStatus {
  kSolved,
  kSingularMass,    ///< the mass matrix is not positive definite
  kNoDistribution,  ///< no split of the force among the points meets the rows
  kEndlessEvent,    ///< W_n falls without end, or more phases or steps than allowed
  kTooManyEvents    ///< points go on approaching: a Zeno sequence
};

struct MultiImpactSummary {
  MultiImpactStatus status = MultiImpactStatus::kSolved;
  std::string reason;        ///< names the state that caused a failure; empty if solved
  Eigen::VectorXd speeds;    ///< qd after the impact; NaN unless solved
  Eigen::VectorXd velocity;  ///< u after the impact (kFrozen: of each point as it left) [m/s]
  Eigen::VectorXd impulse;   ///< sum over the events [N s]
  double energy_before = 0.0, energy_after = 0.0;  ///< kinetic, of the whole system [J]
  EnergyLedger<double> energy;                     ///< sum over the events [J]
  std::vector<ImpactEvent> events;
};

}  // namespace percuss::solver
