// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/simulation/scene_file.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "app/simulation/contact_keys.h"
#include "capture/experiment/experiment_body.h"
#include "solver/contact/contact.h"

namespace percuss::app {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using solver::JointKind;
using solver::kGround;

constexpr Range kForce{.lowest = -1e9, .highest = 1e9, .unit = "N"};
constexpr Range kStiffness{.lowest = 0.0, .highest = 1e12};
constexpr const char* kGroundName = "ground";

const std::map<std::string, JointKind>& JointKinds() {
  static const std::map<std::string, JointKind> kinds = {{"revolute", JointKind::kRevolute},
                                                         {"prismatic", JointKind::kPrismatic},
                                                         {"spherical", JointKind::kSpherical},
                                                         {"fixed", JointKind::kFixed},
                                                         {"planar", JointKind::kPlanar}};
  return kinds;
}

Vector3d Direction(const YamlField& field) {
  const Vector3d direction = capture::ReadVector3(field, kPlace);
  if (!(direction.norm() > 0.0)) field.Throw("a vector that is not zero");
  return direction;
}

class SceneReader {
 public:
  explicit SceneReader(const YamlField& root) : root_(root) {}

  SceneFile Read() {
    root_.AllowKeys({"bodies", "joints", "springs", "forces", "points", "constraints", "surfaces",
                     "pairs", "gravity", "law", "parameters", "sliding_friction", "material",
                     "stiffness", "duration", "frame_rate", "rest_speed", "body"});
    if (root_["body"].Given()) root_["body"].Throw("both body and bodies", "one of them");
    if (root_["gravity"].Given()) {
      file_.model.gravity =
          capture::ReadVector3(root_["gravity"], {.lowest = -30.0, .highest = 30.0});
    }
    for (const YamlField& one : List("bodies")) ReadSceneBody(one);
    if (file_.model.bodies.empty()) root_["bodies"].Throw("a list of at least one body");
    for (const YamlField& one : List("joints")) ReadJoint(one);
    for (const YamlField& one : List("springs")) ReadSpring(one);
    for (const YamlField& one : List("forces")) ReadForce(one);
    ReadPoints();
    for (const YamlField& one : List("constraints")) ReadConstraint(one);
    for (const YamlField& one : List("surfaces")) ReadSurface(one);
    ReadContact();
    for (const YamlField& one : List("pairs")) ReadPair(one);
    file_.options = ReadSimulationOptions(root_);
    return std::move(file_);
  }

 private:
  std::vector<YamlField> List(const char* key) const {
    return root_[key].Given() ? root_[key].Items(fmt::format("a list of {}", key))
                              : std::vector<YamlField>{};
  }

  /// The name of an entry of a list; without one its number.
  std::string NameOf(const YamlField& one, std::size_t place, std::set<std::string>* taken) {
    const std::string name =
        one["name"].Given() ? one["name"].PlainName() : fmt::format("{}", place + 1);
    if (name == kGroundName || !taken->insert(name).second)
      one["name"].Throw("a name that nothing else in the list has, and not ground");
    return name;
  }

  int BodyNamed(const YamlField& field) const {
    const std::string name = field.Text("ground, or the name of a body");
    if (name == kGroundName) return kGround;
    const auto& bodies = file_.model.bodies;
    const auto body = std::ranges::find(bodies, name, &solver::SceneBody::name);
    if (body == bodies.end()) field.Throw("ground, or the name of a body");
    return static_cast<int>(body - bodies.begin());
  }

  /// From W at the start into the axes of a body, from its mass centre; W for the ground.
  Vector3d PlaceOn(int body, const Vector3d& place) const {
    if (body == kGround) return place;
    const solver::FlightState<double>& start = file_.model.bodies[body].start;
    return start.q_WB.conjugate() * (place - start.p_WB);
  }
  Matrix3d FrameOn(int body, const Matrix3d& frame) const {
    if (body == kGround) return frame;
    return file_.model.bodies[body].start.q_WB.conjugate().toRotationMatrix() * frame;
  }

  void ReadSceneBody(const YamlField& one) {
    if (!one.IsMap()) one.Throw("a map with name, body, start, points, touches");
    one.AllowKeys({"name", "body", "start", "points", "touches"});
    solver::SceneBody body;
    body.name = NameOf(one, file_.model.bodies.size(), &body_names_);
    const YamlField given = one["body"];
    if (!given.IsMap()) given.Throw("a map with shape and mass, or mass and inertia");
    const bool shaped = given["shape"].Given();
    body.body = shaped ? capture::ReadBody(given).body : ReadMassAlone(given);
    body.touches = shaped;
    if (one["points"].Given()) {
      for (const YamlField& point : one["points"].Items("a list of points [m]")) {
        const bool ball = point.Items("x, y, z, and for a ball its radius").size() == 4;
        const std::vector<double> numbers = point.Numbers(ball ? 4 : 3, kPlace);
        body.points.push_back({{numbers[0], numbers[1], numbers[2]}, ball ? numbers[3] : 0.0});
        if (body.points.back().radius < 0.0) point.Throw("a radius of at least 0");
      }
      body.touches = !body.points.empty();
    }
    if (one["touches"].Given()) body.touches = body.touches && one["touches"].Flag();
    const YamlField start = one["start"];
    body.start = ReadStart(start);
    body.velocity_given = start["velocity"].Given();
    body.angular_velocity_given = start["angular_velocity"].Given();
    file_.model.bodies.push_back(std::move(body));
  }

  static solver::Body ReadMassAlone(const YamlField& field) {
    field.AllowKeys({"mass", "inertia"});
    solver::Body body;
    body.mass = field["mass"].Number(
        {.lowest = 0.0, .highest = 1e9, .lowest_included = false, .unit = "kg"});
    const YamlField given = field["inertia"];
    constexpr Range kMoment{.lowest = -1e12, .highest = 1e12, .unit = "kg m^2"};
    constexpr const char* kAllowed = "3 principal moments, or a 3x3 matrix [kg m^2]";
    const std::vector<YamlField> rows = given.Items(kAllowed);
    if (rows.size() != 3) given.Throw(kAllowed);
    if (rows.front().IsList()) {
      for (int k = 0; k < 3; ++k) body.inertia.row(k) = capture::ReadVector3(rows[k], kMoment);
    } else {
      body.inertia = capture::ReadVector3(given, kMoment).asDiagonal();
    }
    const Eigen::SelfAdjointEigenSolver<Matrix3d> solver(body.inertia, Eigen::EigenvaluesOnly);
    const Vector3d moments = solver.eigenvalues();
    const double scale = body.inertia.cwiseAbs().maxCoeff();
    if (!((body.inertia - body.inertia.transpose()).cwiseAbs().maxCoeff() <= 1e-9 * scale))
      given.Throw("a symmetric matrix");
    if (!(moments[0] > 0.0 && moments[2] <= (moments[0] + moments[1]) * (1.0 + 1e-9)))
      given.Throw("moments above 0, of which none is above the sum of the others");
    return body;
  }

  std::pair<int, int> TwoBodies(const YamlField& one) const {
    const std::vector<YamlField> both = one["bodies"].Items("two of ground and the bodies");
    if (both.size() != 2) one["bodies"].Throw("two of ground and the bodies");
    const std::pair<int, int> two{BodyNamed(both[0]), BodyNamed(both[1])};
    if (two.first == two.second) one["bodies"].Throw("two that are not the same");
    return two;
  }

  void ReadJoint(const YamlField& one) {
    if (!one.IsMap()) one.Throw("a map with name, type, bodies, point, axis");
    one.AllowKeys({"name", "type", "bodies", "point", "axis", "normal", "rate", "stiffness",
                   "damping", "rest"});
    solver::SceneJoint joint;
    joint.name = NameOf(one, file_.model.joints.size(), &joint_names_);
    constexpr const char* kAllowed = "revolute, prismatic, spherical, fixed or planar";
    const auto kind = JointKinds().find(one["type"].Text(kAllowed));
    if (kind == JointKinds().end()) one["type"].Throw(kAllowed);
    joint.kind = kind->second;
    std::tie(joint.first, joint.second) = TwoBodies(one);
    const bool turns = joint.kind == JointKind::kRevolute || joint.kind == JointKind::kSpherical;
    const bool single = joint.kind == JointKind::kRevolute || joint.kind == JointKind::kPrismatic;
    const auto only = [&](const char* key, bool allowed, const char* where) {
      if (one[key].Given() && !allowed) one[key].Throw("this", where);
    };
    only("point", turns, "only of a revolute or spherical joint");
    only("axis", single, "only of a revolute or prismatic joint");
    only("normal", joint.kind == JointKind::kPlanar, "only of a planar joint");
    for (const char* key : {"rate", "stiffness", "damping", "rest"})
      only(key, single, "only of a revolute or prismatic joint");
    if (turns) joint.point = capture::ReadVector3(one["point"], kPlace);
    if (single) joint.axis = Direction(one["axis"]);
    if (joint.kind == JointKind::kPlanar) joint.axis = Direction(one["normal"]);
    if (one["rate"].Given()) joint.rate = one["rate"].Number({.lowest = -1e4, .highest = 1e4});
    if (one["stiffness"].Given()) joint.stiffness = one["stiffness"].Number(kStiffness);
    if (one["damping"].Given()) joint.damping = one["damping"].Number(kStiffness);
    if (one["rest"].Given()) joint.rest = one["rest"].Number(kPlace);
    file_.model.joints.push_back(joint);
  }

  void ReadSpring(const YamlField& one) {
    if (!one.IsMap()) one.Throw("a map with bodies, at, stiffness, damping, length");
    one.AllowKeys({"name", "bodies", "at", "stiffness", "damping", "length"});
    solver::SceneSpring spring;
    spring.name = NameOf(one, file_.model.springs.size(), &spring_names_);
    std::tie(spring.first, spring.second) = TwoBodies(one);
    const std::vector<YamlField> ends = one["at"].Items("two points, where they are at the start");
    if (ends.size() != 2) one["at"].Throw("two points, where they are at the start");
    const Vector3d first = capture::ReadVector3(ends[0], kPlace);
    const Vector3d second = capture::ReadVector3(ends[1], kPlace);
    spring.at_first = PlaceOn(spring.first, first);
    spring.at_second = PlaceOn(spring.second, second);
    spring.stiffness = one["stiffness"].Number(kStiffness);
    if (one["damping"].Given()) spring.damping = one["damping"].Number(kStiffness);
    spring.length = one["length"].Given() ? one["length"].Number({.lowest = 0.0, .highest = 1e3})
                                          : (second - first).norm();
    file_.model.springs.push_back(spring);
  }

  void ReadForce(const YamlField& one) {
    if (!one.IsMap()) one.Throw("a map with body, force, at");
    one.AllowKeys({"body", "force", "at"});
    solver::SceneForce force;
    force.body = BodyNamed(one["body"]);
    if (force.body == kGround) one["body"].Throw("the name of a body");
    force.force = capture::ReadVector3(one["force"], kForce);
    if (one["at"].Given()) force.at = PlaceOn(force.body, capture::ReadVector3(one["at"], kPlace));
    file_.model.forces.push_back(force);
  }

  void ReadPoints() {
    if (!root_["points"].Given()) return;
    for (const auto& [name, one] : root_["points"].Entries("a map of names to points")) {
      one.AllowKeys({"body", "at"});
      const int body = BodyNamed(one["body"]);
      points_[name] = {body, PlaceOn(body, capture::ReadVector3(one["at"], kPlace)), 0};
    }
  }

  void ReadConstraint(const YamlField& one) {
    solver::HolonomicConstraint constraint;
    constraint.name = fmt::format("{}", file_.model.constraints.size() + 1);
    const std::string text = one.Text("an expression of coordinates of points, that stays 0");
    try {
      constraint.expression = solver::Expression(text);
    } catch (const std::invalid_argument& error) {
      one.Throw(fmt::format("an expression; {}", error.what()));
    }
    for (const std::string& name : constraint.expression.variables()) {
      constraint.variables.push_back(Coordinate(one, name));
    }
    if (constraint.variables.empty()) one.Throw("an expression with at least one coordinate");
    file_.model.constraints.push_back(std::move(constraint));
  }

  /// "tip.x": a coordinate of a point of `points`, or of the mass centre of a body.
  solver::PointCoordinate Coordinate(const YamlField& one, const std::string& name) const {
    if (name == "t") return {kGround, Vector3d::Zero(), 3};
    const std::size_t dot = name.rfind('.');
    const std::string axis = dot == std::string::npos ? "" : name.substr(dot + 1);
    if (axis == "x" || axis == "y" || axis == "z") {
      const std::string owner = name.substr(0, dot);
      solver::PointCoordinate coordinate;
      coordinate.axis = axis[0] - 'x';
      if (const auto point = points_.find(owner); point != points_.end()) {
        coordinate.body = point->second.body;
        coordinate.at = point->second.at;
        return coordinate;
      }
      const auto& bodies = file_.model.bodies;
      const auto body = std::ranges::find(bodies, owner, &solver::SceneBody::name);
      if (body != bodies.end()) {
        coordinate.body = static_cast<int>(body - bodies.begin());
        return coordinate;
      }
    }
    one.Throw(name, "t, or .x, .y, .z behind the name of a body or of one of points");
  }

  void ReadSurface(const YamlField& one) {
    if (!one.IsMap()) one.Throw("a map with name, normal, point, mu, mu_s, body, velocity");
    one.AllowKeys({"name", "normal", "point", "mu", "mu_s", "body", "velocity", "vibration"});
    solver::SceneSurface surface;
    surface.name = NameOf(one, file_.model.surfaces.size(), &surface_names_);
    if (one["body"].Given()) surface.body = BodyNamed(one["body"]);
    const solver::ContactPlane plane = ReadPlane(one);
    const Vector3d point = one["point"].Given() ? capture::ReadVector3(one["point"], kPlace)
                                                : Vector3d(Vector3d::Zero());
    surface.frame = FrameOn(surface.body, plane.frame);
    surface.point = PlaceOn(surface.body, point);
    for (const char* key : {"velocity", "vibration"}) {
      if (one[key].Given() && surface.body != kGround)
        one[key].Throw("this beside body", "only of a surface of the ground");
    }
    if (one["velocity"].Given()) surface.velocity = capture::ReadVector3(one["velocity"], kPlace);
    if (const YamlField vibration = one["vibration"]; vibration.Given()) {
      if (!vibration.IsMap()) vibration.Throw("a map with amplitude, frequency, phase");
      vibration.AllowKeys({"amplitude", "frequency", "phase"});
      surface.amplitude = capture::ReadVector3(vibration["amplitude"], kPlace);
      surface.frequency = vibration["frequency"].Number(
          {.lowest = 0.0, .highest = 1e5, .lowest_included = false, .unit = "Hz"});
      if (vibration["phase"].Given())
        surface.phase = vibration["phase"].Number({.lowest = -10.0, .highest = 10.0});
    }
    // The friction of a surface is that of all its pairs.
    surface_friction_.push_back({plane.mu, plane.mu_s});
    file_.model.surfaces.push_back(surface);
  }

  void ReadContact() {
    // A scene in which nothing can touch needs no law.
    if (!root_["parameters"].Given() && !root_["law"].Given() && file_.model.surfaces.empty() &&
        NumBalls() < 2)
      return;
    const ContactLaw contact = ReadContactLaw(root_);
    file_.model.law = contact.law;
    file_.model.parameters = contact.parameters;
    file_.model.impact = contact.impact;
    file_.model.mu = contact.mu;
    file_.model.mu_s = contact.mu_s;
    file_.model.over_time = contact.over_time;
    for (int s = 0; s < static_cast<int>(file_.model.surfaces.size()); ++s) {
      if (!(surface_friction_[s].first >= 0.0) && !(surface_friction_[s].second >= 0.0)) continue;
      for (int b = 0; b < static_cast<int>(file_.model.bodies.size()); ++b) {
        file_.model.pairs.push_back({.body = b,
                                     .surface = s,
                                     .mu = surface_friction_[s].first,
                                     .mu_s = surface_friction_[s].second});
      }
    }
  }

  int NumBalls() const {
    return static_cast<int>(
        std::ranges::count_if(file_.model.bodies, [](const solver::SceneBody& body) {
          return body.touches && body.points.empty() &&
                 std::holds_alternative<solver::Sphere>(body.body.shape);
        }));
  }

  void ReadPair(const YamlField& one) {
    if (!one.IsMap()) one.Throw("a map with bodies, or body and surface, and mu, mu_s, e, touches");
    one.AllowKeys({"bodies", "body", "surface", "mu", "mu_s", "e", "touches"});
    solver::ScenePair pair;
    if (one["bodies"].Given()) {
      std::tie(pair.body, pair.other_body) = TwoBodies(one);
      if (pair.body == kGround || pair.other_body == kGround)
        one["bodies"].Throw("two bodies; with the ground its surfaces are meant: body and surface");
    } else {
      pair.body = BodyNamed(one["body"]);
      if (pair.body == kGround) one["body"].Throw("the name of a body");
      const std::string name = one["surface"].Text("the name of a surface");
      const auto& surfaces = file_.model.surfaces;
      const auto surface = std::ranges::find(surfaces, name, &solver::SceneSurface::name);
      if (surface == surfaces.end()) one["surface"].Throw("the name of a surface");
      pair.surface = static_cast<int>(surface - surfaces.begin());
    }
    if (one["mu"].Given()) pair.mu = one["mu"].Number(kFriction);
    if (one["mu_s"].Given()) pair.mu_s = one["mu_s"].Number(kFriction);
    if (one["e"].Given()) {
      if (file_.model.law == solver::kMultiPoint)
        one["e"].Throw("this with the law multi-point", "only with a law for one contact");
      pair.e = one["e"].Number({.lowest = 0.0, .highest = 1.0});
    }
    if (one["touches"].Given()) pair.touches = one["touches"].Flag();
    file_.model.pairs.push_back(pair);
  }

  const YamlField& root_;
  SceneFile file_;
  std::set<std::string> body_names_, joint_names_, spring_names_, surface_names_;
  std::map<std::string, solver::PointCoordinate> points_;
  std::vector<std::pair<double, double>> surface_friction_;  // mu, mu_s
};

}  // namespace

bool IsSceneFile(const YamlField& root) { return root["bodies"].Given(); }

SceneFile ReadSceneFile(const YamlField& root) { return SceneReader(root).Read(); }

}  // namespace percuss::app
