// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "solver/body/flight.h"
#include "solver/multi_contact/multi_impact_problem.h"
#include "solver/simulation/struck_point.h"

namespace percuss::solver {

/// A half-space that the body cannot enter.
struct ContactPlane {
  Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();  ///< t1, t2, n in W; n points to the body
  double offset = 0.0;                                  ///< n . p of its points [m]
  /// Of this plane; that of the model if not a number.
  double mu = std::numeric_limits<double>::quiet_NaN();
  double mu_s = std::numeric_limits<double>::quiet_NaN();
};

/// What happens where the body touches a plane.
struct PlaneContactModel {
  /// The body is before all of them: a floor, a floor and walls, a groove.
  std::vector<ContactPlane> planes = {ContactPlane{}};
  /// "multi-point": SolveMultiImpact over all touching points with `impact`; else the name of a law
  /// for one contact with its `parameters`, applied point by point to the one that approaches
  /// fastest.
  std::string law = "multi-point";
  std::vector<double> parameters = {};
  MultiImpactOptions impact = {};
  double mu = 0.0;  ///< Coulomb friction, of multi-point impacts and of sustained contact
  double mu_s = std::numeric_limits<double>::quiet_NaN();  ///< mu if not a number
  ForceOverTime over_time = {};
};

struct PlaneSimulationOptions {
  double duration = 1.0;            ///< [s]
  double sample_interval = 0.01;    ///< [s]
  double rest_speed = 1e-3;         ///< a point that approaches or leaves more slowly rests [m/s]
  double contact_tolerance = 1e-6;  ///< points this near to the plane take part in an impact [m]
  double tolerance = 1e-10;  ///< difference of the orders 5 and 4 in a step, over 1 + |component|
  double max_step = 0.05;    ///< [s]
  bool record_forces = false;
  bool record_moments = false;
  int max_events = 20000;
  int max_steps = 2000000;
};

/// What a plane does to the body at a point, W: a force [N], or of an impact an impulse [N s].
struct PointAction {
  int plane = 0;             ///< place among the planes of the model
  Eigen::Vector3d position;  ///< [m]
  Eigen::Vector3d action;
};

enum class PlaneEventKind {
  kImpact,
  kContact,   ///< points begin to rest, roll, or slide on the plane
  kRelease,   ///< a point leaves without impact
  kStickSlip  ///< a contact point stops or begins to slide
};

std::string_view KindName(PlaneEventKind kind);

/// @tparam Action what acts at a point
template <class Action>
struct SimulationEvent {
  PlaneEventKind kind = PlaneEventKind::kImpact;
  double time = 0.0;
  int num_points = 0;                              ///< that touch
  double energy_before = 0.0, energy_after = 0.0;  ///< kinetic [J]
  std::vector<Action> impulses = {};               ///< of an impact, where they are not zero
  std::vector<StruckPoint> struck = {};    ///< how the point of each impulse went through it
  std::vector<ContactMode> contacts = {};  ///< of other events: what the contacts do from then on
};
using PlaneEvent = SimulationEvent<PointAction>;

enum class PlaneSimulationStatus {
  kSolved,
  kImpactFailed,   ///< no answer of the impact law
  kContactFailed,  ///< no forces of sustained contact
  kZeno,           ///< events without progress in time, or more than allowed
  kStepFailed      ///< the integrator needs steps too small, or more than allowed
};

std::string_view StatusName(PlaneSimulationStatus status);

/// Where all is at a time, and its energy.
template <class Sample>
struct SimulationMoment {
  double time = 0.0;
  Sample state;
  double kinetic = 0.0, potential = 0.0;  ///< [J]
};

/// @tparam Sample where all is at one time
template <class Sample, class Action>
struct SimulationOutput {
  PlaneSimulationStatus status = PlaneSimulationStatus::kSolved;
  std::string reason;  ///< with time and state of a failure; samples end there
  std::vector<double> times;
  std::vector<Sample> states;  ///< at `times`
  /// Forces of sustained contact at `times`, where PlaneSimulationOptions::record_forces asks.
  std::vector<std::vector<Action>> forces;
  std::vector<SimulationEvent<Action>> events;
  /// At `times`, and before and after each impact, where PlaneSimulationOptions::record_moments
  /// asks.
  std::vector<SimulationMoment<Sample>> moments;
  /// Largest rise of the total energy, relative to that of the start.
  double energy_gain = 0.0;
  bool at_rest = false;  ///< all lies still before the end
};
using PlaneSimulation = SimulationOutput<FlightState<double>, PointAction>;

}  // namespace percuss::solver
