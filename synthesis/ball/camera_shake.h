// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <opencv2/core/mat.hpp>

#include "synthesis/ball/ball_spec.h"

namespace percuss::synthesis {

/// How a hand turns the camera: each of pitch, yaw and roll is a sum of four sines of random phase
/// and of frequencies from a fifth of the rate to the rate. Pitch and yaw have the rms of the
/// spec at the middle of the picture, roll that at the end of its longer half side.
class CameraShake {
 public:
  explicit CameraShake(const BallSpec& spec);
  Eigen::Vector3d TurnAt(double t) const;  ///< rotation vector in the camera's axes [rad]

 private:
  static constexpr int kSines = 4;
  std::array<std::array<double, kSines>, 3> rate_{}, phase_{};  // [rad/s], [rad]
  Eigen::Vector3d size_ = Eigen::Vector3d::Zero();
};

/// Where in the picture of `camera` that is seen which a turned one has at each pixel.
Eigen::Vector2d PixelBeforeTurn(const Camera& camera, const Camera& turned,
                                const Eigen::Vector2d& pixel);

/// The picture of the turned camera out of that of the camera: bicubic (Catmull and Rom), in the
/// places of PixelBeforeTurn, taken every 16 px and bilinear between them. A turn about the centre
/// changes what is seen by that alone.
/// @param seen light over the area of a pixel, at each corner of parts of pixels: seen(i, j) around
///   the place of part i + (fineness - 1) / 2 and so on; its first part is `margin` pixels up and
///   left of the picture
cv::Mat TurnedPicture(const Camera& camera, const Camera& turned, const cv::Mat& seen, int fineness,
                      int margin);

}  // namespace percuss::synthesis
