// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "fitting/model/error_model.h"
#include "fitting/model/impact_model.h"
#include "impacts/impact_record.h"
#include "solver/body/rigid_body.h"

namespace percuss::fitting {

/// The contact of a measured impact as laws of planar motion take it: without what leaves a plane
/// through the normal, if all of that is within its errors (3.5 sigmas each): the slip across the
/// plane and the two entries of the inverse mass that couple it to the plane. The plane is along
/// the slip, along what the normal impulse turns, or along an axis of the tangential inverse mass,
/// whichever suits best. None where the motion is in space, or in a plane to rounding anyway.
std::optional<solver::Contact<double>> PlanarContactWithin(const impacts::ImpactRecord& record,
                                                           const ImpactErrors& errors,
                                                           const ImpactGeometry& geometry);

}  // namespace percuss::fitting
