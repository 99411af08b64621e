// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <limits>
#include <string>
#include <vector>

// What the page of a motion is told: bodies, what holds and stops them, and where they are. SI, W.

namespace percuss::report {

/// In place of a body: what does not move.
inline constexpr int kUnmoved = -1;

struct MotionPose {
  Eigen::Vector3d p_WB = Eigen::Vector3d::Zero();
  Eigen::Quaterniond q_WB = Eigen::Quaterniond::Identity();
};

/// In the axes of a body, from its mass centre; of kUnmoved in W.
struct MotionPlace {
  int body = kUnmoved;
  Eigen::Vector3d at = Eigen::Vector3d::Zero();
};

struct MotionBody {
  std::string name{};
  /// Points whose convex hull is its shape, body axes; empty: it has none.
  std::vector<Eigen::Vector3d> outline{};
  /// To which lines go from the mass centre: its joints, ends of springs, points. Body axes.
  std::vector<Eigen::Vector3d> arms{};
  bool touches = true;              ///< surfaces stop it
  std::vector<MotionPose> poses{};  ///< at MotionFacts::times
};

/// A half-space that bodies cannot enter.
struct MotionSurface {
  std::string name{};
  int body = kUnmoved;  ///< that it is fixed to
  /// Columns t1, t2, n; n points out of it. As a MotionPlace.
  Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  std::vector<Eigen::Vector3d> shifts{};  ///< at MotionFacts::times, where it moves by itself
};

enum class MotionJointKind { kHinge, kSlide, kBall, kOther };

struct MotionJoint {
  std::string name{};
  MotionJointKind kind = MotionJointKind::kOther;
  MotionPlace place{};
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();  ///< of a hinge or a slide, likewise
};

struct MotionSpring {
  std::string name{};
  MotionPlace first{}, second{};
};

/// On a body, from what it struck; where that is a body, too, the opposite is on it.
struct MotionImpulse {
  std::string on{}, from{};
  bool from_body = false;
  Eigen::Vector3d position, impulse;  ///< [m], [N s]
  std::string modes{};                ///< "slip, stick"; empty: not said
  /// Of the contact [s], [m]; not a number: not said.
  double duration = std::numeric_limits<double>::quiet_NaN();
  double compression = std::numeric_limits<double>::quiet_NaN();
};

struct MotionImpact {
  double time = 0.0;
  int num_points = 0;                              ///< that touch
  double energy_before = 0.0, energy_after = 0.0;  ///< kinetic [J]
  std::vector<MotionImpulse> impulses{};
};

struct MotionFacts {
  std::string name{};           ///< of the file
  std::vector<double> times{};  ///< ascending; before and after an impact the same
  std::vector<MotionBody> bodies{};
  std::vector<MotionSurface> surfaces{};
  std::vector<MotionJoint> joints{};
  std::vector<MotionSpring> springs{};
  std::vector<MotionImpact> impacts{};
  std::vector<double> kinetic{}, potential{};  ///< at `times` [J]
  bool at_rest = false;                        ///< all lies still before the end
};

}  // namespace percuss::report
