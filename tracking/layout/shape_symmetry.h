// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "solver/body/rigid_body.h"

namespace percuss::tracking {

/// Proper rotations that leave the shape as it is, the identity first: by quarter and half turns
/// about the body axes. A sphere, and a round shape about its axis, have more of them.
std::vector<Eigen::Matrix3d> ShapeRotations(const solver::Shape& shape);

/// Whether these rotations leave the inertia as it is to 1 %: then all frames that look the same
/// are the same, and any of them will do.
bool InertiaHasSymmetry(const solver::Body& body);

/// Which of the rotations to take: the one after which the mean of some places lies farthest along
/// z, among equals (to a thousandth of the shape's reach) along x, then y.
Eigen::Matrix3d ConventionalRotation(const solver::Shape& shape,
                                     const std::vector<Eigen::Vector3d>& places);

}  // namespace percuss::tracking
