// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fitting/bench/puck_reduction.h"
#include "impacts/impact_record.h"

namespace percuss::fitting {

/// A reduced collision as a row of a planar table of impacts: x of the picture becomes world x, y
/// becomes z, so that an angle from x to y is one about -y. Gravity is across the picture (an air
/// table). The covariance holds all correlations of the velocities; the error of the contact point,
/// which only half pucks have, is taken as independent of them.
/// @param setup EquivalentPuck of a collision of two.
impacts::ImpactRecord ImpactOfPuck(const std::string& trial, const PuckSetup& setup,
                                   const PuckReduction& reduction);

}  // namespace percuss::fitting
