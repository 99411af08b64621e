// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "calibration/rig/camera.h"
#include "tracking/spots/video_spots.h"

namespace percuss::pipeline {

/// How a camera turned between two videos.
struct CameraTurn {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();  ///< rays of the second are R times the first's
  int matched = 0;                                  ///< spots
  double moved_px = 0.0;                            ///< by how much, their median
  double rms_px = 0.0;                              ///< of what is left
};

/// Where something stands still in a video, whatever it is, from its first frame to its last [px].
std::vector<Eigen::Vector2d> StaticPixels(const tracking::VideoSpots& video);

/// The turn of at most 10 degrees about its centre that takes most of what stood still in one video
/// to what stands still in another: of all pairs of spots that keep their angle, the turn (Kabsch)
/// that brings most others within 2 px, fitted again to these. At least four of them, and half of
/// those of the video that has fewer; else nothing.
std::optional<CameraTurn> FindCameraTurn(const calibration::Camera& camera,
                                         const std::vector<Eigen::Vector2d>& before,
                                         const std::vector<Eigen::Vector2d>& after);

/// The rotation that takes directions to directions, least squares with weights (Kabsch 1976). What
/// they leave open is not turned.
Eigen::Matrix3d RotationBetween(const std::vector<Eigen::Vector3d>& from,
                                const std::vector<Eigen::Vector3d>& to,
                                const std::vector<double>& weights = {});

}  // namespace percuss::pipeline
