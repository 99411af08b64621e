// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

namespace percuss::solver {

/// All real common roots of three or more quadratics [u; 1]^T Q_i [u; 1] = 0 in u = (u_1, u_2,
/// u_3), Q_i symmetric: chatterjee2019 appendix B. u_1 is hidden in the coefficients; the
/// Macaulay matrix of the first three polynomials over the 15 monomials of degree 4 in (u_2, u_3,
/// 1) is M_0 + u_1 M_1 + u_1^2 M_2, singular where they have a common root: a polynomial
/// eigenproblem. Candidates take Newton steps and must then solve all of the polynomials. Empty if
/// there is no real root; roots that are not isolated may be missed.
/// @throws std::invalid_argument for fewer than three polynomials.
std::vector<Eigen::Vector3d> CommonRoots(const std::vector<Eigen::Matrix4d>& quadratics);

}  // namespace percuss::solver
