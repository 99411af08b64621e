// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <numbers>
#include <set>
#include <string>

#include "app/robots/robot_model.h"
#include "base/error.h"

namespace percuss::app {
namespace {

using Eigen::Isometry3d;
using Eigen::Matrix3d;
using Eigen::Vector3d;

std::string Numbers(const Vector3d& v) {
  // Rounding would show as -0 or 1e-17 where a person reads 0.
  const auto plain = [](double x) { return std::abs(x) < 1e-14 ? 0.0 : x; };
  return fmt::format("[{:.12g}, {:.12g}, {:.12g}]", plain(v.x()), plain(v.y()), plain(v.z()));
}

/// A name as files of scenes have it: letters, digits, - and _.
std::string PlainNameOf(const std::string& name, std::set<std::string>* taken) {
  std::string plain;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    plain += std::isalnum(byte) != 0 || c == '-' || c == '_' ? c : '_';
  }
  if (plain.empty() || plain == "ground") plain += "_";
  while (!taken->insert(plain).second) plain += "_";
  return plain;
}

/// Takes out links without mass that a fixed joint holds: what hung on them hangs on its parent. A
/// root without mass is the ground.
void TakeOutFrames(RobotModel* robot, const std::filesystem::path& source) {
  const auto above = [&](int link) -> const RobotJoint* {
    for (const RobotJoint& joint : robot->joints) {
      if (joint.child == link) return &joint;
    }
    return nullptr;
  };
  for (int k = 0; k < static_cast<int>(robot->links.size()); ++k) {
    RobotLink& link = robot->links[k];
    if (link.mass > 0.0) continue;
    const RobotJoint* const joint = above(k);
    if (joint != nullptr && joint->type != "fixed") {
      throw InputError(
          fmt::format("{}: link {}: found no mass, allowed a mass above 0 below the "
                      "joint {}, which moves",
                      source.string(), link.name, joint->name));
    }
    const int parent = joint == nullptr ? -1 : joint->parent;
    for (RobotGeom& geom : link.geoms) {
      if (parent < 0) {
        robot->left_out.push_back(fmt::format("link {}: its shape, on the ground", link.name));
        continue;
      }
      geom.in_link = robot->links[parent].pose.inverse() * link.pose * geom.in_link;
      robot->links[parent].geoms.push_back(geom);
    }
    link.geoms.clear();
    std::erase_if(robot->joints, [&](const RobotJoint& one) { return one.child == k; });
    for (RobotJoint& one : robot->joints) {
      if (one.parent == k) one.parent = parent;
    }
  }
}

/// One geom about the mass centre is the shape of its body, whose axes are then the geom's.
bool IsShape(const RobotLink& link) {
  return link.geoms.size() == 1 && link.geoms[0].touches &&
         (link.geoms[0].in_link.translation() - link.mass_centre).norm() < 1e-9;
}

std::string ShapeText(const RobotGeom& geom) {
  switch (geom.kind) {
    case RobotGeom::Kind::kBox:
      return fmt::format("shape: box, size: {}", Numbers(geom.size));
    case RobotGeom::Kind::kSphere:
      return fmt::format("shape: sphere, radius: {:.12g}", geom.size.x());
    case RobotGeom::Kind::kCylinder:
      return fmt::format("shape: cylinder, radius: {:.12g}, length: {:.12g}", geom.size.x(),
                         geom.size.y());
    case RobotGeom::Kind::kCapsule:
      return fmt::format("shape: capsule, radius: {:.12g}, length: {:.12g}", geom.size.x(),
                         geom.size.y());
  }
  return "";
}

/// Corners of boxes, balls of spheres and capsules, points on the rims of cylinders.
std::string PointsText(const RobotLink& link) {
  std::string text;
  const auto add = [&](const RobotGeom& geom, const Vector3d& at, double radius) {
    const Vector3d place = geom.in_link * at - link.mass_centre;
    if (!text.empty()) text += ", ";
    const std::string numbers = Numbers(place);
    text += radius > 0.0
                ? fmt::format("{}, {:.12g}]", numbers.substr(0, numbers.size() - 1), radius)
                : numbers;
  };
  for (const RobotGeom& geom : link.geoms) {
    if (!geom.touches) continue;
    const double radius = geom.size.x(), half = 0.5 * geom.size.y();
    switch (geom.kind) {
      case RobotGeom::Kind::kBox:
        for (int k = 0; k < 8; ++k) {
          const Vector3d signs((k & 1) ? 0.5 : -0.5, (k & 2) ? 0.5 : -0.5, (k & 4) ? 0.5 : -0.5);
          add(geom, geom.size.cwiseProduct(signs), 0.0);
        }
        break;
      case RobotGeom::Kind::kSphere:
        add(geom, Vector3d::Zero(), radius);
        break;
      case RobotGeom::Kind::kCapsule:
        add(geom, {0.0, 0.0, -half}, radius);
        add(geom, {0.0, 0.0, half}, radius);
        break;
      case RobotGeom::Kind::kCylinder:
        for (int k = 0; k < 16; ++k) {
          const double angle = 0.25 * std::numbers::pi * (k % 8);
          add(geom, {radius * std::cos(angle), radius * std::sin(angle), k < 8 ? -half : half},
              0.0);
        }
        break;
    }
  }
  return text;
}

std::string BodyText(const RobotLink& link, const std::string& name) {
  const bool shape = IsShape(link);
  const Matrix3d turn = shape ? Matrix3d(link.geoms[0].in_link.linear()) : Matrix3d::Identity();
  const Matrix3d inertia = turn.transpose() * link.inertia * turn;
  const Eigen::Quaterniond q(Matrix3d(link.pose.linear() * turn));
  const Vector3d rows[3] = {inertia.row(0), inertia.row(1), inertia.row(2)};
  std::string text = fmt::format(
      "  - name: {}\n    body: {{{}mass: {:.12g}, inertia: [{}, {}, {}]}}\n"
      "    start: {{position: {}, orientation: [{:.15g}, {:.15g}, {:.15g}, {:.15g}]}}\n",
      name, shape ? ShapeText(link.geoms[0]) + ", " : "", link.mass, Numbers(rows[0]),
      Numbers(rows[1]), Numbers(rows[2]), Numbers(link.pose * link.mass_centre), q.w(), q.x(),
      q.y(), q.z());
  const std::string points = shape ? "" : PointsText(link);
  if (!points.empty()) text += fmt::format("    points: [{}]\n", points);
  return text;
}

std::string JointText(const RobotJoint& joint, const std::string& name, const std::string& parent,
                      const std::string& child) {
  std::string text =
      fmt::format("  - {{name: {}, type: {}, bodies: [{}, {}]", name, joint.type, parent, child);
  const bool single = joint.type == "revolute" || joint.type == "prismatic";
  if (joint.type == "revolute" || joint.type == "spherical")
    text += fmt::format(", point: {}", Numbers(joint.point));
  if (single) text += fmt::format(", axis: {}", Numbers(joint.axis));
  if (joint.type == "planar") text += fmt::format(", normal: {}", Numbers(joint.axis));
  if (single && joint.stiffness > 0.0)
    text += fmt::format(", stiffness: {:.12g}, rest: {:.12g}", joint.stiffness, joint.rest);
  if (single && joint.damping > 0.0) text += fmt::format(", damping: {:.12g}", joint.damping);
  return text + "}\n";
}

}  // namespace

std::string SceneText(RobotModel robot, const std::filesystem::path& source) {
  TakeOutFrames(&robot, source);
  std::set<std::string> taken, joint_names;
  std::vector<std::string> names;
  std::string text = fmt::format("# From {}.\n", source.filename().string());
  for (const std::string& line : robot.left_out) text += "# Left out: " + line + ".\n";
  text += "bodies:\n";
  for (const RobotLink& link : robot.links) {
    names.push_back(link.mass > 0.0 ? PlainNameOf(link.name, &taken) : "");
    if (link.mass > 0.0) text += BodyText(link, names.back());
  }
  if (taken.empty()) {
    throw InputError(
        fmt::format("{}: found no link with a mass, allowed one at least", source.string()));
  }
  std::string joints;
  const auto name_of = [&](int link) { return link < 0 ? std::string("ground") : names[link]; };
  for (const RobotJoint& joint : robot.joints) {
    if (joint.type == "free") continue;
    joints += JointText(joint, PlainNameOf(joint.name, &joint_names), name_of(joint.parent),
                        name_of(joint.child));
  }
  if (!joints.empty()) text += "joints:\n" + joints;
  if (robot.gravity) text += fmt::format("gravity: {}\n", Numbers(*robot.gravity));
  if (robot.surfaces.empty()) {
    text +=
        "# surfaces:                    # what it may touch, with\n"
        "#   - {name: floor, normal: [0, 0, 1]}\n"
        "# parameters: {mu: 0.5, e: 0}  # its friction and restitution\n";
  } else {
    std::set<std::string> surface_names;
    text += "surfaces:\n";
    for (const RobotSurface& surface : robot.surfaces) {
      text += fmt::format("  - {{name: {}, normal: {}, point: {}}}\n",
                          PlainNameOf(surface.name, &surface_names), Numbers(surface.normal),
                          Numbers(surface.point));
    }
    // The file has no restitution: its contacts yield.
    text += fmt::format("parameters: {{mu: {:.12g}, e: 0}}\n",
                        std::isfinite(robot.mu) ? robot.mu : 0.5);
  }
  return text + "duration: 1.0\n";
}

}  // namespace percuss::app
