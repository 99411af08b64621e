// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <vector>

#include "calibration/rig/view.h"
#include "solver/body/rigid_body.h"
#include "tracking/pose/body_pose.h"

namespace percuss::tracking {

/// A point of the shape that a camera sees on the outline.
struct OutlinePoint {
  Eigen::Vector3d p_B = Eigen::Vector3d::Zero();
  Eigen::Vector3d normal_B = Eigen::Vector3d::Zero();  ///< of the plane through camera and outline
  Eigen::Vector2d pixel = Eigen::Vector2d::Zero();
  Eigen::Vector2d normal = Eigen::Vector2d::Zero();  ///< unit, outwards, in the image
  /// By place and rotation (W axes, about the mass centre) of the body, along `normal` [px/m, px].
  Eigen::Matrix<double, 1, 6> by_pose = Eigen::Matrix<double, 1, 6>::Zero();
  int edge = 0;  ///< points of one edge of the body, or of one part of a smooth one, share it
};

/// The outline of a convex body in an image, a point every `spacing_px`. For a direction u of the
/// image the outline's farthest point is the support point of the shape along (u, -a) in camera
/// axes, where a = max u . (X, Y) / Z over the body: a few steps from any a lead there.
/// Neighbouring points are joined by straight lines, which are edges of the body where it has any.
/// Empty if part of the body is not in front of the camera.
std::vector<OutlinePoint> Outline(const solver::Shape& shape, const BodyPose& pose,
                                  const View& view, double spacing_px);

}  // namespace percuss::tracking
