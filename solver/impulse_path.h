// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "solver/contact/contact.h"

namespace percuss::solver {

/// How the impulse of an impact grew, in the contact frame [N s].
struct ImpulsePath {
  std::vector<Eigen::Vector3d> points;  ///< from zero to the impulse of the law
  Eigen::Vector3d compression_end =
      Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
};

/// The path of the impulse for the laws that integrate over the normal impulse p (newton, poisson,
/// stronge); no points for others, which know the end alone.
///
/// The tangential impulse j(p) depends on the velocity of slip, not on that of approach, which only
/// decides how far p runs. An impact without restitution from s u_n instead of u_n ends where
/// (A P)_n = -s u_n: as s runs from 0 to 1 its end runs along the compression of the impact, and
/// beyond 1 along the restitution, up to the impulse P' of the law, s = -(A P')_n / u_n. So every
/// point is as exact as the law. Source: DarbouxKellerLaw.
///
/// @param parameters as SolveImpact, whose arguments are checked and whose exceptions are thrown.
/// @param num_points between zero and the impulse of the law, positive.
ImpulsePath FollowImpulse(std::string_view law, const Contact<double>& contact,
                          std::span<const double> parameters, int num_points = 60);

/// The work of the normal impulse up to where compression ends [J], for the same laws; NaN for
/// others, and where slip that turns later drives the bodies together again. It is all normal work
/// of the same impact without restitution. Arguments as of FollowImpulse.
double CompressionWork(std::string_view law, const Contact<double>& contact,
                       std::span<const double> parameters);

}  // namespace percuss::solver
