// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "solver/contact/contact.h"
#include "solver/scene/scene_simulation.h"
#include "solver/simulation/plane_simulation.h"

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using ::testing::HasSubstr;

constexpr double kG = 9.81;

SceneModel Empty() {
  SceneModel model;
  model.gravity << 0.0, 0.0, -kG;
  return model;
}

/// A body without a shape.
SceneBody Mass(const std::string& name, double mass, const Vector3d& moments,
               const Vector3d& place) {
  SceneBody body{.name = name, .touches = false};
  body.body.mass = mass;
  body.body.inertia = moments.asDiagonal();
  body.start.p_WB = place;
  return body;
}

SceneBody Shaped(const std::string& name, const Shape& shape, double mass, const Vector3d& place) {
  SceneBody body{.name = name, .body = {.shape = shape, .mass = mass}};
  body.body.inertia = UniformInertia(shape, mass);
  body.start.p_WB = place;
  return body;
}

SceneJoint Hinge(const std::string& name, int first, int second, const Vector3d& point) {
  return {.name = name,
          .kind = JointKind::kRevolute,
          .first = first,
          .second = second,
          .point = point,
          .axis = Vector3d::UnitY()};
}

SceneSurface Floor() { return {.name = "floor"}; }

SceneSimulation RunScene(const SceneModel& model, double duration, double interval = 0.01) {
  PlaneSimulationOptions options;
  options.duration = duration;
  options.sample_interval = interval;
  const SceneSimulation out = SimulateScene(model, options);
  EXPECT_EQ(out.status, PlaneSimulationStatus::kSolved) << out.reason;
  return out;
}

const FlightState<double>& Last(const SceneSimulation& simulation, int body) {
  return simulation.states.back().bodies[body];
}

// ---------------------------------------------------------------- joints

/// Two rods of length 1 m, mass 1 kg, that hang from the origin on one another, level at the start.
SceneModel DoublePendulum() {
  SceneModel model = Empty();
  const Vector3d rod(0.001, 1.0 / 12.0, 1.0 / 12.0);
  model.bodies = {Mass("upper", 1.0, rod, {0.5, 0.0, 0.0}),
                  Mass("lower", 1.0, rod, {1.5, 0.0, 0.0})};
  model.joints = {Hinge("shoulder", kGround, 0, {0.0, 0.0, 0.0}),
                  Hinge("elbow", 0, 1, {1.0, 0.0, 0.0})};
  return model;
}

// Lagrange's equations of two uniform rods with the angles a, b from the vertical, by classical
// Runge-Kutta steps so small that they count as exact.
Eigen::Vector4d PendulumByLagrange(double duration) {
  const auto rate = [](const Eigen::Vector4d& s) {
    const double a = s[0], b = s[1], da = s[2], db = s[3];
    Eigen::Matrix2d mass;
    mass << 4.0 / 3.0, 0.5 * std::cos(a - b), 0.5 * std::cos(a - b), 1.0 / 3.0;
    const Eigen::Vector2d force(-0.5 * db * db * std::sin(a - b) - 1.5 * kG * std::sin(a),
                                0.5 * da * da * std::sin(a - b) - 0.5 * kG * std::sin(b));
    Eigen::Vector4d out;
    out << da, db, mass.inverse() * force;
    return out;
  };
  Eigen::Vector4d s(std::numbers::pi / 2, std::numbers::pi / 2, 0.0, 0.0);
  constexpr int kSteps = 40000;
  const double h = duration / kSteps;
  for (int k = 0; k < kSteps; ++k) {
    const Eigen::Vector4d k1 = rate(s), k2 = rate(s + 0.5 * h * k1), k3 = rate(s + 0.5 * h * k2),
                          k4 = rate(s + h * k3);
    s += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return s;
}

TEST(Scene, DoublePendulumMovesByLagrangesEquations) {
  const SceneSimulation out = RunScene(DoublePendulum(), 2.0);
  const Eigen::Vector4d s = PendulumByLagrange(2.0);
  const Vector3d upper(0.5 * std::sin(s[0]), 0.0, -0.5 * std::cos(s[0]));
  const Vector3d lower = 2.0 * upper + 0.5 * Vector3d(std::sin(s[1]), 0.0, -std::cos(s[1]));
  EXPECT_LT((Last(out, 0).p_WB - upper).norm(), 1e-8);
  EXPECT_LT((Last(out, 1).p_WB - lower).norm(), 1e-8);
  EXPECT_LT(out.energy_gain, 1e-10);
}

/// Crank, coupler and rocker between two pivots on the ground.
SceneModel FourBar() {
  SceneModel model = Empty();
  const Vector3d b(0.5230124549639641, 0.0, 0.49403736489189193);  // 0.6 m from the crank's end
  const Vector3d end(0.0, 0.0, 0.2), pivot(0.6, 0.0, 0.0);
  const Vector3d moments(0.002, 0.002, 0.002);
  model.bodies = {Mass("crank", 0.5, moments, 0.5 * end),
                  Mass("coupler", 1.0, moments, 0.5 * (end + b)),
                  Mass("rocker", 0.8, moments, 0.5 * (pivot + b))};
  model.joints = {Hinge("motor", kGround, 0, Vector3d::Zero()), Hinge("pin", 0, 1, end),
                  Hinge("swing", kGround, 2, pivot), Hinge("close", 1, 2, b)};
  model.joints[0].rate = 10.0;
  return model;
}

// The lengths stay, the energy stays, and the motion does not depend on where the loop is cut.
TEST(Scene, FourBarClosesItsLoopWhereverItIsCut) {
  const SceneModel model = FourBar();
  const SceneSimulation out = RunScene(model, 2.0);
  EXPECT_THAT(out.redundant, ::testing::ElementsAre("joints.close"));
  EXPECT_LT(out.energy_gain, 1e-9);
  for (const SceneSample& sample : out.states) {
    const auto end = [&](int body, double z) -> Vector3d {
      return sample.bodies[body].p_WB + sample.bodies[body].q_WB * Vector3d(0.0, 0.0, z);
    };
    EXPECT_NEAR(end(0, 0.1).norm(), 0.2, 1e-9);
    const Vector3d half =
        0.5 * (Vector3d(0.5230124549639641, 0.0, 0.49403736489189193) - Vector3d(0.0, 0.0, 0.2));
    const Vector3d joint = sample.bodies[1].p_WB + sample.bodies[1].q_WB * half;
    EXPECT_NEAR((joint - Vector3d(0.6, 0.0, 0.0)).norm(), 0.5, 1e-9);
    EXPECT_LT((sample.bodies[1].p_WB - sample.bodies[1].q_WB * half - end(0, 0.1)).norm(), 1e-9);
  }
  SceneModel other = model;  // now the first loop to close is at the motor
  std::rotate(other.joints.begin(), other.joints.begin() + 1, other.joints.end());
  const SceneSimulation cut_elsewhere = RunScene(other, 2.0);
  for (int b = 0; b < 3; ++b)
    EXPECT_LT((Last(out, b).p_WB - Last(cut_elsewhere, b).p_WB).norm(), 1e-7) << b;
}

// A rod on a spherical joint, by the joint and by a free body whose point an expression holds.
TEST(Scene, ASphericalJointIsThreeConstraintsOnAPoint) {
  SceneModel model = Empty();
  SceneBody rod = Mass("rod", 0.7, {0.02, 0.03, 0.01}, {0.3, 0.1, -0.2});
  rod.start.w << 2.0, -1.0, 3.0;
  rod.angular_velocity_given = true;
  model.bodies = {rod};
  SceneModel held = model;
  model.joints = {{.name = "ball", .kind = JointKind::kSpherical, .second = 0}};
  for (int axis = 0; axis < 3; ++axis) {
    held.constraints.push_back({.name = std::to_string(axis + 1),
                                .expression = Expression("p"),
                                .variables = {{0, -rod.start.p_WB, axis}}});
  }
  const SceneSimulation by_joint = RunScene(model, 1.0), by_expression = RunScene(held, 1.0);
  EXPECT_LT((Last(by_joint, 0).p_WB - Last(by_expression, 0).p_WB).norm(), 1e-8);
  EXPECT_LT((Last(by_joint, 0).w - Last(by_expression, 0).w).norm(), 1e-7);
  EXPECT_NEAR(Last(by_expression, 0).p_WB.norm(), rod.start.p_WB.norm(), 1e-9);
  EXPECT_LT(by_joint.energy_gain, 1e-9);
}

// x = A cos(sqrt(k/m) t), damped by exp(-c t / 2m), of a joint's own spring and of one beside it.
TEST(Scene, SpringsOscillateAsTheyMust) {
  for (const bool own : {true, false}) {
    SceneModel model = Empty();
    model.bodies = {Mass("slider", 2.0, Vector3d::Ones(), {0.3, 0.0, 0.0})};
    SceneJoint guide{.name = "guide", .kind = JointKind::kPrismatic, .second = 0};
    guide.axis = Vector3d::UnitX();
    if (own) {
      guide.stiffness = 50.0;
      guide.damping = 0.8;
      guide.rest = -0.1;  // the middle of the motion is at x = 0.2
    } else {
      model.springs = {{.name = "spring",
                        .second = 0,
                        .at_first = {-1.0, 0.0, 0.0},
                        .at_second = Vector3d::Zero(),
                        .stiffness = 50.0,
                        .damping = 0.8,
                        .length = 1.2}};
    }
    model.joints = {guide};
    const SceneSimulation out = RunScene(model, 1.7);
    const double decay = 0.8 / 4.0, rate = std::sqrt(25.0 - decay * decay), t = 1.7;
    const double x =
        0.1 * std::exp(-decay * t) * (std::cos(rate * t) + decay / rate * std::sin(rate * t));
    EXPECT_NEAR(Last(out, 0).p_WB.x(), 0.2 + x, 1e-9) << own;
    EXPECT_NEAR(out.states.back().joints[0], -0.1 + x, 1e-9) << own;
  }
}

// A force on the mass centre is a change of gravity; one at the end of a hanging rod holds it at
// the angle of statics, tan = 2 F / (m g), and lets a rod that hangs straight swing up to twice
// that.
TEST(Scene, ConstantForcesActWhereTheyAreSaid) {
  SceneModel pushed = Empty();
  pushed.bodies = {Shaped("box", Box{{0.2, 0.2, 0.1}}, 2.0, {0.0, 0.0, 0.05})};
  pushed.surfaces = {Floor()};
  pushed.mu = 0.2;
  SceneModel falling = pushed;
  pushed.forces = {{.body = 0, .force = {8.0, 1.0, 3.0}}};
  falling.gravity += Vector3d(4.0, 0.5, 1.5);
  const SceneSimulation by_force = RunScene(pushed, 0.5), by_gravity = RunScene(falling, 0.5);
  const double pull = std::hypot(4.0, 0.5), friction = 0.2 * (kG - 1.5);
  EXPECT_NEAR(Last(by_force, 0).p_WB.head<2>().norm(), 0.125 * (pull - friction), 1e-7);
  EXPECT_LT((Last(by_force, 0).p_WB - Last(by_gravity, 0).p_WB).norm(), 1e-9);

  const double force = 3.0, angle = std::atan(2.0 * force / (0.7 * kG));
  const auto hanging = [&](double at) {
    SceneModel model = Empty();
    SceneBody rod = Mass("rod", 0.7, {0.7 / 12.0, 0.7 / 12.0, 1e-4},
                         {0.5 * std::sin(at), 0.0, -0.5 * std::cos(at)});
    rod.start.q_WB = Eigen::AngleAxisd(-at, Vector3d::UnitY());
    model.bodies = {rod};
    model.joints = {Hinge("hinge", kGround, 0, Vector3d::Zero())};
    model.forces = {{.body = 0, .at = {0.0, 0.0, -0.5}, .force = {force, 0.0, 0.0}}};
    return model;
  };
  const SceneSimulation held = RunScene(hanging(angle), 1.0);
  EXPECT_LT(Last(held, 0).v.norm(), 1e-7);
  const SceneSimulation swings = RunScene(hanging(0.0), 2.0, 0.001);
  EXPECT_LE(swings.energy_gain, 1e-9);
  double most = 0.0;
  for (const SceneSample& sample : swings.states) {
    const Vector3d& p = sample.bodies[0].p_WB;
    most = std::max(most, std::atan2(p.x(), -p.z()));
  }
  EXPECT_NEAR(most, 2.0 * angle, 1e-5);
}

// A planar joint lets a body slide and spin in its plane only; a fixed one makes two bodies one.
TEST(Scene, PlanarAndFixedJointsHoldWhatTheySay) {
  SceneModel model = Empty();
  SceneBody disc = Mass("disc", 1.0, {0.1, 0.1, 0.2}, {0.0, 0.0, 1.0});
  disc.start.v << 0.5, -0.2, 0.0;
  disc.start.w << 0.0, 0.0, 3.0;
  disc.velocity_given = disc.angular_velocity_given = true;
  model.bodies = {disc, Mass("rider", 1.0, {0.1, 0.1, 0.2}, {0.4, 0.0, 1.0})};
  model.joints = {{.name = "table", .kind = JointKind::kPlanar, .second = 0},
                  {.name = "glue", .kind = JointKind::kFixed, .first = 0, .second = 1}};
  const SceneSimulation out = RunScene(model, 1.0);
  const Vector3d middle = 0.5 * (Last(out, 0).p_WB + Last(out, 1).p_WB);
  // The middle of both goes on with its velocity (0.5, -0.2 + 0.2 * 3).
  EXPECT_LT((middle - Vector3d(0.2 + 0.5, 0.4, 1.0)).norm(), 1e-9);
  const Vector3d between = Last(out, 1).p_WB - Last(out, 0).p_WB;
  EXPECT_LT((between - 0.4 * Vector3d(std::cos(3.0), std::sin(3.0), 0.0)).norm(), 1e-9);
}

// ---------------------------------------------------------------- contact

// The same box by the simulator of one body.
TEST(Scene, OneFreeBodyMovesAsInTheSimulatorOfOneBody) {
  SceneModel model = Empty();
  SceneBody box = Shaped("box", Box{{0.1, 0.2, 0.3}}, 0.5, {0.0, 0.0, 0.5});
  box.start.q_WB = Eigen::Quaterniond(0.9, 0.3, 0.3, 0.1).normalized();
  box.start.v << 1.0, 0.2, 0.0;
  box.start.w << 1.0, 5.0, -2.0;
  box.velocity_given = box.angular_velocity_given = true;
  model.bodies = {box};
  model.surfaces = {Floor()};
  model.mu = 0.3;
  model.impact.restitution_by_points = {0.5, 0.3};
  PlaneContactModel plane;
  plane.mu = 0.3;
  plane.impact = model.impact;
  PlaneSimulationOptions options;
  options.duration = 0.6;
  const PlaneSimulation alone = SimulateOnPlane(box.body, box.start, model.gravity, plane, options);
  const SceneSimulation scene = SimulateScene(model, options);
  ASSERT_EQ(scene.states.size(), alone.states.size());
  ASSERT_GT(
      std::ranges::count(scene.events, PlaneEventKind::kImpact, &SimulationEvent<PairAction>::kind),
      2);
  EXPECT_LT((Last(scene, 0).p_WB - alone.states.back().p_WB).norm(), 1e-7);
  EXPECT_LT((Last(scene, 0).w - alone.states.back().w).norm(), 1e-5);
}

// A capsule is two balls that are fixed to a body.
TEST(Scene, BallsOfABodyTouchAsTheCapsOfACapsule) {
  SceneModel model = Empty();
  SceneBody capsule = Shaped("capsule", Capsule{0.05, 0.2}, 0.4, {0.0, 0.0, 0.3});
  capsule.start.q_WB = Eigen::Quaterniond(0.8, 0.5, 0.2, 0.1).normalized();
  capsule.start.v << 0.3, 0.1, 0.0;
  capsule.velocity_given = true;
  model.bodies = {capsule};
  model.surfaces = {Floor()};
  model.mu = 0.4;
  model.impact.restitution_by_points = {0.4};
  SceneModel balls = model;
  balls.bodies[0].points = {{{0.0, 0.0, -0.1}, 0.05}, {{0.0, 0.0, 0.1}, 0.05}};
  const SceneSimulation by_shape = RunScene(model, 1.0), by_balls = RunScene(balls, 1.0);
  ASSERT_GT(by_shape.events.size(), 3u);
  EXPECT_LT((Last(by_shape, 0).p_WB - Last(by_balls, 0).p_WB).norm(), 1e-6);
}

// chatterjee2019 6.2.3 (B6): a block of 1.5 x 1.5 x 1 m falls on an edge, its lower face on 4
// corners, on 8 points of its edges, on 4 x 4 or 5 x 5 points. Its motion over 2 s does not depend
// on them; digest 3.6: those of the edge that strikes share the load.
TEST(Scene, ABlockMovesTheSameOnAnyNumberOfPoints) {
  struct Face {
    int side;     // points along an edge
    bool middle;  // or only on the edges
    double load;
  };
  std::vector<SceneSimulation> runs;
  for (const Face& face :
       {Face{2, true, 3.5153}, {3, false, 2.3435}, {4, true, 1.7577}, {5, true, 1.4061}}) {
    SceneModel model = Empty();
    SceneBody block = Shaped("block", Box{{1.5, 1.5, 1.0}}, 2.5, {0.0, 0.0, 1.5});
    block.start.q_WB = Eigen::AngleAxisd(-0.2, Vector3d::UnitX());
    const int last = face.side - 1;
    for (int i = 0; i <= last; ++i) {
      for (int k = 0; k <= last; ++k) {
        if (!face.middle && i % last != 0 && k % last != 0) continue;
        block.points.push_back({{-0.75 + 1.5 * i / last, -0.75 + 1.5 * k / last, -0.5}});
      }
    }
    model.bodies = {block};
    model.surfaces = {Floor()};
    model.mu = 0.2;
    model.impact.restitution = {0.5};
    runs.push_back(RunScene(model, 2.0));
    const auto& first = runs.back().events.front();
    EXPECT_EQ(first.kind, PlaneEventKind::kImpact);
    ASSERT_EQ(first.impulses.size(), static_cast<std::size_t>(face.side));
    for (const PairAction& point : first.impulses) {
      EXPECT_NEAR(point.action.z(), face.load, 1e-4 * face.load) << face.side;
    }
  }
  for (const SceneSimulation& run : runs) {
    EXPECT_GT(
        std::ranges::count(run.events, PlaneEventKind::kImpact, &SimulationEvent<PairAction>::kind),
        3);
    ASSERT_EQ(run.states.size(), runs[0].states.size());
    for (std::size_t k = 0; k < run.states.size(); ++k) {
      const FlightState<double>&one = run.states[k].bodies[0], &other = runs[0].states[k].bodies[0];
      EXPECT_LT((one.p_WB - other.p_WB).norm(), 5e-6) << k;
      EXPECT_LT(one.q_WB.angularDistance(other.q_WB), 5e-6) << k;
    }
  }
}

// chatterjee1997 11.1.1 (B7): a puck of 52.6 g with 9.85 g on a soft spring behind it strikes with
// e = 0.85. Both together come back with 0.558 of the speed, the puck swinging about that, and it
// does not strike again.
TEST(Scene, ACompositePuckStrikesOnce) {
  const double puck = 52.6e-3, hung = 9.85e-3, stiffness = 50.0;
  SceneModel model = Empty();
  model.gravity.setZero();
  model.bodies = {Shaped("puck", Sphere{0.05}, puck, {0.05, 0.0, 0.0}),
                  Mass("hung", hung, Vector3d::Ones(), {0.15, 0.0, 0.0})};
  for (SceneBody& body : model.bodies) {
    body.start.v << -1.0, 0.0, 0.0;
    body.velocity_given = true;
  }
  model.springs = {{.name = "spring",
                    .first = 0,
                    .second = 1,
                    .at_first = Vector3d::Zero(),
                    .at_second = Vector3d::Zero(),
                    .stiffness = stiffness,
                    .length = 0.1}};
  model.surfaces = {{.name = "wall", .frame = ContactFrame(Vector3d::UnitX())}};
  model.law = "newton";
  model.parameters = {0.0, 0.85};
  const double rate = std::sqrt(stiffness * (1.0 / puck + 1.0 / hung));
  const double duration = 3.0 * 2.0 * std::numbers::pi / rate;
  const SceneSimulation out = RunScene(model, duration, 1e-3);
  EXPECT_EQ(
      std::ranges::count(out.events, PlaneEventKind::kImpact, &SimulationEvent<PairAction>::kind),
      1);
  const double mean = (puck * 0.85 - hung) / (puck + hung);
  EXPECT_NEAR(mean, 0.558, 5.1e-4);
  for (std::size_t k = 0; k < out.states.size(); ++k) {
    const double t = 1e-3 * static_cast<double>(k);
    EXPECT_NEAR(out.states[k].bodies[0].p_WB.x() - 0.05,
                0.5582 * t + 0.2918 / rate * std::sin(rate * t), 1e-4 * duration)
        << t;
  }
}

// m g sin(a) cos(a) / (M + m sin^2(a)): a smooth block on a smooth wedge that is free to slide.
TEST(Scene, ABlockSlidesDownAWedgeThatGivesWay) {
  const double angle = 0.5;
  SceneModel model = Empty();
  const Vector3d normal(std::sin(angle), 0.0, std::cos(angle));
  SceneBody wedge = Mass("wedge", 3.0, Vector3d::Ones(), {0.0, 0.0, 0.0});
  SceneBody block = Shaped("block", Sphere{0.05}, 1.0, 0.05 * normal);
  model.bodies = {wedge, block};
  model.joints = {
      {.name = "rail", .kind = JointKind::kPrismatic, .second = 0, .axis = Vector3d::UnitX()}};
  model.surfaces = {{.name = "slope", .body = 0, .frame = ContactFrame(normal)}};
  const SceneSimulation out = RunScene(model, 0.5);
  const double wanted =
      -1.0 * kG * std::sin(angle) * std::cos(angle) / (3.0 + std::sin(angle) * std::sin(angle));
  EXPECT_NEAR(Last(out, 0).p_WB.x(), 0.5 * wanted * 0.25, 1e-7);
  EXPECT_LT(out.energy_gain, 1e-9);
}

// A belt takes a block along with mu g until both are as fast.
TEST(Scene, ABeltTakesABlockAlong) {
  SceneModel model = Empty();
  model.bodies = {Shaped("block", Box{{0.2, 0.2, 0.02}}, 1.0, {0.0, 0.0, 0.01})};
  model.surfaces = {{.name = "belt", .velocity = {0.5, 0.0, 0.0}}};
  model.mu = 0.1;
  const SceneSimulation out = RunScene(model, 1.0);
  const double t = 0.5 / (0.1 * kG);
  EXPECT_NEAR(Last(out, 0).v.x(), 0.5, 1e-5);
  EXPECT_NEAR(Last(out, 0).p_WB.x(), 0.25 * t + 0.5 * (1.0 - t), 1e-5);
  EXPECT_FALSE(out.energy_counts);
}

// On a plate that shakes with less than g a body stays; with more it leaves where the plate falls
// away with g.
TEST(Scene, AShakenPlateCarriesWhatItCan) {
  const double rate = 2.0 * std::numbers::pi * 5.0;
  for (const double share : {0.9, 1.5}) {
    SceneModel model = Empty();
    model.bodies = {Shaped("ball", Sphere{0.1}, 1.0, {0.0, 0.0, 0.1})};
    SceneSurface plate{.name = "plate"};
    plate.amplitude << 0.0, 0.0, share * kG / (rate * rate);
    plate.frequency = 5.0;
    plate.phase = -std::numbers::pi / 2;  // it starts at its lowest
    plate.point << 0.0, 0.0, plate.amplitude.z();
    model.surfaces = {plate};
    const SceneSimulation out = RunScene(model, 0.1, 0.001);
    const auto plate_at = [&](double t) {
      return plate.amplitude.z() * (1.0 + std::sin(rate * t + plate.phase));
    };
    if (share < 1.0) {
      EXPECT_NEAR(Last(out, 0).p_WB.z(), 0.1 + plate_at(0.1), 1e-7);
    } else {
      const double leaves = (std::asin(1.0 / share) + std::numbers::pi / 2) / rate;
      const auto release = std::ranges::find(out.events, PlaneEventKind::kRelease,
                                             &SimulationEvent<PairAction>::kind);
      ASSERT_NE(release, out.events.end());
      EXPECT_NEAR(release->time, leaves, 1e-6);
    }
  }
}

/// Five balls on strings; the first is let go from the side.
SceneModel Cradle(double e) {
  SceneModel model = Empty();
  for (int k = 0; k < 5; ++k) {
    const double x = 0.04 * k;
    const Vector3d place = k == 0 ? Vector3d(-0.3, 0.0, -0.4) : Vector3d(x, 0.0, -0.5);
    model.bodies.push_back(
        Shaped(std::string(1, static_cast<char>('a' + k)), Sphere{0.02}, 0.1, place));
    model.joints.push_back(Hinge("string", kGround, k, {x, 0.0, 0.0}));
  }
  model.law = "stronge";
  model.parameters = {0.0, e};
  return model;
}

// One pair after the other, all momentum reaches the last ball. The energy at the lowest point is
// m g 0.1.
TEST(Scene, NewtonsCradleHandsTheSpeedOnToTheLast) {
  const SceneSimulation out = RunScene(Cradle(1.0), 0.37, 0.001);
  const double inertia = 0.1 * 0.25 + 0.4 * 0.1 * 0.02 * 0.02;
  const double speed = 0.5 * std::sqrt(2.0 * 0.1 * kG * 0.1 / inertia);
  const auto impact =
      std::ranges::find(out.events, PlaneEventKind::kImpact, &SimulationEvent<PairAction>::kind);
  ASSERT_NE(impact, out.events.end());
  EXPECT_EQ(impact->impulses.size(), 4u);
  for (const PairAction& one : impact->impulses)
    EXPECT_NEAR(one.action.norm(), speed * inertia / 0.25, 1e-9);
  EXPECT_GT(Last(out, 4).v.x(), 0.99 * speed);
  for (int k = 0; k < 4; ++k) EXPECT_LT(Last(out, k).v.norm(), 1e-6) << k;
}

// A shock between two balls keeps momentum and turns the relative speed round.
TEST(Scene, BallsThatMeetInFlightKeepTheirMomentum) {
  SceneModel model = Empty();
  model.gravity.setZero();
  model.bodies = {Shaped("a", Sphere{0.1}, 1.0, {0.0, 0.0, 0.0}),
                  Shaped("b", Sphere{0.2}, 4.0, {1.0, 0.05, 0.1})};
  model.bodies[0].start.v << 2.0, 0.0, 0.0;
  model.bodies[0].velocity_given = true;
  model.impact.restitution_by_points = {0.5};
  model.mu = 0.2;
  const SceneSimulation out = RunScene(model, 1.0);
  ASSERT_EQ(out.events.size(), 1u);
  EXPECT_LT((Last(out, 0).v + 4.0 * Last(out, 1).v - Vector3d(2.0, 0.0, 0.0)).norm(), 1e-12);
  const Vector3d n = -out.events[0].impulses[0].action.normalized();
  EXPECT_GT(n.x(), 0.9);
  const double angular = (out.states[0].bodies[0].p_WB.cross(Vector3d(2.0, 0.0, 0.0))).norm();
  const auto momentum = [&](int b, double mass) -> Vector3d {
    return mass * Last(out, b).p_WB.cross(Last(out, b).v) +
           model.bodies[b].body.inertia * Last(out, b).w;
  };
  EXPECT_NEAR((momentum(0, 1.0) + momentum(1, 4.0)).norm(), angular, 1e-9);
  EXPECT_LT(out.events[0].energy_after, out.events[0].energy_before);
}

// A slider-crank that strikes a stop: its one freedom comes back with e of its speed, so that the
// kinetic energy is e^2 of what it was.
TEST(Scene, AMechanismStrikesWithAllItsMass) {
  SceneModel model = Empty();
  model.gravity.setZero();
  const double reach = std::sqrt(0.09 - 0.01);
  model.bodies = {Mass("crank", 2.0, {0.02, 0.02, 0.02}, {0.0, 0.0, 0.05}),
                  Mass("rod", 0.5, {0.004, 0.004, 0.004}, {0.5 * reach, 0.0, 0.05}),
                  Shaped("slider", Box{{0.06, 0.04, 0.04}}, 0.4, {reach, 0.0, 0.0})};
  model.joints = {
      Hinge("motor", kGround, 0, Vector3d::Zero()),
      Hinge("pin", 0, 1, {0.0, 0.0, 0.1}),
      {.name = "guide", .kind = JointKind::kPrismatic, .second = 2, .axis = Vector3d::UnitX()},
      Hinge("wrist", 1, 2, {reach, 0.0, 0.0})};
  model.joints[0].rate = 20.0;
  model.surfaces = {
      {.name = "stop", .frame = ContactFrame(-Vector3d::UnitX()), .point = {0.42, 0.0, 0.0}}};
  model.impact.restitution_by_points = {0.5};
  const SceneSimulation out = RunScene(model, 0.1);
  ASSERT_EQ(out.events.size(), 1u);
  EXPECT_NEAR(out.events[0].energy_after / out.events[0].energy_before, 0.25, 1e-9);
  double energy = 0.0;
  for (int b = 0; b < 3; ++b) {
    const FlightState<double>& s = out.states[0].bodies[b];
    energy += 0.5 * model.bodies[b].body.mass * s.v.squaredNorm() +
              0.5 * s.w.dot(model.bodies[b].body.inertia * s.w);
  }
  EXPECT_NEAR(out.events[0].energy_before, energy, 1e-8);
}

// ---------------------------------------------------------------- what cannot be

void ExpectRefused(const SceneModel& model, const std::string& says) {
  try {
    SimulateScene(model);
    ADD_FAILURE() << "taken where it should say: " << says;
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr(says));
  }
}

TEST(Scene, ASceneThatCannotBeNamesTheField) {
  SceneModel pendulum = DoublePendulum();
  pendulum.bodies[0].start.v << 1.0, 0.0, 0.0;  // along the rod, which the hinge does not allow
  pendulum.bodies[0].velocity_given = true;
  ExpectRefused(pendulum, "bodies.upper.velocity");

  SceneModel bar = FourBar();
  bar.joints[2].rate = 3.0;
  ExpectRefused(bar, "joints.");

  SceneModel sprung = FourBar();
  sprung.joints[3].stiffness = 1.0;
  ExpectRefused(sprung, "joints.close closes a loop");

  SceneModel held = DoublePendulum();
  held.constraints = {
      {.name = "1", .expression = Expression("x - 1"), .variables = {{0, Vector3d::Zero(), 0}}}};
  ExpectRefused(held, "constraints.1 is -0.5 at the start; it must be 0");

  SceneModel deep = Empty();
  deep.bodies = {Shaped("ball", Sphere{0.1}, 1.0, {0.0, 0.0, 0.05})};
  deep.surfaces = {Floor()};
  ExpectRefused(deep, "bodies.ball starts 0.05 m deep in surfaces.floor");

  SceneModel inside = Empty();
  inside.bodies = {Shaped("a", Sphere{0.1}, 1.0, {0.0, 0.0, 0.0}),
                   Shaped("b", Sphere{0.1}, 1.0, {0.15, 0.0, 0.0})};
  ExpectRefused(inside, "deep in bodies.b");

  SceneModel light = Empty();
  light.bodies = {Mass("feather", 0.0, Vector3d::Ones(), Vector3d::Zero())};
  ExpectRefused(light, "mass");
}

}  // namespace
}  // namespace percuss::solver
