// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <optional>

#include "solver/body/rigid_body.h"

namespace percuss::synthesis {

/// Where a ray enters a body.
struct RayHit {
  double distance = 0.0;                              ///< in lengths of the ray's direction vector
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();  ///< outward, unit length, body axes
  int face = 0;  ///< tells faces apart that meet in an edge; 0 for smooth shapes
};

/// The nearest entry, in front of the origin, of the ray origin + distance * direction (body axes)
/// into a solid. Nothing if it misses or starts inside.
/// @throws std::invalid_argument for an Ellipse, which is not solid.
std::optional<RayHit> CastRay(const solver::Shape& shape, const Eigen::Vector3d& origin,
                              const Eigen::Vector3d& direction);

}  // namespace percuss::synthesis
