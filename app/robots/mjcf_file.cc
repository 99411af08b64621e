// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>

#include "app/robots/robot_model.h"
#include "base/error.h"
#include "base/text/xml_field.h"
#include "solver/body/rigid_body.h"

namespace percuss::app {
namespace {

using Eigen::Isometry3d;
using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Defaults of one class, and the class that it changes.
struct DefaultClass {
  pugi::xml_node node;
  std::string above;
};

class MjcfReader {
 public:
  explicit MjcfReader(const std::filesystem::path& path) { ReadXml(path, "mujoco", &file_); }

  RobotModel Read() {
    const pugi::xml_node compiler = file_.root.child("compiler");
    degrees_ = std::string_view(compiler.attribute("angle").as_string("degree")) != "radian";
    if (const auto order = compiler.attribute("eulerseq"); order) {
      if (std::string_view(order.as_string()) != "xyz")
        FailAt(file_, compiler, fmt::format("eulerseq {}", order.as_string()), "xyz");
    }
    for (const pugi::xml_node& node : file_.root.children("default"))
      ReadDefaults(node, "", "main");
    robot_.gravity = Vector3d(0.0, 0.0, -9.81);
    if (const pugi::xml_node option = file_.root.child("option"); option.attribute("gravity"))
      robot_.gravity = Vector(option, option.attribute("gravity").as_string(), "gravity");
    for (const char* part : {"actuator", "tendon", "contact", "sensor", "keyframe"}) {
      if (file_.root.child(part)) robot_.left_out.push_back(fmt::format("<{}>", part));
    }
    const pugi::xml_node world = file_.root.child("worldbody");
    if (!world) FailAt(file_, file_.root, "no <worldbody>", "one");
    for (const pugi::xml_node& geom : world.children("geom")) ReadWorldGeom(geom);
    for (const pugi::xml_node& body : world.children("body"))
      ReadBody(body, -1, Isometry3d::Identity(), "main", 0);
    if (robot_.links.empty()) FailAt(file_, world, "no <body>", "one at least");
    for (const pugi::xml_node& node : file_.root.child("equality").children()) ReadEquality(node);
    return std::move(robot_);
  }

 private:
  static constexpr int kDeepest = 200;

  void ReadDefaults(const pugi::xml_node& node, const std::string& above,
                    const std::string& otherwise) {
    const std::string name = node.attribute("class").as_string(otherwise.c_str());
    classes_[name] = {node, above};
    if (classes_.size() > 1000) FailAt(file_, node, "more classes", "1000 at most");
    for (const pugi::xml_node& child : node.children("default")) {
      if (!child.attribute("class")) FailAt(file_, child, "no class", "one");
      ReadDefaults(child, name, "");
    }
  }

  /// Of the element, of its class or that of the bodies around it, or nothing.
  std::optional<std::string> Attribute(const pugi::xml_node& node, const char* name,
                                       const std::string& child_class) const {
    if (const auto own = node.attribute(name)) return own.as_string();
    std::string at = node.attribute("class").as_string(child_class.c_str());
    for (int depth = 0; depth < kDeepest; ++depth) {
      const auto found = classes_.find(at);
      if (found == classes_.end()) return std::nullopt;
      const auto value = found->second.node.child(node.name()).attribute(name);
      if (value) return value.as_string();
      if (at == "main") return std::nullopt;
      at = found->second.above.empty() ? "main" : found->second.above;
    }
    return std::nullopt;
  }

  Vector3d Vector(const pugi::xml_node& node, const std::string& text, const char* name) const {
    const auto n = NumbersOf(file_, node, text, name, 3, 3);
    return {n[0], n[1], n[2]};
  }
  double NumberOr(const pugi::xml_node& node, const char* name, const std::string& child_class,
                  double otherwise) const {
    const auto text = Attribute(node, name, child_class);
    return text ? NumbersOf(file_, node, *text, name, 1, 1)[0] : otherwise;
  }
  double Angle(double typed) const { return degrees_ ? typed * std::numbers::pi / 180.0 : typed; }

  Isometry3d Pose(const pugi::xml_node& node, const std::string& child_class) const {
    Isometry3d pose = Isometry3d::Identity();
    if (const auto pos = Attribute(node, "pos", child_class))
      pose.translation() = Vector(node, *pos, "pos");
    Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
    if (const auto quat = Attribute(node, "quat", child_class)) {
      const auto n = NumbersOf(file_, node, *quat, "quat", 4, 4);
      q = Eigen::Quaterniond(n[0], n[1], n[2], n[3]);
      if (!(q.norm() > 0.0)) FailAt(file_, node, "quat of length 0", "another");
    } else if (const auto euler = Attribute(node, "euler", child_class)) {
      const Vector3d e = Vector(node, *euler, "euler");
      q = Eigen::AngleAxisd(Angle(e.x()), Vector3d::UnitX()) *
          Eigen::AngleAxisd(Angle(e.y()), Vector3d::UnitY()) *
          Eigen::AngleAxisd(Angle(e.z()), Vector3d::UnitZ());
    } else if (const auto turn = Attribute(node, "axisangle", child_class)) {
      const auto n = NumbersOf(file_, node, *turn, "axisangle", 4, 4);
      const Vector3d axis(n[0], n[1], n[2]);
      if (!(axis.norm() > 0.0)) FailAt(file_, node, "axisangle without axis", "a direction");
      q = Eigen::AngleAxisd(Angle(n[3]), axis.normalized());
    } else if (Attribute(node, "xyaxes", child_class) || Attribute(node, "zaxis", child_class)) {
      FailAt(file_, node, "xyaxes or zaxis", "quat, euler or axisangle");
    }
    pose.linear() = q.normalized().toRotationMatrix();
    return pose;
  }

  void ReadWorldGeom(const pugi::xml_node& node) {
    const std::string type = Attribute(node, "type", "main").value_or("sphere");
    const std::string name = node.attribute("name").as_string("floor");
    if (type != "plane") {
      robot_.left_out.push_back(fmt::format("geom {} of the world, no plane", name));
      return;
    }
    const Isometry3d pose = Pose(node, "main");
    robot_.surfaces.push_back({name, pose.linear().col(2), pose.translation()});
    ReadFriction(node, "main");
  }

  // MuJoCo takes the larger of the two at a contact.
  void ReadFriction(const pugi::xml_node& node, const std::string& child_class) {
    const auto text = Attribute(node, "friction", child_class);
    const double mu = text ? NumbersOf(file_, node, *text, "friction", 1, 3)[0] : 1.0;
    robot_.mu = std::isfinite(robot_.mu) ? std::max(robot_.mu, mu) : mu;
  }

  void ReadBody(const pugi::xml_node& node, int parent, const Isometry3d& X_WP,
                std::string child_class, int depth) {
    if (depth > kDeepest)
      FailAt(file_, node, "bodies in bodies", fmt::format("{} at most", kDeepest));
    child_class = node.attribute("childclass").as_string(child_class.c_str());
    const int place = static_cast<int>(robot_.links.size());
    RobotLink link{.name = node.attribute("name").as_string(fmt::format("body{}", place).c_str())};
    link.pose = X_WP * Pose(node, "");
    std::vector<std::pair<double, RobotGeom>> weights;  // kg
    for (const pugi::xml_node& geom : node.children("geom"))
      ReadGeom(geom, child_class, &link, &weights);
    if (const pugi::xml_node inertial = node.child("inertial")) {
      ReadInertial(inertial, &link);
    } else {
      WeighGeoms(weights, &link);
    }
    link_of_[link.name] = place;
    robot_.links.push_back(std::move(link));
    ReadJoints(node, parent, place, child_class);
    const Isometry3d pose = robot_.links[place].pose;
    for (const pugi::xml_node& child : node.children("body"))
      ReadBody(child, place, pose, child_class, depth + 1);
  }

  void ReadGeom(const pugi::xml_node& node, const std::string& child_class, RobotLink* link,
                std::vector<std::pair<double, RobotGeom>>* weights) {
    const std::string type = Attribute(node, "type", child_class).value_or("sphere");
    const std::map<std::string, RobotGeom::Kind> kinds = {{"box", RobotGeom::Kind::kBox},
                                                          {"sphere", RobotGeom::Kind::kSphere},
                                                          {"cylinder", RobotGeom::Kind::kCylinder},
                                                          {"capsule", RobotGeom::Kind::kCapsule}};
    const auto kind = kinds.find(type);
    if (kind == kinds.end()) {
      robot_.left_out.push_back(fmt::format("body {}: geom of type {}", link->name, type));
      return;
    }
    RobotGeom geom{.kind = kind->second, .in_link = Pose(node, child_class)};
    const std::string size_text = Attribute(node, "size", child_class).value_or("");
    const auto size = NumbersOf(file_, node, size_text, "size", 1, 3);
    const auto need = [&](std::size_t count) {
      if (size.size() < count || !(*std::min_element(size.begin(), size.begin() + count) > 0.0))
        FailAt(file_, node, fmt::format("size=\"{}\"", size_text),
               fmt::format("{} lengths above 0 for a {}", count, type));
    };
    const auto ends = Attribute(node, "fromto", child_class);
    const bool round =
        geom.kind == RobotGeom::Kind::kCylinder || geom.kind == RobotGeom::Kind::kCapsule;
    if (ends && !round) FailAt(file_, node, "fromto", "this of capsules and cylinders alone");
    need(geom.kind == RobotGeom::Kind::kBox ? 3 : round && !ends ? 2 : 1);
    if (geom.kind == RobotGeom::Kind::kBox) {
      geom.size = 2.0 * Vector3d(size[0], size[1], size[2]);
    } else if (ends) {
      const auto n = NumbersOf(file_, node, *ends, "fromto", 6, 6);
      const Vector3d from(n[0], n[1], n[2]), to(n[3], n[4], n[5]);
      if (!((to - from).norm() > 0.0)) FailAt(file_, node, "fromto of length 0", "two points");
      geom.size << size[0], (to - from).norm(), 0.0;
      geom.in_link.translation() = 0.5 * (from + to);
      geom.in_link.linear() =
          Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), to - from).toRotationMatrix();
    } else {
      geom.size << size[0], round ? 2.0 * size[1] : 0.0, 0.0;
    }
    geom.touches = NumberOr(node, "contype", child_class, 1.0) != 0.0 ||
                   NumberOr(node, "conaffinity", child_class, 1.0) != 0.0;
    if (geom.touches) ReadFriction(node, child_class);
    const double mass = NumberOr(node, "mass", child_class,
                                 Volume(geom) * NumberOr(node, "density", child_class, 1000.0));
    if (mass < 0.0) FailAt(file_, node, fmt::format("mass {}", mass), "at least 0");
    if (mass > 0.0) weights->emplace_back(mass, geom);
    link->geoms.push_back(geom);
  }

  static solver::Shape ShapeOf(const RobotGeom& geom) {
    switch (geom.kind) {
      case RobotGeom::Kind::kBox:
        return solver::Box{geom.size};
      case RobotGeom::Kind::kSphere:
        return solver::Sphere{geom.size.x()};
      case RobotGeom::Kind::kCylinder:
        return solver::Cylinder{geom.size.x(), geom.size.y()};
      case RobotGeom::Kind::kCapsule:
        return solver::Capsule{geom.size.x(), geom.size.y()};
    }
    return solver::Sphere{};
  }
  static double Volume(const RobotGeom& geom) {
    const double r = geom.size.x(), ball = 4.0 / 3.0 * std::numbers::pi * r * r * r,
                 rod = std::numbers::pi * r * r * geom.size.y();
    switch (geom.kind) {
      case RobotGeom::Kind::kBox:
        return geom.size.prod();
      case RobotGeom::Kind::kSphere:
        return ball;
      case RobotGeom::Kind::kCylinder:
        return rod;
      case RobotGeom::Kind::kCapsule:
        return rod + ball;
    }
    return 0.0;
  }

  static void WeighGeoms(const std::vector<std::pair<double, RobotGeom>>& weights,
                         RobotLink* link) {
    for (const auto& [mass, geom] : weights) {
      link->mass += mass;
      link->mass_centre += mass * geom.in_link.translation();
    }
    if (!(link->mass > 0.0)) return;
    link->mass_centre /= link->mass;
    for (const auto& [mass, geom] : weights) {
      const Matrix3d R = geom.in_link.linear();
      const Vector3d d = geom.in_link.translation() - link->mass_centre;
      link->inertia += R * solver::UniformInertia(ShapeOf(geom), mass) * R.transpose() +
                       mass * (d.squaredNorm() * Matrix3d::Identity() - d * d.transpose());
    }
  }

  void ReadInertial(const pugi::xml_node& node, RobotLink* link) {
    const Isometry3d pose = Pose(node, "");
    link->mass = NumberOr(node, "mass", "", 0.0);
    link->mass_centre = pose.translation();
    Matrix3d inertia = Matrix3d::Zero();
    if (node.attribute("fullinertia")) {
      const auto n =
          NumbersOf(file_, node, node.attribute("fullinertia").as_string(), "fullinertia", 6, 6);
      inertia << n[0], n[3], n[4], n[3], n[1], n[5], n[4], n[5], n[2];
    } else {
      inertia = Vector(node, node.attribute("diaginertia").as_string(), "diaginertia").asDiagonal();
    }
    link->inertia = pose.linear() * inertia * pose.linear().transpose();
  }

  void ReadJoints(const pugi::xml_node& body, int parent, int child,
                  const std::string& child_class) {
    const auto joints = body.children("joint");
    const auto count = std::distance(joints.begin(), joints.end());
    RobotJoint joint{.name = robot_.links[child].name, .type = "fixed"};
    joint.parent = parent;
    joint.child = child;
    if (body.child("freejoint") || count == 0) {
      joint.type = body.child("freejoint") ? "free" : "fixed";
      robot_.joints.push_back(joint);
      return;
    }
    if (count > 1)
      FailAt(file_, body, fmt::format("{} joints in one body", count), "one; or bodies in between");
    const pugi::xml_node node = *joints.begin();
    const std::string type = Attribute(node, "type", child_class).value_or("hinge");
    const std::map<std::string, std::string> types = {
        {"hinge", "revolute"}, {"slide", "prismatic"}, {"ball", "spherical"}, {"free", "free"}};
    const auto known = types.find(type);
    if (known == types.end()) FailAt(file_, node, type, "hinge, slide, ball or free");
    joint.type = known->second;
    joint.name = node.attribute("name").as_string(joint.name.c_str());
    const Isometry3d& pose = robot_.links[child].pose;
    const auto at = Attribute(node, "pos", child_class);
    joint.point = pose * (at ? Vector(node, *at, "pos") : Vector3d(Vector3d::Zero()));
    const auto axis = Attribute(node, "axis", child_class);
    joint.axis = pose.linear() * (axis ? Vector(node, *axis, "axis") : Vector3d(Vector3d::UnitZ()));
    if (!(joint.axis.norm() > 0.0)) FailAt(file_, node, "an axis of length 0", "a direction");
    joint.stiffness = NumberOr(node, "stiffness", child_class, 0.0);
    joint.damping = NumberOr(node, "damping", child_class, 0.0);
    const double rest = NumberOr(node, "springref", child_class, 0.0);
    joint.rest = joint.type == "revolute" ? Angle(rest) : rest;
    if (Attribute(node, "range", child_class))
      robot_.left_out.push_back(fmt::format("joint {}: range", joint.name));
    if (NumberOr(node, "armature", child_class, 0.0) != 0.0)
      robot_.left_out.push_back(fmt::format("joint {}: armature", joint.name));
    if (NumberOr(node, "frictionloss", child_class, 0.0) != 0.0)
      robot_.left_out.push_back(fmt::format("joint {}: frictionloss", joint.name));
    robot_.joints.push_back(joint);
  }

  void ReadEquality(const pugi::xml_node& node) {
    const std::string kind = node.name();
    if (kind != "connect" || !node.attribute("body1") || !node.attribute("anchor")) {
      robot_.left_out.push_back(fmt::format("equality <{}>", kind));
      return;
    }
    const auto link = [&](const char* name) {
      if (!node.attribute(name)) return -1;
      const auto found = link_of_.find(node.attribute(name).as_string());
      if (found == link_of_.end())
        FailAt(file_, node, fmt::format("{} {}", name, node.attribute(name).as_string()), "a body");
      return found->second;
    };
    RobotJoint joint{.name = node.attribute("name").as_string("connect"), .type = "spherical"};
    joint.parent = link("body1");
    joint.child = link("body2");
    joint.point = robot_.links[joint.parent].pose *
                  Vector(node, node.attribute("anchor").as_string(), "anchor");
    robot_.joints.push_back(joint);
  }

  XmlFile file_;
  RobotModel robot_;
  bool degrees_ = true;
  std::map<std::string, DefaultClass> classes_;
  std::map<std::string, int> link_of_;
};

}  // namespace

RobotModel ReadMjcf(const std::filesystem::path& file) { return MjcfReader(file).Read(); }

}  // namespace percuss::app
