// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "impacts/impact_files.h"
#include "solver/body/rigid_body.h"

namespace percuss::fitting {

/// Standard deviations found from the data floor.
struct EstimatedSigmas {
  double velocity = 0.0;          ///< [m/s]
  double angular_velocity = 0.0;  ///< [rad/s]
};

/// Standard deviations for a table that states none, from what no impulse through the contact point
/// explains: the momentum defects (MomentumDefect) have the scale of a Student distribution, so
/// that some outliers count little. The defects alone cannot tell errors of v from errors of w:
/// both are taken to carry the same energy, sigma_w = sigma_v / k with the radius of gyration k.
///
/// Gives every impact of the table a covariance; a velocity component that is zero everywhere
/// stays exact.
/// @throws DataError if no impact can be used or the defects are all zero.
EstimatedSigmas EstimateSigmas(const solver::Body& body, impacts::ImpactTable& table);

}  // namespace percuss::fitting
