// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace percuss::solver {

/// Points that hold a body more often than needed can press against each other. Adds such forces so
/// that all points push, and those that stick are within their cones, |f_t| <= mu_s f_n, if that
/// can be.
/// @param null columns: forces of all rows, (t, n) or (t1, t2, n) of each point, that change no
/// acceleration that is held
/// @param mu_s of each point; not a number for one that slips
/// @param forces of all rows [N]
/// @returns the largest excess -f_n, or |f_t| - mu_s f_n, of a point [N]: the least that can be
/// where it is above zero, else below zero
double RelieveForces(const Eigen::MatrixXd& null, const Eigen::VectorXd& mu_s,
                     Eigen::VectorXd* forces);

/// Columns x with matrix x = 0, orthonormal.
Eigen::MatrixXd NullSpace(const Eigen::MatrixXd& matrix);

}  // namespace percuss::solver
