// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <vector>

#include "solver/multi_contact/force_distribution.h"

// In which direction slip goes on after points have stopped and do not hold; chatterjee2019
// 5.2.5.

namespace percuss::solver {

/// How the slip of the stopped point answers to the impulse (x, y, n) at it, while the other points
/// follow by their rows: d(u_x, u_y) = response dP. For a single point the tangential rows of A.
using SlipResponse = Eigen::Matrix<double, 2, 3>;

/// Q of (5.26): directions in which slip keeps its direction satisfy dP_t^T Q dP = 0.
SlipResponse IsoclineMatrix(const SlipResponse& response);

/// c_0 u^4 + ... + c_4 = 0 for u = tan(phi), (5.31).
std::array<double, 5> IsoclineQuartic(const SlipResponse& Q, double mu);

struct Isocline {
  double angle = 0.0;       ///< of slip [rad]
  double speed_rate = 0.0;  ///< d|u_t| / dP_n; positive: slip moves out along it [1/kg]
};

/// The real roots of the quartic, as eigenvalues of its companion matrix, with those of their
/// directions in which slip does not turn, (5.30); a vertical one is the root of the quartic of
/// 1/u. (5.33) takes slip along +x always, which is wrong for half of the roots.
std::vector<Isocline> Isoclines(const SlipResponse& response, double mu);

/// The direction in which a single stopped point starts to slip; of several outgoing ones that
/// which loses least to friction. Nothing if there is none: then it sticks.
std::optional<Isocline> OutgoingIsocline(const SlipResponse& response, double mu);

/// The slip that all points of a common plane start together from rest: the rate of (u_x, u_y) of
/// the last point and of the turn about n, per unit of its normal impulse when
/// `per_reference_impulse`, else of all normals. Solves
///     u = tangential motion of (A dP),  dP_ti = -mu_i N_i u_i/|u_i|,  N_i in proportion |u_i|/mu_i
/// (derived from chatterjee2019 5.2.5.2) by Newton's method from several directions.
std::optional<Eigen::VectorXd> OutgoingSlip(const ForceDistribution& distribution,
                                            bool per_reference_impulse = false);

}  // namespace percuss::solver
