// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <span>
#include <vector>

#include "tracking/pose/body_pose.h"
#include "tracking/pose/tracked_frame.h"

namespace percuss::tracking {

/// Pose of a frame that is fixed in the body.
struct TimedPose {
  double time = 0.0;  ///< [s]
  BodyPose pose;
  double sigma = 1e-4;           ///< of the position, each way [m]
  double rotation_sigma = 1e-3;  ///< [rad]
};

/// What a body did in one trial.
struct PoseSequence {
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< W [m/s^2]
  std::vector<TimedPose> poses;                       ///< in order of time
};

/// Of the frames with a pose.
PoseSequence PosesOf(std::span<const TrackedFrame> frames, const Eigen::Vector3d& gravity);

/// How a body turns at an instant of a flight.
struct SpinSample {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();  ///< from the frame of the poses to W
  Eigen::Vector3d w = Eigen::Vector3d::Zero();      ///< [rad/s], W
  double sigma = 0.0;                               ///< of w, each way
};

/// What flights say of a body whose frame nobody knows.
struct FlightMotion {
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();       ///< mass centre in the poses' frame [m]
  Eigen::Matrix3d information = Eigen::Matrix3d::Zero();  ///< of it [1/m^2]
  std::vector<std::vector<SpinSample>> spins;             ///< of each stretch of free flight
};

/// Stretches of frames in which one point fixed in the body follows p0 + v0 t + g t^2 / 2: that
/// point, the same in all of them, is the mass centre. Where the body does not turn, or turns
/// about one axis, all points or those of a line do as well: the information says so.
///
/// A stretch begins with as many frames as it takes to tell its acceleration to a twentieth of
/// gravity, eight at least, and goes on while the next frame flies on; it counts if its own best
/// point leaves a mean square of four sigmas squared or less, and so does the common one.
FlightMotion FindFlightMotion(std::span<const PoseSequence> trials);

}  // namespace percuss::tracking
