// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "solver/body/flight.h"
#include "solver/body/rigid_body.h"
#include "solver/multi_contact/multi_point_impact.h"

namespace percuss::solver {

/// What happens where the body touches the plane.
struct PlaneContactModel {
  /// "multi-point": SolveMultiImpact over all touching points with `impact`; else the name of a law
  /// for one contact with its `parameters`, applied point by point to the one that approaches
  /// fastest.
  std::string law = "multi-point";
  std::vector<double> parameters = {};
  MultiImpactOptions impact = {};
  double mu = 0.0;  ///< Coulomb friction, of multi-point impacts and of sustained contact
  double mu_s = std::numeric_limits<double>::quiet_NaN();  ///< mu if not a number
};

struct PlaneSimulationOptions {
  double duration = 1.0;            ///< [s]
  double sample_interval = 0.01;    ///< [s]
  double rest_speed = 1e-3;         ///< a point that approaches or leaves more slowly rests [m/s]
  double contact_tolerance = 1e-6;  ///< points this near to the plane take part in an impact [m]
  double tolerance = 1e-10;  ///< difference of the orders 5 and 4 in a step, over 1 + |component|
  double max_step = 0.05;    ///< [s]
  int max_events = 20000;
  int max_steps = 2000000;
};

enum class PlaneEventKind {
  kImpact,
  kContact,   ///< points begin to rest, roll, or slide on the plane
  kRelease,   ///< a point leaves without impact
  kStickSlip  ///< a contact point stops or begins to slide
};
std::string_view KindName(PlaneEventKind kind);

struct PlaneEvent {
  PlaneEventKind kind = PlaneEventKind::kImpact;
  double time = 0.0;
  int num_points = 0;                              ///< that touch the plane
  double energy_before = 0.0, energy_after = 0.0;  ///< kinetic [J]
};

enum class PlaneSimulationStatus {
  kSolved,
  kImpactFailed,   ///< no answer of the impact law
  kContactFailed,  ///< no forces of sustained contact
  kZeno,           ///< events without progress in time, or more than allowed
  kStepFailed      ///< the integrator needs steps too small, or more than allowed
};
std::string_view StatusName(PlaneSimulationStatus status);

struct PlaneSimulation {
  PlaneSimulationStatus status = PlaneSimulationStatus::kSolved;
  std::string reason;  ///< with time and state of a failure; samples end there
  std::vector<double> times;
  std::vector<FlightState<double>> states;  ///< at `times`
  std::vector<PlaneEvent> events;
  double energy_gain = 0.0;  ///< largest rise of the total energy, relative to that of the start
  bool at_rest = false;      ///< the body lies still before the end
};

/// A rigid body above the plane z = 0 of W, through flight, impacts, and sliding, rolling or
/// resting contact: the hybrid simulator of chatterjee2019 S17 with location of events, integrated
/// from sample to sample with the Runge-Kutta pair of orders 5 and 4 of Dormand and Prince. Points
/// that may touch: vertices of boxes and meshes, lowest points of smooth shapes and of each cap of
/// a capsule, three points on each rim of a cylinder.
/// @throws std::invalid_argument quoting field and value: a mass or inertia that is not positive, a
/// body below the plane, times that are not positive, a law or parameters that do not exist.
PlaneSimulation SimulateOnPlane(const Body& body, const FlightState<double>& start,
                                const Eigen::Vector3d& gravity_W, const PlaneContactModel& model,
                                const PlaneSimulationOptions& options = {});

/// From the mass centre to the points that may touch, in W.
std::vector<Eigen::Vector3d> ContactCandidates(const Shape& shape, const Eigen::Matrix3d& R_WB);

}  // namespace percuss::solver
