// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

// The same scenes by Simbody, whose headers want C++17: in types of its own.
namespace percuss::benchmarks {

struct PeerBody {
  double mass;
  Eigen::Vector3d moments;  ///< principal, about W axes at the start
  Eigen::Vector3d place;
  double radius;  ///< of a ball
};

struct PeerJoint {
  bool slides;
  int first, second;  ///< -1: the ground
  Eigen::Vector3d point, axis;
};

struct PeerScene {
  std::vector<PeerBody> bodies;
  std::vector<PeerJoint> joints;
  Eigen::Vector3d gravity;
  double e, mu;
};

/// Where bodies are, and how the joints move, at one time.
struct PeerState {
  std::vector<double> coordinates, speeds;  ///< of the joints of the tree, one each
};

/// The scene's mechanism of revolute and prismatic joints, bodies along W at the start, from
/// `start` to `duration` later, without contact: mass centres of all bodies at the end [m]. Joints
/// beside the tree are held by a point.
std::vector<Eigen::Vector3d> MoveBySimbody(const PeerScene& scene, const PeerState& start,
                                           double duration);

/// Wall time [s] of balls that fall on the plane z = 0 for `duration`, by the faster of Simbody's
/// time stepper with impulses (steps of 1 ms) and its error-controlled integrator with compliant
/// contact.
struct PeerTime {
  double seconds;
  std::string method;
};
PeerTime DropBySimbody(const PeerScene& scene, double duration);

}  // namespace percuss::benchmarks
