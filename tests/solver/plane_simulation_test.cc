// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Truth: closed forms of flight, rolling and sliding; laws of nature; chatterjee2019 T8, T10, T15,
// T17 as restated in its digest.

#include "solver/plane_simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "tests/solver/multi_contact_setups.h"

namespace percuss::solver {
namespace {

using Eigen::Vector3d;
using testing::BoxBody;

const Vector3d kGravity(0.0, 0.0, -9.81);

PlaneContactModel MultiPoint(double mu, double e) {
  PlaneContactModel model;
  model.mu = mu;
  model.impact.restitution_by_points = {e};
  return model;
}

Body Ball(double radius, double mass) {
  Body body;
  body.shape = Sphere{radius};
  body.mass = mass;
  body.inertia = UniformInertia(body.shape, mass);
  return body;
}

PlaneSimulation Solved(const Body& body, const FlightState<double>& start,
                       const PlaneContactModel& model, const PlaneSimulationOptions& options,
                       const Vector3d& gravity = kGravity) {
  PlaneSimulation simulation = SimulateOnPlane(body, start, gravity, model, options);
  EXPECT_EQ(simulation.status, PlaneSimulationStatus::kSolved) << simulation.reason;
  EXPECT_LE(simulation.energy_gain, 1e-9);
  return simulation;
}

// T17 (g = 9.8), then bounces with heights in the ratio e^2: closed form of every impact time.
TEST(PlaneSimulation, T17BallBounces) {
  FlightState<double> start;
  start.p_WB = {0.0, 0.0, 1.5};
  start.v = {8.0, 0.0, 0.0};
  PlaneSimulationOptions options;
  options.duration = 2.0;
  const PlaneSimulation simulation =
      Solved(Ball(0.5, 1.0), start, MultiPoint(0.0, 0.5), options, {0, 0, -9.8});
  const double fall = std::sqrt(2.0 / 9.8);
  EXPECT_NEAR(simulation.events[0].time, 0.45175, 1e-5);
  double time = fall, flight = fall;
  for (int k = 0; k < 5; ++k) {
    EXPECT_EQ(simulation.events[k].kind, PlaneEventKind::kImpact);
    EXPECT_NEAR(simulation.events[k].time, time, 1e-9);
    flight *= 0.5;
    time += 2.0 * flight;
  }
  EXPECT_NEAR(8.0 * fall, 3.614, 1e-3);
  EXPECT_EQ(simulation.times.size(), 201u);
  EXPECT_NEAR(simulation.states.back().p_WB.x(), 16.0, 1e-9);
  EXPECT_NEAR(simulation.states.back().p_WB.z(), 0.5, 1e-6);
}

// Bowling: slides to rolling at t = 2 v / (7 mu g) with 5/7 of the speed.
TEST(PlaneSimulation, BallSlidesIntoRolling) {
  FlightState<double> start;
  start.p_WB = {0.0, 0.0, 0.1};
  start.v = {3.0, 0.0, 0.0};
  PlaneSimulationOptions options;
  options.duration = 1.0;
  const PlaneSimulation simulation = Solved(Ball(0.1, 2.0), start, MultiPoint(0.2, 0.0), options);
  const double stop = 2.0 * 3.0 / (7.0 * 0.2 * 9.81);
  const PlaneEvent& last = simulation.events.back();
  EXPECT_EQ(last.kind, PlaneEventKind::kStickSlip);
  EXPECT_NEAR(last.time, stop, 1e-5);
  EXPECT_NEAR(simulation.states.back().v.x(), 3.0 * 5.0 / 7.0, 1e-5);
  EXPECT_NEAR(simulation.states.back().w.y(), 3.0 * 5.0 / 7.0 / 0.1, 1e-4);
}

// A flat block slides to rest: s = v^2 / (2 mu g).
TEST(PlaneSimulation, BlockSlidesToRest) {
  FlightState<double> start;
  start.p_WB = {0.0, 0.0, 0.025};
  start.v = {1.2, 0.5, 0.0};
  PlaneSimulationOptions options;
  options.duration = 1.0;
  const PlaneSimulation simulation =
      Solved(BoxBody({0.3, 0.2, 0.05}, 0.4), start, MultiPoint(0.3, 0.2), options);
  const double way = (1.2 * 1.2 + 0.5 * 0.5) / (2.0 * 0.3 * 9.81);
  EXPECT_TRUE(simulation.at_rest);
  EXPECT_NEAR(simulation.states.back().p_WB.head<2>().norm(), way, 1e-4);
}

// T15: pivot fall of B4 by 15 degrees about an edge, width 0.2 m; stuck, frictionless.
TEST(PlaneSimulation, T15PivotFall) {
  const double angle = 15.0 * M_PI / 180.0;
  const Body block = BoxBody({0.1, 0.2, 0.05}, 0.25);
  FlightState<double> start;
  start.q_WB = Eigen::AngleAxisd(angle, Vector3d::UnitX());
  start.p_WB.z() = 0.1 * std::sin(angle) + 0.025 * std::cos(angle);
  PlaneSimulationOptions options;
  options.duration = 0.12;
  for (const auto& [mu, printed] : {std::pair{2.0, 0.0906}, {0.0, 0.0846}}) {
    const PlaneSimulation simulation = Solved(block, start, MultiPoint(mu, 0.5), options);
    const auto impact =
        std::find_if(simulation.events.begin(), simulation.events.end(),
                     [](const PlaneEvent& e) { return e.kind == PlaneEventKind::kImpact; });
    ASSERT_NE(impact, simulation.events.end());
    EXPECT_NEAR(impact->time, printed, 1e-4);
    EXPECT_EQ(impact->num_points, 4);
  }
}

// T8: first touch of B6.
TEST(PlaneSimulation, T8FirstTouch) {
  FlightState<double> start;
  start.p_WB.z() = 1.5;
  start.q_WB = Eigen::AngleAxisd(-0.2, Vector3d::UnitX());
  PlaneSimulationOptions options;
  options.duration = 2.0;
  const PlaneSimulation simulation =
      Solved(BoxBody({1.5, 1.5, 1.0}, 2.5), start, MultiPoint(0.2, 0.5), options);
  EXPECT_NEAR(simulation.events[0].time, 0.41896, 1e-5);
  EXPECT_EQ(simulation.events[0].num_points, 2);
}

// T10: a thrown cube, by all kinds of laws; and it comes to rest on the plane.
TEST(PlaneSimulation, T10ThrownCubeComesToRest) {
  Body cube = BoxBody({0.1048, 0.1048, 0.1048}, 0.37);
  cube.inertia = Vector3d(0.00081, 0.00081, 0.00081).asDiagonal();
  FlightState<double> start;
  start.p_WB = {0.0, 0.0, 0.3};
  start.q_WB = Eigen::Quaterniond(0.9, 0.3, 0.2, 0.1).normalized();
  start.v = {1.0, 0.3, 0.0};
  start.w = {2.0, -5.0, 1.0};
  PlaneSimulationOptions options;
  options.duration = 2.0;
  PlaneContactModel stronge;
  stronge.law = "stronge";
  stronge.parameters = {0.2, 0.3};
  stronge.mu = 0.2;
  for (const PlaneContactModel& model : {MultiPoint(0.2, 0.3), stronge}) {
    const PlaneSimulation simulation = Solved(cube, start, model, options);
    EXPECT_TRUE(simulation.at_rest) << model.law;
    EXPECT_NEAR(simulation.states.back().p_WB.z(), 0.0524, 1e-5) << model.law;
    for (const FlightState<double>& state : simulation.states) {
      for (const Vector3d& arm : ContactCandidates(cube.shape, state.q_WB.toRotationMatrix())) {
        EXPECT_GE(state.p_WB.z() + arm.z(), -1e-5) << model.law;
      }
    }
  }
}

TEST(PlaneSimulation, NamesWhatIsWrong) {
  FlightState<double> start;
  start.p_WB.z() = 0.05;
  EXPECT_THROW(SimulateOnPlane(Ball(0.1, 1.0), start, kGravity, MultiPoint(0.1, 0.5)),
               std::invalid_argument);
  start.p_WB.z() = 0.5;
  PlaneContactModel model;
  model.law = "no-such-law";
  EXPECT_THROW(SimulateOnPlane(Ball(0.1, 1.0), start, kGravity, model), std::invalid_argument);
  // A ball that loses nothing and may rebound twice at most.
  PlaneSimulationOptions options;
  options.duration = 10.0;
  options.max_events = 2;
  const PlaneSimulation zeno =
      SimulateOnPlane(Ball(0.1, 1.0), start, kGravity, MultiPoint(0.0, 1.0), options);
  EXPECT_EQ(zeno.status, PlaneSimulationStatus::kZeno);
  EXPECT_THAT(zeno.reason, ::testing::HasSubstr("position"));
}

}  // namespace
}  // namespace percuss::solver
