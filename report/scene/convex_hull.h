// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

namespace percuss::report {

/// Three places in a list of points, anticlockwise as one sees the triangle from outside.
using Triangle = std::array<int, 3>;

/// Surface of the convex hull of points. Points within a hundred-thousandth of the extent of a face
/// count as on it. Empty if the points lie in a plane, or a number is not finite.
std::vector<Triangle> ConvexHullOf(const std::vector<Eigen::Vector3d>& points);

}  // namespace percuss::report
