// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "calibration/rig/view.h"
#include "tracking/spots/video_spots.h"

namespace percuss::tracking {

/// How a spot moves in its image, from the spots of the frames before and after.
struct SpotMotion {
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();      ///< [px/s]
  Eigen::Vector2d acceleration = Eigen::Vector2d::Zero();  ///< [px/s^2]
  /// Displacement `duration` seconds later, which should be at most about a frame.
  Eigen::Vector2d After(double duration) const {
    return duration * (velocity + 0.5 * duration * acceleration);
  }
};

/// [frame][spot]: the parabola through the spot and those two of its neighbours in time that make
/// it the least bent; nothing where these bend it by more than `max_bend_px` (an impact, a lost
/// spot).
std::vector<std::vector<std::optional<SpotMotion>>> MotionOfSpots(
    std::span<const FrameBlobs> frames, double max_bend_px = 4.0);

/// A moving spot: its pixel at a time, and how it goes on.
struct MovingSpot {
  double time = 0.0;  ///< [s], clock of its camera
  Eigen::Vector2d pixel;
  SpotMotion motion;
};

/// [frame][spot]
using MovingFrames = std::vector<std::vector<MovingSpot>>;

/// Mean time from frame to frame [s].
double MeanInterval(std::span<const FrameBlobs> frames);

/// Pixels per frame: slower spots hardly tell the time.
inline constexpr double kMinSpeedPx = 1.0;

/// The spots of a video that move by kMinSpeedPx or more.
MovingFrames FindMovingSpots(std::span<const FrameBlobs> frames);

/// Signed distances of right spots from the epipolar lines of left ones.
class EpipolarDistance {
 public:
  explicit EpipolarDistance(const Views& views);
  /// The line of a left pixel, of unit normal, in the right camera's (x, y, 1).
  Eigen::Vector3d Line(const Eigen::Vector2d& left_pixel) const;
  /// (x, y, 1) of a right pixel, without the lens's distortion.
  Eigen::Vector3d Ray(const Eigen::Vector2d& right_pixel) const;
  double Pixels(const Eigen::Vector3d& line, const Eigen::Vector3d& ray) const {
    return focal_length() * line.dot(ray);
  }
  double focal_length() const { return right_.intrinsics[0]; }  ///< of the right camera [px]

 private:
  calibration::Camera left_, right_;
  Eigen::Matrix3d essential_;
};

}  // namespace percuss::tracking
