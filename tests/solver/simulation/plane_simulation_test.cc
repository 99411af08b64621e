// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Truth: closed forms of flight, rolling and sliding; laws of nature; chatterjee2019 T8, T10, T15,
// T17 as restated in its digest.

#include "solver/simulation/plane_simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "solver/body/flight.h"
#include "solver/contact/contact.h"
#include "solver/simulation/plane_candidates.h"
#include "tests/solver/multi_contact/multi_contact_setups.h"
#include "tests/solver/simulation/random_scene.h"

namespace percuss::solver {
namespace {

using Eigen::Vector3d;
using testing::BoxBody;

const Vector3d kPlaneSimulationGravity(0.0, 0.0, -9.81);

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
                       const Vector3d& gravity = kPlaneSimulationGravity) {
  PlaneSimulation simulation = SimulateOnPlane(body, start, gravity, model, options);
  EXPECT_EQ(simulation.status, PlaneSimulationStatus::kSolved) << simulation.reason;
  EXPECT_LE(simulation.energy_gain, 1e-9);
  return simulation;
}

/// Before these planes, through these points.
PlaneContactModel Before(const std::vector<std::pair<Vector3d, Vector3d>>& normals_and_points,
                         double mu, double e) {
  PlaneContactModel model = MultiPoint(mu, e);
  model.planes.clear();
  for (const auto& [normal, point] : normals_and_points) {
    const Eigen::Matrix3d frame = ContactFrame(normal);
    model.planes.push_back({.frame = frame, .offset = frame.col(2).dot(point)});
  }
  return model;
}

// The world turned: floor, gravity and start by the same rotation give the same motion, turned.
TEST(PlaneSimulation, ATiltedPlaneIsAFloorInATurnedWorld) {
  const Body box = BoxBody({0.3, 0.2, 0.1}, 1.0);
  FlightState<double> start;
  start.p_WB = {0.0, 0.0, 0.4};
  start.q_WB = Eigen::Quaterniond(0.9, 0.3, 0.2, 0.1).normalized();
  start.v = {0.5, -0.3, 0.0};
  start.w = {1.0, 2.0, -0.5};
  PlaneSimulationOptions options;
  options.duration = 0.8;
  const PlaneSimulation level = Solved(box, start, MultiPoint(0.3, 0.4), options);
  const Eigen::Quaterniond turn = Eigen::Quaterniond(0.8, -0.3, 0.4, 0.2).normalized();
  FlightState<double> turned = start;
  turned.p_WB = turn * start.p_WB + Vector3d(0.1, 0.2, 0.3);
  turned.q_WB = turn * start.q_WB;
  turned.v = turn * start.v;
  turned.w = turn * start.w;
  PlaneContactModel model = MultiPoint(0.3, 0.4);
  model.planes[0].frame = turn.toRotationMatrix();
  model.planes[0].offset = model.planes[0].frame.col(2).dot(Vector3d(0.1, 0.2, 0.3));
  const PlaneSimulation tilted =
      Solved(box, turned, model, options, turn * kPlaneSimulationGravity);
  ASSERT_EQ(tilted.events.size(), level.events.size());
  ASSERT_GE(level.events.size(), 4u);
  for (std::size_t k = 0; k < level.times.size(); ++k) {
    const Vector3d expected = turn * level.states[k].p_WB + Vector3d(0.1, 0.2, 0.3);
    EXPECT_LT((tilted.states[k].p_WB - expected).norm(), 1e-6) << level.times[k];
  }
}

// In a right-angled groove a ball comes to rest with its centre sqrt(2) R above the line.
TEST(PlaneSimulation, ABallComesToRestInAGroove) {
  FlightState<double> start;
  start.p_WB = {0.08, 0.0, 0.5};
  start.w = {0.0, 3.0, 0.0};
  PlaneSimulationOptions options;
  options.duration = 6.0;
  const PlaneSimulation simulation =
      Solved(Ball(0.1, 0.4), start,
             Before({{{1, 0, 1}, {0, 0, 0}}, {{-1, 0, 1}, {0, 0, 0}}}, 0.4, 0.4), options);
  EXPECT_TRUE(simulation.at_rest);
  const Vector3d& end = simulation.states.back().p_WB;
  EXPECT_NEAR(end.x(), 0.0, 1e-5);
  EXPECT_NEAR(end.z(), 0.1 * std::sqrt(2.0), 1e-5);
  // Impulses and weight are all that changes the momentum: nothing of it is left.
  Vector3d momentum(0, 0, 0.4 * -9.81 * simulation.events.back().time);
  for (const PlaneEvent& event : simulation.events) {
    for (const PointAction& point : event.impulses) momentum += point.action;
  }
  EXPECT_LT(momentum.norm(), 0.02 * 0.4 * 9.81);
}

// A ball that rolls down a groove turns about the line through its two points of contact, h below
// its centre: g sin(slope) / (1 + 2/5 R^2 / h^2). The smallest forces that hold the points would
// have to pull at the steep side; that they may press against each other, and then need not, is
// all that friction asks.
TEST(PlaneSimulation, ABallRollsDownASkewGroove) {
  const double flat = 0.1, steep = 1.3, slope = 0.2, radius = 0.1;
  const Vector3d gravity = 9.81 * Vector3d(std::sin(slope), 0.0, -std::cos(slope));
  const Vector3d one(0, std::sin(flat), std::cos(flat)),
      other(0, -std::sin(steep), std::cos(steep));
  FlightState<double> start;
  start.p_WB = radius / std::cos(0.5 * (flat + steep)) * (one + other).normalized();
  PlaneSimulationOptions options;
  options.duration = 0.5;
  options.record_forces = true;
  const PlaneSimulation rolls =
      Solved(Ball(radius, 0.4), start, Before({{one, {0, 0, 0}}, {other, {0, 0, 0}}}, 0.9, 0.0),
             options, gravity);
  const double h = radius * std::cos(0.5 * (flat + steep));
  const double acceleration = 9.81 * std::sin(slope) / (1.0 + 0.4 * radius * radius / (h * h));
  EXPECT_NEAR(rolls.states.back().v.x(), acceleration * options.duration, 1e-9);
  EXPECT_NEAR(rolls.states.back().p_WB.x(), 0.5 * acceleration * 0.25, 1e-9);
  for (const auto& points : rolls.forces) {
    ASSERT_EQ(points.size(), 2u);
    for (const PointAction& point : points) {
      const Vector3d& normal = point.plane == 0 ? one : other;
      const double pressure = normal.dot(point.action);
      EXPECT_LE((point.action - pressure * normal).norm(), 0.9 * pressure + 1e-8);
    }
  }
}

// A ball at the foot of a slope, under a wall that leans over it: the wall is where it would leave
// by its weight alone, and is pressed to by the slope.
TEST(PlaneSimulation, ABallStaysUnderAWallThatLeansOver) {
  const Vector3d slope(std::sin(0.5), 0.0, std::cos(0.5)),
      wall(-std::cos(0.1), 0.0, -std::sin(0.1));
  const double radius = 0.1, mass = 0.4;
  FlightState<double> start;
  // n . p = R of both.
  Eigen::Matrix2d normals;
  normals << slope.x(), slope.z(), wall.x(), wall.z();
  const Eigen::Vector2d place = normals.inverse() * Eigen::Vector2d(radius, radius);
  start.p_WB = {place.x(), 0.0, place.y()};
  PlaneSimulationOptions options;
  options.duration = 0.2;
  options.record_forces = true;
  const PlaneSimulation stays =
      Solved(Ball(radius, mass), start, Before({{slope, {0, 0, 0}}, {wall, {0, 0, 0}}}, 0.0, 0.0),
             options);
  EXPECT_TRUE(stays.at_rest);
  ASSERT_EQ(stays.events.size(), 1u);
  EXPECT_EQ(stays.events[0].num_points, 2);
  const Eigen::Vector2d pressures =
      normals.transpose().inverse() * Eigen::Vector2d(0.0, mass * 9.81);
  ASSERT_EQ(stays.forces.back().size(), 2u);
  EXPECT_NEAR(stays.forces.back()[0].action.norm(), pressures[0], 1e-9);
  EXPECT_NEAR(stays.forces.back()[1].action.norm(), pressures[1], 1e-9);
}

// Bodies in grooves and corners in which something rare happens.
TEST(PlaneSimulation, RandomScenesComeToTheirEnd) {
  for (const int number : {
           21,    // a capsule's slip stops while it turns, and starts elsewhere
           169,   // slip starts where friction is just too little
           175,   // slip of two points starts at once
           320,   // a cylinder on one plane
           446,   // two points that stick press against each other
           812,   // a point that pulled comes back
           1561,  // points that slide and points that stick hold more than needed
           1095,  // states that test and switch does not find
           6150,  // the same, of four points that all start to slip, of a body nearly at rest
           4961,  // the friction cones of two points have a direction in common
           3202,  // an impact leaves two points that slide in a jam
           2445,  // points that slide come to a jam
           341,   // a cylinder that rolls round on its rim, pressed by a hundred times its weight
           6827,  // an impact with friction that nearly holds
       }) {
    SCOPED_TRACE(number);
    const testing::RandomScene scene = testing::DrawScene(number);
    Solved(scene.body, scene.start, scene.model, {.duration = 0.5, .max_steps = 20000});
  }
}

// The same with so much friction that single points jam, and without any rebound.
TEST(PlaneSimulation, JamsComeToTheirEnd) {
  for (const int number : {115, 773, 970}) {
    SCOPED_TRACE(number);
    testing::RandomScene scene = testing::DrawScene(number);
    for (ContactPlane& plane : scene.model.planes) plane.mu = 2.0;
    Solved(scene.body, scene.start, scene.model, {.duration = 0.5, .max_steps = 20000});
  }
  for (const int number : {
           112,   // forces without end, where two points are about to jam
           901,   // states that only a search finds
           1032,  // the same
       }) {
    SCOPED_TRACE(number);
    testing::RandomScene scene = testing::DrawScene(number);
    scene.model.impact.restitution = {0.0};
    Solved(scene.body, scene.start, scene.model, {.duration = 0.5, .max_steps = 20000});
  }
}

// A ladder of 1 m against a smooth wall, a thin box whose edges touch floor and wall.
FlightState<double> LeaningLadder(const Body& ladder, double angle) {
  FlightState<double> start;
  start.q_WB = Eigen::Quaterniond(Eigen::AngleAxisd(-angle, Vector3d::UnitY()));
  Vector3d lowest = Vector3d::Zero();  // of all, by its x and z
  for (const Vector3d& arm : ContactCandidates(ladder.shape, start.q_WB.toRotationMatrix())) {
    lowest.z() = std::min(lowest.z(), arm.z());
    lowest.x() = std::max(lowest.x(), arm.x());
  }
  start.p_WB = {-lowest.x(), 0.0, -lowest.z()};
  return start;
}
PlaneContactModel FloorAndWall(double floor_mu) {
  PlaneContactModel model =
      Before({{{0, 0, 1}, {0, 0, 0}}, {{-1, 0, 0}, {0, 0, 0}}}, floor_mu, 0.0);
  model.planes[1].mu = 0.0;
  return model;
}

// Statics: it stands while mu of the floor is at least 1 / (2 tan(angle)), 0.2887 at 60 degrees.
TEST(PlaneSimulation, ALadderStandsByTheFrictionOfTheFloor) {
  const Body ladder = BoxBody({1.0, 0.2, 1e-3}, 5.0);
  const FlightState<double> start = LeaningLadder(ladder, M_PI / 3);
  PlaneSimulationOptions options;
  options.duration = 0.3;
  options.record_forces = true;
  const PlaneSimulation stands = Solved(ladder, start, FloorAndWall(0.295), options);
  // The wall pushes with half the weight over tan(angle), and friction holds that.
  for (const auto& points : stands.forces) {
    Vector3d floor = Vector3d::Zero(), wall = Vector3d::Zero();
    for (const PointAction& point : points) (point.plane == 0 ? floor : wall) += point.action;
    const double weight = 5.0 * 9.81;
    EXPECT_LT((floor + wall - Vector3d(0, 0, weight)).norm(), 1e-6 * weight);
    EXPECT_NEAR(wall.x(), -0.5 * weight / std::tan(M_PI / 3), 2e-3 * weight);
    EXPECT_NEAR(wall.z(), 0.0, 1e-9);
  }
  EXPECT_LT((stands.states.back().p_WB - start.p_WB).norm(), 1e-6);
  const PlaneSimulation slides = Solved(ladder, start, FloorAndWall(0.28), options);
  EXPECT_GT((slides.states.back().p_WB - start.p_WB).norm(), 1e-3);
}

// Without friction it leaves the wall where its centre has come down to two thirds of its height.
TEST(PlaneSimulation, AFallingLadderLeavesTheWall) {
  const Body ladder = BoxBody({1.0, 0.2, 1e-4}, 5.0);
  const FlightState<double> start = LeaningLadder(ladder, M_PI / 3);
  PlaneSimulationOptions options;
  options.duration = 1.0;
  options.sample_interval = 1e-3;
  const PlaneSimulation falls = Solved(ladder, start, FloorAndWall(0.0), options);
  const auto leaves = std::ranges::find(falls.events, PlaneEventKind::kRelease, &PlaneEvent::kind);
  ASSERT_NE(leaves, falls.events.end());
  const auto sample = static_cast<std::size_t>(std::lround(leaves->time / 1e-3));
  EXPECT_NEAR(falls.states[sample].p_WB.z(), 2.0 / 3.0 * start.p_WB.z(), 2e-3);
}

TEST(PlaneSimulation, RefusesPlanesThatAreNone) {
  FlightState<double> start;
  start.p_WB = {0.0, 0.0, 1.0};
  PlaneContactModel model = MultiPoint(0.1, 0.5);
  model.planes.clear();
  EXPECT_THROW(SimulateOnPlane(Ball(0.1, 1.0), start, kPlaneSimulationGravity, model, {}),
               std::invalid_argument);
  model = Before({{{0, 0, 1}, {0, 0, 0}}, {{-1, 0, 0}, {0, 0, 0}}}, 0.1, 0.5);
  EXPECT_THROW(SimulateOnPlane(Ball(0.1, 1.0), start, kPlaneSimulationGravity, model, {}),
               std::invalid_argument);  // half of it is in the wall
  model.planes[1].frame(0, 0) = 2.0;
  EXPECT_THROW(SimulateOnPlane(Ball(0.1, 1.0), start, kPlaneSimulationGravity, model, {}),
               std::invalid_argument);
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
TEST(PlaneSimulation, RecordsTheMomentsOfImpactsBetweenTheSamples) {
  FlightState<double> start;
  start.p_WB = {0.0, 0.0, 1.1};
  PlaneSimulationOptions options;
  options.duration = 0.7;
  options.sample_interval = 0.1;
  options.record_moments = true;
  const PlaneSimulation simulation = Solved(Ball(0.1, 0.5), start, MultiPoint(0.0, 0.5), options);
  ASSERT_EQ(simulation.moments.size(), simulation.times.size() + 2);
  EXPECT_TRUE(std::ranges::is_sorted(simulation.moments, {},
                                     &decltype(simulation.moments)::value_type::time));
  const double fall = std::sqrt(2.0 / 9.81), height = 0.5 * 9.81;  // m g of it
  const auto& before = simulation.moments[5];
  const auto& after = simulation.moments[6];
  EXPECT_NEAR(before.time, fall, 1e-9);
  EXPECT_NEAR(after.time, fall, 1e-9);
  EXPECT_NEAR(before.state.p_WB.z(), 0.1, 1e-9);
  EXPECT_NEAR(before.kinetic, height, 1e-7);
  EXPECT_NEAR(after.kinetic, 0.25 * height, 1e-7);
  EXPECT_NEAR(before.potential, 0.1 * height, 1e-7);
  EXPECT_NEAR(simulation.moments[2].kinetic + simulation.moments[2].potential, 1.1 * height, 1e-7);
}

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

// A prism or block of which all points of a face slide while it turns about the vertical: the
// normal forces are the smallest of which the sum carries the weight and the moments about the
// horizontal axes vanish. Truth: these three equations, written down here.
TEST(PlaneSimulation, FaceThatSlidesAndTurnsIsPressedAsItsBalanceSays) {
  const double height = 0.03, mass = 0.6;
  for (const bool triangle : {true, false}) {
    Body body = BoxBody({0.16, 0.1, 2.0 * height}, mass);
    std::vector<Vector3d> feet;
    if (triangle) {
      const std::array<Eigen::Vector2d, 3> corners = {{{0.09, 0.0}, {-0.05, 0.06}, {-0.04, -0.06}}};
      ConvexMesh prism;
      for (const double z : {-height, height}) {
        for (const Eigen::Vector2d& corner : corners) {
          prism.vertices.emplace_back(corner.x(), corner.y(), z);
        }
      }
      prism.triangles = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4}, {0, 4, 3},
                         {1, 2, 5}, {1, 5, 4}, {2, 0, 3}, {2, 3, 5}};
      feet.assign(prism.vertices.begin(), prism.vertices.begin() + 3);
      body.shape = prism;
    } else {
      for (const double x : {-0.08, 0.08}) {
        for (const double y : {-0.05, 0.05}) feet.emplace_back(x, y, -height);
      }
    }
    FlightState<double> start;
    start.p_WB.z() = height;
    start.q_WB = Eigen::AngleAxisd(0.7, Vector3d::UnitZ());
    start.v = {0.9, 0.4, 0.0};
    start.w.z() = 5.0;
    PlaneSimulationOptions options;
    options.sample_interval = 1e-4;
    options.duration = 2.0 * options.sample_interval;
    const double mu = 0.25;
    const PlaneSimulation simulation = Solved(body, start, MultiPoint(mu, 0.3), options);
    ASSERT_EQ(simulation.states.size(), 3U);
    const FlightState<double>& middle = simulation.states[1];
    const auto count = static_cast<Eigen::Index>(feet.size());
    Eigen::MatrixXd balance(3, count), slide(3, count);
    for (Eigen::Index i = 0; i < count; ++i) {
      const Vector3d r = middle.q_WB * feet[i];
      const Vector3d slip = (middle.v + middle.w.cross(r)).normalized();
      const Vector3d force(-mu * slip.x(), -mu * slip.y(), 1.0), moment = r.cross(force);
      balance.col(i) << 1.0, moment.x(), moment.y();
      slide.col(i) << force.x() / mass, force.y() / mass, moment.z() / body.inertia(2, 2);
    }
    const Vector3d weight(mass * 9.81, 0.0, 0.0);
    const Vector3d expected = slide * balance.completeOrthogonalDecomposition().solve(weight);
    const FlightState<double>&first = simulation.states[0], &last = simulation.states[2];
    const Vector3d v_rate = (last.v - first.v) / options.duration;
    const double w_rate = (last.w.z() - first.w.z()) / options.duration;
    // The difference quotient errs by w^2 a h^2 / 6, 1e-7 and of the turn 3e-6; what a step may err
    // by, 1e-10 of the velocities, counts over the duration of 2e-4 s.
    EXPECT_NEAR(v_rate.x(), expected[0], 1e-6);
    EXPECT_NEAR(v_rate.y(), expected[1], 1e-6);
    EXPECT_NEAR(w_rate, expected[2], 1e-5);
    EXPECT_NEAR(v_rate.z(), 0.0, 1e-9);
  }
}

// A body that is not symmetric tumbles in flight as the integration of flights in small steps says.
TEST(PlaneSimulation, TumblesAsAFlightDoes) {
  const Body body = BoxBody({0.1, 0.2, 0.05}, 0.25);
  FlightState<double> start;
  start.p_WB.z() = 20.0;
  start.w = {20.0, 3.0, 6.0};
  const PlaneSimulation simulation = Solved(body, start, MultiPoint(0.2, 0.5), {});
  const FlightState<double> truth =
      PropagateFlight(start, body.inertia, kPlaneSimulationGravity, 1.0, 0.0005);
  // A step of fifth order may err by 1e-10, which lets it turn by about a tenth of a radian: 250
  // steps in a second.
  EXPECT_LE(simulation.states.back().q_WB.angularDistance(truth.q_WB), 2.5e-8);
  EXPECT_LE((simulation.states.back().w - truth.w).norm(), 20.0 * 2.5e-8);
  EXPECT_LE((simulation.states.back().p_WB - truth.p_WB).norm(), 1e-11);
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
  options.record_moments = true;
  for (const auto& [mu, printed] : {std::pair{2.0, 0.0906}, {0.0, 0.0846}}) {
    const PlaneSimulation simulation = Solved(block, start, MultiPoint(mu, 0.5), options);
    const auto impact =
        std::find_if(simulation.events.begin(), simulation.events.end(),
                     [](const PlaneEvent& e) { return e.kind == PlaneEventKind::kImpact; });
    ASSERT_NE(impact, simulation.events.end());
    EXPECT_NEAR(impact->time, printed, 1e-4);
    EXPECT_EQ(impact->num_points, 4);
    if (mu == 0.0) continue;
    const auto touch = std::ranges::find(simulation.moments, impact->time,
                                         &decltype(simulation.moments)::value_type::time);
    ASSERT_NE(touch, simulation.moments.end());
    EXPECT_NEAR(touch->state.w.x(), -5.89, 5.1e-3);
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
  // Falling freely, it strikes with its edge here, as fast as this.
  const double height = 0.5 * 9.81 * std::pow(simulation.events[0].time, 2);
  EXPECT_NEAR(9.81 * simulation.events[0].time, 4.1100, 5.1e-5);
  for (const PointAction& point : simulation.events[0].impulses) {
    EXPECT_NEAR(point.position.y(), 0.63572, 5.1e-6);
    EXPECT_NEAR(point.position.z() - (1.5 - height), -0.63904, 5.1e-6);
    EXPECT_NEAR(std::abs(point.position.x()), 0.75, 1e-9);
  }
}

// B8: the steel block strikes with one edge, then with the opposite one, then again. Digest 3.8 has
// 0.35747 s, 0.4873 s and 0.7314 s: it takes the flight between the first two, 0.12976 s, as 0.1298
// s.
TEST(PlaneSimulation, SteelBlockTouchesTwice) {
  FlightState<double> start;
  start.p_WB = {0.0, -0.5, 1.0};
  start.q_WB = Eigen::AngleAxisd(M_PI / 6, Vector3d::UnitX());
  start.v = {0.0, 1.0, 0.0};
  PlaneContactModel model = MultiPoint(0.35, 0.5);
  model.mu_s = 0.6;
  PlaneSimulationOptions options;
  options.duration = 0.74;
  const PlaneSimulation simulation =
      Solved(BoxBody({0.6, 0.8, 0.4}, 0.6 * 0.8 * 0.4 * 7825), start, model, options);
  ASSERT_GE(simulation.events.size(), 3u);
  const double times[] = {0.35747, 0.48723, 0.73110};
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(simulation.events[k].kind, PlaneEventKind::kImpact);
    EXPECT_NEAR(simulation.events[k].time, times[k], 5.1e-6);
  }
  EXPECT_EQ(simulation.events[0].num_points, 2);
  EXPECT_EQ(simulation.events[1].num_points, 2);
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

Body BodyOf(const Shape& shape, double mass) { return {shape, mass, UniformInertia(shape, mass)}; }

ConvexMesh CubeMesh(double edge) {
  ConvexMesh mesh;
  for (int k = 0; k < 8; ++k) {
    mesh.vertices.push_back(0.5 * edge * Vector3d(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1));
  }
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

void ExpectAbovePlane(const Shape& shape, const PlaneSimulation& simulation) {
  for (const FlightState<double>& state : simulation.states) {
    const Eigen::Matrix3d R = state.q_WB.toRotationMatrix();
    const Vector3d lowest = R * SupportPoint(shape, R.transpose() * -Vector3d::UnitZ());
    EXPECT_GE(state.p_WB.z() + lowest.z(), -1e-5);
  }
}

// Flat landings, without friction, are those of a particle: closed form of every impact time, and
// no turn.
TEST(PlaneSimulation, ShapesThatLandFlatBounceAsParticles) {
  struct Case {
    Shape shape;
    Eigen::Quaterniond q_WB;
    double height;  // of the mass centre at touch
  };
  const Eigen::Quaterniond upright = Eigen::Quaterniond::Identity();
  const Eigen::Quaterniond lying(Eigen::AngleAxisd(0.5 * M_PI, Vector3d::UnitX()));
  const double height = 0.2, e = 0.5;
  for (const Case& c : {Case{Cylinder{0.1, 0.06}, upright, 0.03},
                        {Cylinder{0.1, 0.06}, lying, 0.1},
                        {Capsule{0.05, 0.2}, lying, 0.05},
                        {Capsule{0.05, 0.2}, upright, 0.15},
                        {Ellipsoid{{0.1, 0.08, 0.05}}, upright, 0.05},
                        {Ellipsoid{{0.1, 0.08, 0.05}}, lying, 0.08},
                        {CubeMesh(0.1), upright, 0.05}}) {
    FlightState<double> start;
    start.p_WB = {0.0, 0.0, c.height + height};
    start.q_WB = c.q_WB;
    PlaneSimulationOptions options;
    options.duration = 1.0;
    const PlaneSimulation simulation =
        Solved(BodyOf(c.shape, 0.5), start, MultiPoint(0.0, e), options);
    double flight = std::sqrt(2.0 * height / 9.81), time = flight;
    ASSERT_GE(simulation.events.size(), 4u) << ShapeName(c.shape);
    for (int k = 0; k < 4; ++k) {
      EXPECT_EQ(simulation.events[k].kind, PlaneEventKind::kImpact) << ShapeName(c.shape);
      EXPECT_NEAR(simulation.events[k].time, time, 1e-9) << ShapeName(c.shape);
      EXPECT_NEAR(simulation.events[k].energy_after / simulation.events[k].energy_before, e * e,
                  1e-9);
      flight *= e;
      time += 2.0 * flight;
    }
    const FlightState<double>& last = simulation.states.back();
    EXPECT_NEAR(last.p_WB.z(), c.height, 1e-5) << ShapeName(c.shape);
    EXPECT_NEAR(last.q_WB.angularDistance(c.q_WB), 0.0, 1e-6) << ShapeName(c.shape);
  }
}

// Thrown with spin: energy only falls (Solved), and no point sinks.
TEST(PlaneSimulation, ThrownShapesStayAboveThePlane) {
  for (const Shape& shape : {Shape(Cylinder{0.05, 0.12}), Shape(Capsule{0.04, 0.1}),
                             Shape(Ellipsoid{{0.08, 0.06, 0.04}}), Shape(CubeMesh(0.1))}) {
    FlightState<double> start;
    start.p_WB = {0.0, 0.0, 0.3};
    start.q_WB = Eigen::Quaterniond(0.9, 0.3, 0.2, 0.1).normalized();
    start.v = {0.5, 0.3, 0.0};
    start.w = {2.0, -3.0, 1.0};
    PlaneSimulationOptions options;
    options.duration = 0.8;
    SCOPED_TRACE(ShapeName(shape));
    const PlaneSimulation simulation =
        Solved(BodyOf(shape, 0.4), start, MultiPoint(0.3, 0.3), options);
    EXPECT_EQ(simulation.times.size(), 81u);
    ExpectAbovePlane(shape, simulation);
  }
}

// A throw seen in a mirror: the plane y = 0 turns (x, y, z) to (x, -y, z), angular velocities to
// (-x, y, -z).
TEST(PlaneSimulation, MirroredThrowsStayMirrored) {
  for (const Shape& shape : {Shape(Box{{0.12, 0.1, 0.08}}), Shape(Capsule{0.04, 0.1}),
                             Shape(Ellipsoid{{0.08, 0.06, 0.04}})}) {
    FlightState<double> start;
    start.p_WB = {0.0, 0.02, 0.2};
    start.q_WB = Eigen::Quaterniond(0.9, 0.3, 0.2, 0.1).normalized();
    start.v = {0.5, 0.3, -0.5};
    start.w = {2.0, -3.0, 1.0};
    FlightState<double> mirrored = start;
    mirrored.p_WB.y() = -start.p_WB.y();
    mirrored.q_WB =
        Eigen::Quaterniond(start.q_WB.w(), -start.q_WB.x(), start.q_WB.y(), -start.q_WB.z());
    mirrored.v.y() = -start.v.y();
    mirrored.w = {-start.w.x(), start.w.y(), -start.w.z()};
    PlaneSimulationOptions options;
    options.duration = 0.3;
    const Body body = BodyOf(shape, 0.4);
    const PlaneSimulation one = Solved(body, start, MultiPoint(0.3, 0.4), options);
    const PlaneSimulation other = Solved(body, mirrored, MultiPoint(0.3, 0.4), options);
    ASSERT_EQ(one.states.size(), other.states.size());
    ASSERT_FALSE(one.events.empty());
    for (std::size_t k = 0; k < one.states.size(); ++k) {
      const FlightState<double>& a = one.states[k];
      const FlightState<double>& b = other.states[k];
      EXPECT_NEAR((a.p_WB - Vector3d(b.p_WB.x(), -b.p_WB.y(), b.p_WB.z())).norm(), 0.0, 1e-7)
          << ShapeName(shape) << ' ' << one.times[k];
      EXPECT_NEAR((a.w - Vector3d(-b.w.x(), b.w.y(), -b.w.z())).norm(), 0.0, 1e-5);
    }
  }
}

// A cube is a cube, whatever describes it; beyond some bounces their order of corners would tell.
TEST(PlaneSimulation, MeshOfACubeMovesAsTheBox) {
  FlightState<double> start;
  start.p_WB = {0.0, 0.0, 0.2};
  start.q_WB = Eigen::Quaterniond(0.9, 0.3, 0.2, 0.1).normalized();
  start.v = {0.5, 0.3, 0.0};
  start.w = {2.0, -3.0, 1.0};
  PlaneSimulationOptions options;
  options.duration = 0.3;
  Body body = BoxBody({0.1, 0.1, 0.1}, 0.4);
  const PlaneSimulation box = Solved(body, start, MultiPoint(0.3, 0.4), options);
  body.shape = CubeMesh(0.1);
  const PlaneSimulation mesh = Solved(body, start, MultiPoint(0.3, 0.4), options);
  ASSERT_FALSE(box.events.empty());
  EXPECT_EQ(mesh.events.size(), box.events.size());
  EXPECT_NEAR((mesh.states.back().p_WB - box.states.back().p_WB).norm(), 0.0, 1e-8);
}

// Every failure says when and in which state, and what came before it is kept.
TEST(PlaneSimulation, NamesTheStateOfAFailure) {
  FlightState<double> start;
  start.p_WB = {0.0, 0.0, 0.2};
  start.q_WB = Eigen::Quaterniond(0.9, 0.3, 0.2, 0.1).normalized();
  start.v.x() = 1.0;
  start.w = {2.0, -3.0, 1.0};
  const Body cube = BoxBody({0.1, 0.1, 0.1}, 0.4);
  PlaneSimulationOptions options;
  options.duration = 1.0;

  options.max_steps = 3;
  const PlaneSimulation steps =
      SimulateOnPlane(cube, start, kPlaneSimulationGravity, MultiPoint(0.3, 0.4), options);
  EXPECT_EQ(steps.status, PlaneSimulationStatus::kStepFailed);
  EXPECT_THAT(steps.reason, ::testing::HasSubstr("more steps than allowed"));
  EXPECT_THAT(steps.reason, ::testing::HasSubstr("orientation"));
  EXPECT_GE(steps.states.size(), 1u);
  EXPECT_LT(steps.states.size(), 101u);
  options.max_steps = 2000000;

  PlaneContactModel model = MultiPoint(0.3, 0.4);
  model.impact.max_phases = 0;
  const PlaneSimulation impact =
      SimulateOnPlane(cube, start, kPlaneSimulationGravity, model, options);
  EXPECT_EQ(impact.status, PlaneSimulationStatus::kImpactFailed);
  EXPECT_THAT(impact.reason, ::testing::HasSubstr("endless event"));
  EXPECT_THAT(impact.reason, ::testing::HasSubstr("angular velocity"));

  Body flat = cube;
  flat.inertia(2, 2) = 0.0;
  EXPECT_THROW(SimulateOnPlane(flat, start, kPlaneSimulationGravity, MultiPoint(0.3, 0.4)),
               std::invalid_argument);
  start.w.x() = std::nan("");
  EXPECT_THROW(SimulateOnPlane(cube, start, kPlaneSimulationGravity, MultiPoint(0.3, 0.4)),
               std::invalid_argument);
}

TEST(PlaneSimulation, NamesWhatIsWrong) {
  FlightState<double> start;
  start.p_WB.z() = 0.05;
  EXPECT_THROW(
      SimulateOnPlane(Ball(0.1, 1.0), start, kPlaneSimulationGravity, MultiPoint(0.1, 0.5)),
      std::invalid_argument);
  start.p_WB.z() = 0.5;
  PlaneContactModel model;
  model.law = "no-such-law";
  EXPECT_THROW(SimulateOnPlane(Ball(0.1, 1.0), start, kPlaneSimulationGravity, model),
               std::invalid_argument);
  // A ball that loses nothing and may rebound twice at most.
  PlaneSimulationOptions options;
  options.duration = 10.0;
  options.max_events = 2;
  const PlaneSimulation zeno = SimulateOnPlane(Ball(0.1, 1.0), start, kPlaneSimulationGravity,
                                               MultiPoint(0.0, 1.0), options);
  EXPECT_EQ(zeno.status, PlaneSimulationStatus::kZeno);
  EXPECT_THAT(zeno.reason, ::testing::HasSubstr("position"));
}

// T17, Fig. 4.10: where the thrown ball of B3 touches first (g = 9.8).
TEST(PlaneSimulation, T17BallTouchesWhereItIsPrinted) {
  FlightState<double> start;
  start.p_WB = {0.0, 0.0, 1.5};
  start.v = {8.0, 0.0, 0.0};
  PlaneSimulationOptions options;
  options.duration = 0.5;
  const PlaneSimulation simulation =
      Solved(Ball(0.5, 1.0), start, MultiPoint(0.35, 0.5), options, {0, 0, -9.8});
  ASSERT_FALSE(simulation.events.empty());
  EXPECT_NEAR(simulation.events[0].impulses[0].position.x(), 3.614, 5e-4);
  EXPECT_NEAR(simulation.events[0].impulses[0].position.z(), 0.0, 1e-6);
}

// Digest 3.4 (B4): pivot falls by 15 degrees over a width of 0.2 and 0.1 m: the edge held, sliding
// without friction, and with mu = 0.35.
TEST(PlaneSimulation, T15PivotFallsAsTabled) {
  const double angle = 15.0 * M_PI / 180.0;
  for (const auto& [width, mu, printed] :
       {std::array{0.2, 2.0, 0.0906}, std::array{0.2, 0.0, 0.0846}, std::array{0.2, 0.35, 0.0872},
        std::array{0.1, 2.0, 0.0717}, std::array{0.1, 0.0, 0.0612},
        std::array{0.1, 0.35, 0.0653}}) {
    FlightState<double> start;
    start.q_WB = Eigen::AngleAxisd(angle, Vector3d::UnitX());
    start.p_WB.z() = 0.5 * width * std::sin(angle) + 0.025 * std::cos(angle);
    PlaneSimulationOptions options;
    options.duration = 0.12;
    const PlaneSimulation simulation =
        Solved(BoxBody({0.3 - width, width, 0.05}, 0.25), start, MultiPoint(mu, 0.5), options);
    const auto impact =
        std::ranges::find(simulation.events, PlaneEventKind::kImpact, &PlaneEvent::kind);
    ASSERT_NE(impact, simulation.events.end());
    EXPECT_NEAR(impact->time, printed, 5.1e-5) << width << ' ' << mu;
  }
}

// The specimens of digest 3.2 (B2), and one on its right edge, leaning to the right by `angle` and
// turning by w about y.
const Body kRockingBlock = BoxBody({0.23, 0.7594, 1.0}, 503.0);
FlightState<double> OnItsEdge(const Body& block, double angle, double w) {
  const Vector3d& size = std::get<Box>(block.shape).size;
  FlightState<double> start;
  start.q_WB = Eigen::AngleAxisd(angle, Vector3d::UnitY());
  start.p_WB = start.q_WB * Vector3d(-0.5 * size.x(), 0.0, 0.5 * size.z());
  start.w = {0.0, w, 0.0};
  start.v = start.w.cross(start.p_WB);
  return start;
}

// S15, 6.A8: friction over normal force of an edge that sticks, from the accelerations themselves.
TEST(PlaneSimulation, AStickingEdgeIsHeldByTheForcesOfTheDigest) {
  PlaneContactModel model = MultiPoint(0.3, 0.8);
  model.mu_s = 0.577;
  PlaneSimulationOptions options;
  options.duration = 1e-3;
  options.sample_interval = 1e-3;
  options.record_forces = true;
  for (const auto& [angle, w, printed] :
       {std::array{0.05, 0.0, -0.1324}, std::array{0.05, 0.5, -0.1318},
        std::array{0.02, 1.0, -0.1521}}) {
    const PlaneSimulation simulation =
        Solved(kRockingBlock, OnItsEdge(kRockingBlock, angle, w), model, options);
    ASSERT_FALSE(simulation.forces.empty());
    Vector3d sum = Vector3d::Zero();
    for (const PointAction& point : simulation.forces[0]) sum += point.action;
    ASSERT_GT(sum.z(), 0.0) << angle;
    EXPECT_NEAR(sum.x() / sum.z(), printed, 5.1e-5) << angle << ' ' << w;
  }
}

// Digest 3.2: alpha and p (g = 9.81) of the specimens: let go beyond alpha by a little a block
// falls as cosh(p t), before alpha it returns.
TEST(PlaneSimulation, ARockingBlockLeavesItsBalanceAsTheDigestSays) {
  PlaneContactModel model = MultiPoint(0.3, 0.8);
  model.mu_s = 0.577;
  PlaneSimulationOptions options;
  options.duration = 0.5;
  struct Specimen {
    Body body;
    double alpha, p;
  };
  for (const Specimen& specimen : {Specimen{kRockingBlock, 0.22607, 3.7869},
                                   {BoxBody({0.155, 0.502, 1.0}, 228.0), 0.15378, 3.8133},
                                   {BoxBody({0.115, 0.705, 0.457}, 245.0), 0.24652, 5.5880}}) {
    const auto angle = [&](double from) {
      const FlightState<double> start = OnItsEdge(specimen.body, from, 0.0);
      const FlightState<double> end = Solved(specimen.body, start, model, options).states.back();
      return 2.0 * std::asin(end.q_WB.y());
    };
    const double alpha = specimen.alpha, beyond = 1e-3;
    const double out = angle(alpha + beyond) - alpha, back = angle(alpha - beyond) - alpha;
    EXPECT_NEAR(std::acosh((out - back) / (2.0 * beyond)) / 0.5, specimen.p, 1e-4);
    // What the two are apart in size is the rounding of alpha: 5e-6 cosh(p t).
    EXPECT_NEAR(out + back, 0.0, 2.0 * 5.1e-6 * std::cosh(specimen.p * 0.5));
  }
}

}  // namespace
}  // namespace percuss::solver
