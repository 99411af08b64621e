// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "calibration/rig/camera.h"

namespace percuss::calibration {

/// Moves those places of the intrinsics that are free, and the pose where it is free, to the least
/// sum of squared distances between the pixels of points (Gauss-Newton):
///
///     sum_k |Project(camera, pose p_k) - pixel_k|^2.
///
/// @returns The largest distance left [px].
double FitLens(std::span<const Eigen::Vector3d> points, std::span<const Eigen::Vector2d> pixels,
               std::span<const int> free_places, bool free_pose, Camera* camera, Pose* pose);

}  // namespace percuss::calibration
