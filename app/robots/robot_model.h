// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

// Models of robots in other programs' files, as scenes (docs/simulate.md).

namespace percuss::app {

/// What touches and, where a file states no inertia, weighs.
struct RobotGeom {
  enum class Kind { kBox, kSphere, kCylinder, kCapsule };
  Kind kind = Kind::kSphere;
  Eigen::Vector3d size = Eigen::Vector3d::Zero();  ///< edges; or radius, and length without caps
  Eigen::Isometry3d in_link = Eigen::Isometry3d::Identity();
  bool touches = true;
};

struct RobotLink {
  std::string name;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< in W, all joints at zero
  double mass = 0.0;                                       ///< 0: a mere frame
  Eigen::Vector3d mass_centre = Eigen::Vector3d::Zero();   ///< in the link [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();       ///< about it, axes of the link
  std::vector<RobotGeom> geoms;
};

struct RobotJoint {
  std::string name, type;       ///< as of a scene; "free" is none
  int parent = -1, child = -1;  ///< links; -1: the ground
  Eigen::Vector3d point = Eigen::Vector3d::Zero(), axis = Eigen::Vector3d::UnitZ();  ///< W
  double stiffness = 0.0, damping = 0.0, rest = 0.0;
};

struct RobotSurface {
  std::string name;
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ(), point = Eigen::Vector3d::Zero();
};

struct RobotModel {
  std::vector<RobotLink> links;
  std::vector<RobotJoint> joints;
  std::vector<RobotSurface> surfaces;
  std::optional<Eigen::Vector3d> gravity;
  double mu = std::numeric_limits<double>::quiet_NaN();  ///< not a number: the file has none
  std::vector<std::string> left_out;  ///< what a scene has no word for, one line each
};

/// @throws InputError with one line that names file, element, value and what is allowed.
RobotModel ReadUrdf(const std::filesystem::path& file);
RobotModel ReadMjcf(const std::filesystem::path& file);

/// The file of a scene. Links without mass are taken out where a fixed joint holds them.
/// @param source named in the first line
/// @throws InputError naming the link: no mass where one is needed.
std::string SceneText(RobotModel robot, const std::filesystem::path& source);

}  // namespace percuss::app
