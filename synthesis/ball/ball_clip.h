// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <limits>
#include <memory>
#include <opencv2/core/mat.hpp>

#include "synthesis/ball/ball_motion.h"
#include "synthesis/ball/ball_spec.h"

namespace percuss::synthesis {

/// Where the ball is in one picture, without noise: at the middle of the exposure of the row that
/// its centre is in, by the camera as it is turned in that picture.
struct BallView {
  double time = 0.0;      ///< [s]
  bool in_front = false;  ///< all of the ball has an image; otherwise the rest is NaN
  bool inside = false;    ///< all of its outline is inside the picture
  Eigen::Vector2d pixel = Eigen::Vector2d::Constant(
      std::numeric_limits<double>::quiet_NaN());  ///< projection of its centre [px]
  Eigen::Vector2d outline_centre = Eigen::Vector2d::Constant(
      std::numeric_limits<double>::quiet_NaN());  ///< centroid of its disc [px]
  double radius_px =
      std::numeric_limits<double>::quiet_NaN();  ///< of the circle with the area of its disc [px]
  Eigen::Vector3d centre_C =
      Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());  ///< camera axes [m]
  BallPhase phase = BallPhase::kHeld;
};

/// The pictures of a clip, made one at a time and in any order; from several threads at once.
class BallClip {
 public:
  /// Renders what does not move.
  /// @throws std::invalid_argument as BallMotion does; for a lens whose image does not fill the
  ///   sensor (and what a shaking camera sees beside it).
  explicit BallClip(const BallSpec& spec);
  ~BallClip();

  const BallSpec& Spec() const;
  const BallMotion& Motion() const;
  int FrameCount() const;
  double FrameTime(int frame) const;  ///< middle of the exposure of the middle row [s]
  /// The camera as it is turned in a picture.
  Camera FrameCamera(int frame) const;
  cv::Mat Frame(int frame) const;  ///< CV_8UC1, the same for the same spec and number
  BallView View(int frame) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace percuss::synthesis
