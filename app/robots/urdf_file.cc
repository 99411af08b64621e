// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "app/robots/robot_model.h"
#include "base/error.h"
#include "base/text/xml_field.h"

namespace percuss::app {
namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;

class UrdfReader {
 public:
  explicit UrdfReader(const std::filesystem::path& path) { ReadXml(path, "robot", &file_); }

  RobotModel Read() {
    for (const pugi::xml_node& link : file_.root.children("link")) ReadLink(link);
    if (robot_.links.empty()) FailAt(file_, file_.root, "no <link>", "one at least");
    std::vector<pugi::xml_node> joints;
    for (const pugi::xml_node& joint : file_.root.children("joint")) joints.push_back(joint);
    std::vector<bool> placed(robot_.links.size(), true);
    for (const pugi::xml_node& joint : joints) {
      const int child = LinkNamed(joint, "child");
      if (!placed[child])
        FailAt(file_, joint, "a second joint above its child", "one for each link");
      placed[child] = false;
    }
    // Poses go from the roots outwards, whatever the order in the file.
    std::vector<bool> done(joints.size(), false);
    for (bool more = true; more;) {
      more = false;
      for (std::size_t k = 0; k < joints.size(); ++k) {
        if (done[k] || !placed[LinkNamed(joints[k], "parent")]) continue;
        ReadJoint(joints[k]);
        placed[LinkNamed(joints[k], "child")] = done[k] = more = true;
      }
    }
    for (std::size_t k = 0; k < joints.size(); ++k) {
      if (!done[k]) FailAt(file_, joints[k], "a circle of parents", "a tree of links");
    }
    return std::move(robot_);
  }

 private:
  std::string Attribute(const pugi::xml_node& node, const char* name) const {
    const pugi::xml_attribute attribute = node.attribute(name);
    if (!attribute) FailAt(file_, node, fmt::format("no {}", name), "one");
    return attribute.as_string();
  }
  double Number(const pugi::xml_node& node, const char* name) const {
    return NumbersOf(file_, node, Attribute(node, name), name, 1, 1)[0];
  }
  double Length(const pugi::xml_node& node, const char* name) const {
    const double length = Number(node, name);
    if (!(length > 0.0))
      FailAt(file_, node, fmt::format("{}={}", name, length), "a length above 0");
    return length;
  }
  Vector3d Vector(const pugi::xml_node& node, const char* name, const Vector3d& otherwise) const {
    if (!node.attribute(name)) return otherwise;
    const auto n = NumbersOf(file_, node, node.attribute(name).as_string(), name, 3, 3);
    return {n[0], n[1], n[2]};
  }
  /// xyz and rpy: R_z(yaw) R_y(pitch) R_x(roll).
  Isometry3d Origin(const pugi::xml_node& parent) const {
    const pugi::xml_node origin = parent.child("origin");
    Isometry3d pose = Isometry3d::Identity();
    if (!origin) return pose;
    const Vector3d rpy = Vector(origin, "rpy", Vector3d::Zero());
    pose.linear() = (Eigen::AngleAxisd(rpy.z(), Vector3d::UnitZ()) *
                     Eigen::AngleAxisd(rpy.y(), Vector3d::UnitY()) *
                     Eigen::AngleAxisd(rpy.x(), Vector3d::UnitX()))
                        .toRotationMatrix();
    pose.translation() = Vector(origin, "xyz", Vector3d::Zero());
    return pose;
  }

  int LinkNamed(const pugi::xml_node& joint, const char* end) const {
    const std::string name = Attribute(joint.child(end), "link");
    const auto link = link_of_.find(name);
    if (link == link_of_.end()) FailAt(file_, joint, fmt::format("{} {}", end, name), "a link");
    return link->second;
  }

  void ReadLink(const pugi::xml_node& node) {
    RobotLink link{.name = Attribute(node, "name")};
    if (!link_of_.emplace(link.name, static_cast<int>(robot_.links.size())).second)
      FailAt(file_, node, "the name twice", "each once");
    if (const pugi::xml_node inertial = node.child("inertial")) {
      const Isometry3d pose = Origin(inertial);
      link.mass = Number(inertial.child("mass"), "value");
      if (!(link.mass >= 0.0)) FailAt(file_, node, fmt::format("mass {}", link.mass), "at least 0");
      const pugi::xml_node moments = inertial.child("inertia");
      const auto moment = [&](const char* name) {
        return moments.attribute(name) ? Number(moments, name) : 0.0;
      };
      // All are read first: an assertion of Eigen ends a program that leaves a matrix half filled.
      const double xx = moment("ixx"), yy = moment("iyy"), zz = moment("izz");
      const double xy = moment("ixy"), xz = moment("ixz"), yz = moment("iyz");
      Eigen::Matrix3d inertia;
      inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
      link.mass_centre = pose.translation();
      link.inertia = pose.linear() * inertia * pose.linear().transpose();
    }
    for (const pugi::xml_node& collision : node.children("collision")) ReadGeom(collision, &link);
    robot_.links.push_back(std::move(link));
  }

  void ReadGeom(const pugi::xml_node& collision, RobotLink* link) {
    RobotGeom geom{.in_link = Origin(collision)};
    const pugi::xml_node shape = collision.child("geometry").first_child();
    const std::string kind = shape.name();
    if (kind == "box") {
      geom.kind = RobotGeom::Kind::kBox;
      geom.size = Vector(shape, "size", Vector3d::Zero());
      if (!(geom.size.minCoeff() > 0.0))
        FailAt(file_, shape, Attribute(shape, "size"), "lengths above 0");
    } else if (kind == "sphere") {
      geom.size.x() = Length(shape, "radius");
    } else if (kind == "cylinder" || kind == "capsule") {
      geom.kind = kind == "cylinder" ? RobotGeom::Kind::kCylinder : RobotGeom::Kind::kCapsule;
      geom.size << Length(shape, "radius"), Length(shape, "length"), 0.0;
    } else {
      robot_.left_out.push_back(fmt::format("link {}: collision <{}>", link->name, kind));
      return;
    }
    link->geoms.push_back(geom);
  }

  void ReadJoint(const pugi::xml_node& node) {
    RobotJoint joint{.name = Attribute(node, "name"), .type = Attribute(node, "type")};
    joint.parent = LinkNamed(node, "parent");
    joint.child = LinkNamed(node, "child");
    const Isometry3d pose = robot_.links[joint.parent].pose * Origin(node);
    robot_.links[joint.child].pose = pose;
    joint.point = pose.translation();
    joint.axis = pose.linear() * Vector(node.child("axis"), "xyz", Vector3d::UnitX());
    if (joint.type == "continuous") joint.type = "revolute";
    if (joint.type == "floating") joint.type = "free";
    static constexpr const char* kTypes[] = {"revolute", "prismatic", "fixed",
                                             "planar",   "free",      "spherical"};
    if (std::ranges::find(kTypes, joint.type) == std::end(kTypes)) {
      FailAt(file_, node, joint.type,
             "revolute, continuous, prismatic, fixed, floating, planar or spherical");
    }
    if (joint.type != "fixed" && joint.type != "free" && !(joint.axis.norm() > 0.0))
      FailAt(file_, node, "an axis of length 0", "a direction");
    if (node.child("limit") && joint.type != "fixed" && joint.type != "free")
      robot_.left_out.push_back(fmt::format("joint {}: limits", joint.name));
    if (node.child("mimic")) robot_.left_out.push_back(fmt::format("joint {}: mimic", joint.name));
    const pugi::xml_node dynamics = node.child("dynamics");
    if (dynamics.attribute("damping")) joint.damping = Number(dynamics, "damping");
    if (dynamics.attribute("friction") && Number(dynamics, "friction") != 0.0)
      robot_.left_out.push_back(fmt::format("joint {}: friction", joint.name));
    robot_.joints.push_back(std::move(joint));
  }

  XmlFile file_;
  RobotModel robot_;
  std::map<std::string, int> link_of_;
};

}  // namespace

RobotModel ReadUrdf(const std::filesystem::path& file) { return UrdfReader(file).Read(); }

}  // namespace percuss::app
