// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "base/value_with_sigma.h"
#include "calibration/rig/camera.h"
#include "tracking/bounces/heard_contact.h"

namespace percuss::tracking {

/// What is known of a clip before its ball is looked at. Standard deviations are those of normal
/// priors; what the motion shows outweighs them.
struct BounceSetting {
  int width = 0, height = 0;                  ///< of the frames [px]
  std::optional<calibration::Camera> camera;  ///< none: a usual lens of unknown focal length
  ValueWithSigma focal;                       ///< [px], where there is no camera
  double distortion_sigma = 0.05;             ///< of k1 about 0
  double frame_interval = 1.0 / 30.0;         ///< [s]
  double exposure = 0.0;                      ///< [s]; frames exposed at a contact are left out
  /// Direction in the picture in which the shutter rolls: (0, 1) of a camera held upright.
  Eigen::Vector2d roll = Eigen::Vector2d::UnitY();
  ValueWithSigma line_time{0.0, 0.0};  ///< [s/px] along the roll
  double drag_sigma = 0.005;           ///< of k [1/R] about 0
  std::optional<ValueWithSigma> drag;  ///< k [1/R], where diameter and mass are known
  /// Of each flight, from that before the first contact on, in camera axes [rad/s]; those that are
  /// not known, or not there, are unknowns about that of a ball that rolls (BounceUnknowns).
  std::vector<std::optional<Eigen::Vector3d>> spins;
  /// How long a contact lasts [s]; else 0.3 +- 0.5 of the time in which the ball, as fast as at its
  /// first bounce, flies by its radius: steel takes 0.02 of that, table tennis 0.1, a basketball
  /// 0.8.
  std::optional<ValueWithSigma> dwell;
  double tilt_sigma = 0.009;        ///< of the surface against the horizontal, each way [rad]
  std::vector<HeardContact> heard;  ///< contacts in the sound of the clip
};

/// A first guess: flights that follow each other, as places in the list of sightings.
struct FlightRange {
  int first = 0, last = 0;
};

}  // namespace percuss::tracking
