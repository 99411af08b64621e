// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "solver/body/rigid_body.h"

namespace percuss::solver {

/// Points of a convex shape's surface whose images have the same convex hull as the image of the
/// whole: its vertices, or 400 points spread over a smooth surface. Body axes [m].
std::vector<Eigen::Vector3d> OutlinePoints(const Shape& shape);

}  // namespace percuss::solver
