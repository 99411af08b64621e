// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <span>

#include "fitting/model/impact_model.h"
#include "solver/multi_contact/landing.h"

namespace percuss::fitting {

solver::Landing LandingOf(const ImpactGeometry& geometry);

/// Central differences, at a bound one-sided: the events of several points have no derivatives of
/// their own. @param parameters of solver::SolveLanding.
JumpDerivatives DifferentiateLanding(const ImpactGeometry& geometry,
                                     std::span<const double> parameters);

/// LinearizeImpact of several points. An error of the arm moves all of them.
ImpactLinearization LinearizeLanding(
    const impacts::ImpactRecord& record, const ImpactGeometry& geometry,
    std::span<const double> parameters,
    const Eigen::Matrix<double, Eigen::Dynamic, 3>* parameters_by_velocity);

}  // namespace percuss::fitting
