// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>

namespace percuss::solver {

/// Errors of an inertia I = L (1 + S) L^T, with L L^T the stated inertia and S symmetric: six
/// numbers xx, yy, zz, xy, xz, yz in proportion to the inertia, whatever the size of the body.
using InertiaError = Eigen::Matrix<double, 6, 1>;

Eigen::Matrix3d MovedInertia(const Eigen::Matrix3d& inertia, const InertiaError& change);

/// Derivatives of the inertia by the six numbers.
std::array<Eigen::Matrix3d, 6> InertiaDirections(const Eigen::Matrix3d& inertia);

}  // namespace percuss::solver
