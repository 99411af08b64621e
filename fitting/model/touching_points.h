// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "fitting/model/error_model.h"
#include "impacts/impact_record.h"
#include "solver/body/rigid_body.h"

namespace percuss::fitting {

/// The points of a body that struck the surface together: from the mass centre, W axes [m], in
/// order around the face. Empty where one point explains the impact (ImpactRecord::r).
///
/// Two things are asked. The pose: a corner that lies above the lowest one by no more than
/// Body::flatness and 3.5 sigmas of the attitude may have touched with it; of a rim or a face of
/// many corners the outermost ones in twelve directions stand for all. The momentum: an impulse
/// through one point r has I dw = r x m dv; points on a line put the centre of pressure anywhere
/// between them, and friction adds a moment about the normal; those of a face put it anywhere
/// inside. The fewest points win whose balance is not off by more than chance gives in one of a
/// thousand.
std::vector<Eigen::Vector3d> TouchingPoints(const impacts::ImpactRecord& record,
                                            const ImpactErrors& errors, const solver::Body& body);

}  // namespace percuss::fitting
