// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "calibration/rig/camera.h"

namespace percuss::calibration {

/// How the real board differs from its description. Its point (x, y, z) lies at
///
///     scale (x, y, z) + (0, 0, warp_x (xi^2 - mean xi^2) + warp_y (eta^2 - mean eta^2)),
///
/// where xi, eta run from -1 to 1 along columns and rows and the means are over all points: the
/// two bends of an elastic plate, chosen so that the plane of best fit stays z = 0.
struct BoardShape {
  double scale = 1.0;
  Eigen::Vector2d warp = Eigen::Vector2d::Zero();  ///< warp_x, warp_y [m]
};

/// Places of the parameters that all views share, and of the pose of the surface view:
///   camera c: intrinsics at 12 c,
///   camera c > 0: rotation and translation of camera_from_first at 12 C + 6 (c - 1),
///   board_from_first of the surface view: 12 C + 6 (C - 1),
///   scale, warp_x, warp_y: the last three.
/// Rotations are small vectors d with R = exp([d]x) R_estimated.
struct ParameterPlaces {
  int num_cameras = 2;
  constexpr int Intrinsics(int camera) const { return kNumIntrinsics * camera; }
  constexpr int CameraPose(int camera) const {
    return kNumIntrinsics * num_cameras + 6 * (camera - 1);
  }
  constexpr int World() const { return CameraPose(num_cameras); }
  constexpr int BoardShape() const { return World() + 6; }
  constexpr int Size() const { return BoardShape() + 3; }
};

}  // namespace percuss::calibration
