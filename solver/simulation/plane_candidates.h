// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "solver/body/rigid_body.h"

namespace percuss::solver {

/// From the mass centre to the points that may touch, in W.
std::vector<Eigen::Vector3d> ContactCandidates(const Shape& shape, const Eigen::Matrix3d& R_WB);

}  // namespace percuss::solver
