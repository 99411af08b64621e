// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "solver/body/flight.h"
#include "tracking/pose/body_pose.h"

namespace percuss::tracking {

/// The motion that looks the same in one view but for perspective: markers in a plane do not show
/// which way it leans. With s the direction of sight, m the normal of the plane in body axes and c
/// the middle of the markers,
///
///     R* = (1 - 2 s s^T) R (1 - 2 m m^T),    w* = 2 s s^T w - w,
///
/// and c keeps its place and velocity. Perspective tells the two apart, by less the smaller the
/// plane and the lean (D. Oberkampf, D. DeMenthon, L. Davis, Iterative Pose Estimation Using
/// Coplanar Feature Points, CVIU 63(3), 1996; G. Schweighofer, A. Pinz, Robust Pose Estimation from
/// a Planar Target, PAMI 28(12), 2006).
/// @param markers places in the layout; if they are in no plane, that nearest to them stands in.
solver::FlightState<double> MirrorImage(const View& view, const MarkerLayout& layout,
                                        std::span<const int> markers,
                                        const solver::FlightState<double>& state);

/// The states just before and just after an impact, in one pose.
struct ImpactMotion {
  solver::FlightState<double> before, after;
};

/// Seven motions that may look the same in one view: the pose at the impact, the flight before and
/// that after may each be the mirror image. A plane seen face on leans neither way, and from there
/// it may turn either way.
/// @param before, after the markers that show the flights next to the impact
std::vector<ImpactMotion> MirroredMotions(const View& view, const MarkerLayout& layout,
                                          std::span<const int> before, std::span<const int> after,
                                          const ImpactMotion& motion);

}  // namespace percuss::tracking
