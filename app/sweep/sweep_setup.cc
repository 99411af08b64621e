// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/sweep/sweep_setup.h"

#include <fmt/core.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>

#include "capture/experiment/experiment.h"
#include "solver/body/euler_angles.h"
#include "solver/body/rigid_body.h"

namespace percuss::app {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Values = SweepSetup::Values;

// Completes what `place` fills when mass and r are set. `sign` is -1 where the file turns the sign
// of all velocities; the columns of `axes` are t1, t2, n in the axes of the file.
void PlaceBody(const Matrix3d& inertia, const Matrix3d& axes, double sign, SweptImpact& impact) {
  impact.inertia = inertia;
  impact.inverse_inertia = inertia.inverse();
  Matrix3d levers;
  for (int k = 0; k < 3; ++k) levers.col(k) = impact.r.cross(axes.col(k));
  impact.contact.inverse_mass = levers.transpose() * impact.inverse_inertia * levers;
  impact.contact.inverse_mass.diagonal().array() += 1.0 / impact.mass;
  impact.frame = sign * axes;
}

void MoveBody(const Vector3d& v, const Vector3d& w, SweptImpact& impact) {
  impact.v = v;
  impact.w = w;
  impact.contact.velocity = impact.frame.transpose() * (v + w.cross(impact.r));
  impact.energy = 0.5 * (impact.mass * v.squaredNorm() + w.dot(impact.inertia * w));
}

// Of set-ups that begin with v and w.
void MoveByFirstSix(Values x, SweptImpact& impact) {
  MoveBody({x[0], x[1], x[2]}, {x[3], x[4], x[5]}, impact);
}

// The thesis' axes: y is the normal; t1, t2 are x and -z.
Matrix3d ThesisAxes() {
  Matrix3d axes;
  axes << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  return axes;
}

void ReadInputs(const YamlField& field, std::vector<SweepInput>& inputs,
                std::vector<std::string_view> more_keys = {}) {
  std::vector<std::string_view> keys = more_keys;
  for (const SweepInput& input : inputs) keys.push_back(input.name);
  field.AllowKeys(keys);
  for (SweepInput& input : inputs) {
    const YamlField value = field[input.name];
    if (!value.Given()) continue;
    input.value = value.Number({.lowest = input.lower,
                                .highest = input.upper,
                                .lowest_included = input.lower_included,
                                .unit = input.unit});
  }
}

SweepSetup ReadContact(const YamlField& field) {
  field.AllowKeys({"inverse_mass", "velocity"});
  SweepSetup setup;
  setup.has_body = false;
  const std::vector<double> u = field["velocity"].Numbers(3, {.unit = "m/s"});
  const std::array<std::string_view, 3> axes = {"t1", "t2", "n"};
  for (std::size_t i = 0; i < 3; ++i) {
    setup.inputs.push_back(
        {.name = fmt::format("velocity_{}", axes[i]), .unit = "m/s", .value = u[i], .moves = true});
  }
  Matrix3d a;
  const std::vector<YamlField> rows =
      field["inverse_mass"].Items("a 3x3 matrix: a list of 3 rows [1/kg]");
  if (rows.size() != 3) field["inverse_mass"].Throw("a 3x3 matrix: a list of 3 rows [1/kg]");
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<double> row = rows[i].Numbers(3, {.unit = "1/kg"});
    a.row(i) = Eigen::Map<const Eigen::RowVector3d>(row.data());
  }
  if (!a.isApprox(a.transpose(), 1e-9)) field["inverse_mass"].Throw("a symmetric matrix");
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      setup.inputs.push_back({fmt::format("inverse_mass_{}{}", i + 1, j + 1), "1/kg", a(i, j)});
    }
  }
  setup.place = [](Values x, SweptImpact& impact) -> std::string_view {
    impact.contact.inverse_mass << x[3], x[4], x[5], x[4], x[6], x[7], x[5], x[7], x[8];
    const Eigen::LLT<Matrix3d> factor(impact.contact.inverse_mass);
    if (factor.info() != Eigen::Success) return "inverse_mass is not positive definite";
    return {};
  };
  setup.move = [](Values x, SweptImpact& impact) {
    impact.contact.velocity << x[0], x[1], x[2];
    const Eigen::LLT<Matrix3d> factor(impact.contact.inverse_mass);
    impact.energy = 0.5 * impact.contact.velocity.dot(factor.solve(impact.contact.velocity));
  };
  return setup;
}

void AddVector(const YamlField& field, std::string_view prefix, std::string_view unit,
               const std::vector<double>& otherwise, std::vector<SweepInput>& inputs,
               bool moves = false) {
  const std::vector<double> values =
      field.Given() || otherwise.empty() ? field.Numbers(3, {.unit = unit}) : otherwise;
  for (std::size_t i = 0; i < 3; ++i) {
    inputs.push_back({.name = fmt::format("{}{}", prefix, "xyz"[i]),
                      .unit = unit,
                      .value = values[i],
                      .moves = moves});
  }
}

Eigen::Quaterniond OrientationOf(Values theta) {
  return solver::OrientationFromEulerAngles({theta[0], theta[1], theta[2]});
}

// As in `percuss impact`. turn_x, turn_y, turn_z turn the body about world axes, x first.
SweepSetup ReadBodySetup(const YamlField& root) {
  const solver::Body body = capture::ReadBody(root["body"]).body;
  Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();
  if (const YamlField field = root["orientation"]; field.Given()) {
    if (root["euler_angles"].Given()) field.Throw("this beside euler_angles", "one of them");
    const std::vector<double> q = field.Numbers(4, {});
    orientation = Eigen::Quaterniond(q[0], q[1], q[2], q[3]);
    if (!(std::abs(orientation.norm() - 1.0) <= 1e-3)) {
      field.Throw(fmt::format("a quaternion of length {:g}", orientation.norm()),
                  "length 1 (within 0.001)");
    }
    orientation.normalize();
  }
  SweepSetup setup;
  AddVector(root["velocity"], "v", "m/s", {}, setup.inputs, true);
  AddVector(root["angular_velocity"], "w", "rad/s", {0, 0, 0}, setup.inputs, true);
  AddVector(root["normal"], "n", "", {0, 0, 1}, setup.inputs);
  for (const char* name : {"turn_x", "turn_y", "turn_z"})
    setup.inputs.push_back({name, "rad", 0.0});
  std::vector<double> theta(3, 0.0);
  if (const YamlField field = root["euler_angles"]; field.Given())
    theta = field.Numbers(3, {.unit = "rad"});
  for (std::size_t i = 0; i < 3; ++i)
    setup.inputs.push_back({fmt::format("theta{}", i + 1), "rad", theta[i]});
  const bool fixed_point = root["contact_point"].Given();
  if (fixed_point) AddVector(root["contact_point"], "r", "m", {}, setup.inputs);
  setup.place = [=](Values x, SweptImpact& impact) -> std::string_view {
    const Vector3d normal(x[6], x[7], x[8]);
    if (!(normal.norm() > 0.0)) return "the normal is zero";
    const Eigen::Quaterniond q_WB =
        Eigen::AngleAxisd(x[11], Vector3d::UnitZ()) * Eigen::AngleAxisd(x[10], Vector3d::UnitY()) *
        Eigen::AngleAxisd(x[9], Vector3d::UnitX()) * OrientationOf(x.subspan(12, 3)) * orientation;
    impact.mass = body.mass;
    if (fixed_point) {
      impact.r << x[15], x[16], x[17];
    } else {
      impact.r = q_WB * solver::SupportPoint(body.shape, q_WB.conjugate() * -normal);
    }
    const Matrix3d R_WB = q_WB.toRotationMatrix();
    PlaceBody(R_WB * body.inertia * R_WB.transpose(), solver::ContactFrame(normal), 1.0, impact);
    return {};
  };
  setup.move = MoveByFirstSix;
  return setup;
}

// sun2017 (2.7)-(2.12): mass, distance R and approach speed 1; physical signs.
SweepSetup ReadPlanarRod(const YamlField& field) {
  SweepSetup setup;
  setup.inputs = {
      {.name = "gamma", .unit = "rad"},
      {.name = "p", .moves = true},
      {.name = "lambda", .value = 0.0, .moves = true},
      {.name = "inertia_ratio", .value = 1.0 / 3.0, .lower = 0.0, .lower_included = false}};
  ReadInputs(field, setup.inputs);
  setup.place = [axes = ThesisAxes()](Values x, SweptImpact& impact) -> std::string_view {
    impact.mass = 1.0;
    impact.r << std::sin(x[0]), std::cos(x[0]), 0.0;
    PlaceBody(x[3] * Matrix3d::Identity(), axes, 1.0, impact);
    return {};
  };
  setup.move = [](Values x, SweptImpact& impact) {
    MoveBody({x[1], -1.0, 0.0}, {0.0, 0.0, x[2]}, impact);
  };
  return setup;
}

// What the spatial set-ups of sun2017 chapter 3 share; velocities with the thesis' sign, in which
// the approach is vy > 0.
std::vector<SweepInput> SpatialInputs() {
  std::vector<SweepInput> inputs = {{"vx", "m/s", 0.0},   {"vy", "m/s", 1.0},
                                    {"vz", "m/s", 0.0},   {"wx", "rad/s", 0.0},
                                    {"wy", "rad/s", 0.0}, {"wz", "rad/s", 0.0}};
  for (SweepInput& input : inputs) input.moves = true;
  return inputs;
}
constexpr double kThesisSign = -1.0;

void AddAngles(std::vector<SweepInput>& inputs) {
  for (const char* name : {"beta", "gamma", "delta"}) inputs.push_back({name, "rad"});
  for (const char* name : {"theta1", "theta2", "theta3"}) inputs.push_back({name, "rad", 0.0});
}

// Unit vector with the direction angles beta, gamma, delta (x[0..2]); false if they are not such.
bool DirectionOf(Values angles, Vector3d& direction) {
  direction << std::cos(angles[0]), std::cos(angles[1]), std::cos(angles[2]);
  const double length = direction.norm();
  direction /= length;
  return std::abs(length - 1.0) <= 1e-3;  // angles typed with three digits
}
constexpr std::string_view kNoDirection = "squares of the direction cosines do not sum to 1";

SweepInput Length(std::string name, double value) {
  return {
      .name = std::move(name), .unit = "m", .value = value, .lower = 0.0, .lower_included = false};
}
SweepInput Mass() {
  return {.name = "mass", .unit = "kg", .value = 1.0, .lower = 0.0, .lower_included = false};
}

// sun2017 3.7.2: slender cylinder along body y, touching with its end.
SweepSetup ReadRod(const YamlField& field) {
  SweepSetup setup;
  setup.inputs = SpatialInputs();
  AddAngles(setup.inputs);
  setup.inputs.insert(setup.inputs.end(),
                      {Mass(), Length("length", 1.0), Length("cap_radius", 1.0 / 30.0)});
  ReadInputs(field, setup.inputs);
  setup.place = [axes = ThesisAxes()](Values x, SweptImpact& impact) -> std::string_view {
    Vector3d direction;
    if (!DirectionOf(x.subspan(6, 3), direction)) return kNoDirection;
    const double length = x[13];
    const double cap = x[14];
    impact.mass = x[12];
    impact.r = 0.5 * length * direction;
    const double across = impact.mass * (cap * cap / 4.0 + length * length / 12.0);
    const Matrix3d R = OrientationOf(x.subspan(9, 3)).toRotationMatrix();
    const Matrix3d inertia =
        R * Vector3d(across, 0.5 * impact.mass * cap * cap, across).asDiagonal() * R.transpose();
    PlaceBody(inertia, axes, kThesisSign, impact);
    return {};
  };
  setup.move = MoveByFirstSix;
  return setup;
}

// sun2017 3.7.3: corner contact.
SweepSetup ReadBar(const YamlField& field) {
  SweepSetup setup;
  setup.inputs = SpatialInputs();
  AddAngles(setup.inputs);
  setup.inputs.push_back(Mass());
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (const char* name : {"length1", "length2", "length3"}) {
    setup.inputs.push_back(Length(name, kNone));
  }
  ReadInputs(field, setup.inputs);
  setup.place = [axes = ThesisAxes()](Values x, SweptImpact& impact) -> std::string_view {
    Vector3d direction;
    if (!DirectionOf(x.subspan(6, 3), direction)) return kNoDirection;
    const Vector3d sides(x[13], x[14], x[15]);
    impact.mass = x[12];
    impact.r = 0.5 * sides.norm() * direction;
    const Matrix3d R = OrientationOf(x.subspan(9, 3)).toRotationMatrix();
    const Vector3d squares = sides.array().square();
    const Vector3d principal = impact.mass / 12.0 * (Vector3d::Constant(squares.sum()) - squares);
    PlaceBody(R * principal.asDiagonal() * R.transpose(), axes, kThesisSign, impact);
    return {};
  };
  setup.move = MoveByFirstSix;
  return setup;
}

// sun2017 3.7.1: r = (0, -radius, 0).
SweepSetup ReadBall(const YamlField& field) {
  SweepSetup setup;
  setup.inputs = SpatialInputs();
  setup.inputs.insert(setup.inputs.end(), {Mass(), Length("radius", 1.0)});
  ReadInputs(field, setup.inputs);
  setup.place = [axes = ThesisAxes()](Values x, SweptImpact& impact) -> std::string_view {
    impact.mass = x[6];
    impact.r << 0.0, -x[7], 0.0;
    PlaceBody(0.4 * impact.mass * x[7] * x[7] * Matrix3d::Identity(), axes, kThesisSign, impact);
    return {};
  };
  setup.move = MoveByFirstSix;
  return setup;
}

}  // namespace

SweepSetup ReadSetup(const YamlField& root) {
  std::string given;
  int count = 0;
  for (const std::string_view key : kSetupKeys) {
    if (!root[key].Given()) continue;
    given += fmt::format("{}{}", count++ == 0 ? "" : " and ", key);
  }
  constexpr std::string_view kAllowed = "one of contact, body, planar_rod, rod, bar, ball";
  if (count == 0) root.Throw("no set-up", kAllowed);
  if (count > 1) root.Throw(given, kAllowed);
  if (root["body"].Given()) return ReadBodySetup(root);
  for (const std::string_view key : kBodyKeys) {
    if (root[key].Given()) root[key].Throw("this without body", "only beside body");
  }
  const YamlField field = root[given];
  if (given == "contact") return ReadContact(field);
  if (given == "planar_rod") return ReadPlanarRod(field);
  if (given == "rod") return ReadRod(field);
  if (given == "bar") return ReadBar(field);
  return ReadBall(field);
}

}  // namespace percuss::app
