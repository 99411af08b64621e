// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "solver/simulation/constrained_dynamics.h"

// Who of the points in contact sticks, slips and leaves; chatterjee2019 3.3.1, with what is missing
// there: the direction in which slip starts, and points that come back.

namespace percuss::solver {

/// How the points in contact go on. A point that sticks, as given, holds with at most mu_s of its
/// normal force, or starts to slip in the direction d in which it keeps its direction: its
/// tangential acceleration is along d, friction -mu d times the normal force. A point that slips,
/// as given, keeps its direction. A released point does not accelerate into the surface.
///
/// First by test and switch, from all points in contact (chatterjee2019 3.3.1): releases the point
/// that pulls most, lets slip the one that exceeds mu_s most, takes the one back that accelerates
/// inwards most. Where that goes round, by Newton's method on all these laws at once, smoothed ever
/// less; or each point in turn answers the forces of the others; or all states are tried. Redundant
/// points get the smallest forces, or if these contradict the laws, others within the friction
/// cones.
/// @returns states, and directions of slip; inconsistent constraints where no forces obey the laws
/// @throws std::invalid_argument for sizes that do not match.
ContactMotion SettleContact(const EquationsOfMotion& motion, const ContactConstraints& contacts);

/// The directions of slip in which the points that `starting` names keep their directions, near the
/// given ones, with all states as they are. Directions as given where there are none.
std::vector<Eigen::VectorXd> StartDirections(const EquationsOfMotion& motion,
                                             const ContactConstraints& contacts,
                                             const std::vector<bool>& starting);

}  // namespace percuss::solver
