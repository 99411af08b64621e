// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <opencv2/core/mat.hpp>
#include <span>
#include <vector>

#include "tracking/outline/swept_disc.h"
#include "tracking/spots/spot_fit.h"

namespace percuss::tracking {

/// How bright a ball is where its surface has the normal n, in axes of its disc (x right, y down, z
/// against the line of sight):
///     light(n) = even + max(0, lamp . n) + sum of c_k times the terms of ShadeTerms
/// A matt ball under one lamp and the light of its surroundings is the first two (Lambert); what
/// lamps, gloss and mean pattern it has besides are in the smooth rest. The lamp stands still while
/// the line of sight turns with the ball.
struct BallShade {
  static constexpr int kTerms = 9;
  static constexpr int kNumbers = 4 + kTerms;  ///< even, lamp, rest
  double even = 0.0;
  Eigen::Vector3d lamp = Eigen::Vector3d::Zero();
  Eigen::Matrix<double, kTerms, 1> rest = Eigen::Matrix<double, kTerms, 1>::Zero();
  double rest_sigma = 0.1;  ///< of each term of the rest about 0: what the ball makes likely
  double scatter = 0.0;     ///< rms of what frames differ from it: large of a ball with a pattern

  /// The same ball as seen in another direction: its lamp is turned into the axes of the disc.
  BallShade SeenBy(const Eigen::Matrix3d& camera_from_disc) const;
};

/// x, y, x^2 - y^2, 2 x y, z, x z, y z, z^2, x^2 y + y^3 of a normal.
Eigen::Matrix<double, BallShade::kTerms, 1> ShadeTerms(const Eigen::Vector3d& n);

/// Axes of a disc seen at a pixel, in axes x right, y down, z towards the camera.
/// @param focal [px]
Eigen::Matrix3d CameraFromDisc(const Eigen::Vector2d& pixel, const Eigen::Vector2d& middle,
                               double focal);

/// A ball whose outline was fitted in a picture; the disc is in the axes of the picture.
struct BallPicture {
  cv::Mat luma;  ///< CV_8UC1
  SweptDisc disc;
  Eigen::Matrix3d camera_from_disc = Eigen::Matrix3d::Identity();
};

/// Fits a BallShade, in axes of the camera, to the pixels of a ball that are within its outline at
/// all times, robustly.
BallShade FitShade(std::span<const BallPicture> pictures, const ToneTables& tone);

}  // namespace percuss::tracking
