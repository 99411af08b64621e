// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tracking/pose/body_pose.h"
#include "tracking/pose/tracked_frame.h"

namespace percuss::tracking {

/// Where and how the body moves about the time of a frame, from the poses of its neighbours.
struct FrameMotion {
  BodyPose pose;
  Eigen::Vector3d v = Eigen::Vector3d::Zero(), w = Eigen::Vector3d::Zero();  ///< W [m/s, rad/s]
  Eigen::Vector3d acceleration = Eigen::Vector3d::Zero();                    ///< [m/s^2]

  BodyPose After(double duration) const;
};
/// Nothing where the frame or one of its neighbours has no pose.
std::optional<FrameMotion> MotionAt(std::span<const TrackedFrame> frames, std::size_t k);

/// Normal equations of one marker's place while the poses stay, body axes.
struct PlaceSums {
  Eigen::Matrix3d information = Eigen::Matrix3d::Zero();
  Eigen::Vector3d gradient = Eigen::Vector3d::Zero();
  Eigen::Vector3d towards = Eigen::Vector3d::Zero();  ///< sum of directions to the cameras
  int sightings = 0;                                  ///< by camera and frame

  /// One Gauss-Newton step from a place that is known to `sigma` each way [m].
  Eigen::Vector3d Step(double sigma) const;
};

/// Adds what the labelled sightings of these frames say of each marker's place.
void AddPlaces(const Views& views, const MarkerLayout& layout, std::span<const TrackedFrame> frames,
               std::vector<PlaceSums>* sums);

}  // namespace percuss::tracking
