// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string_view>
#include <vector>

#include "solver/body/rigid_body.h"
#include "solver/multi_contact/multi_impact_problem.h"

// Rigid impact at several points at once, after chatterjee2019 chapters 3 and 5.
// The formulas, and where the thesis was departed from, are in docs/multi-contact.md.

namespace percuss::solver {

/// The mode `published` of the thesis' planar chapter: forces by local components, (3.11),
/// Poisson's end, separated points frozen, pulling allowed.
MultiImpactOptions PublishedOptions();

std::string_view StatusName(MultiImpactStatus status);

/// Solves a collision: events over all points that rest or approach, then over those that still
/// approach, until none does faster than rest_speed.
/// Kinetic energy never grows with the default options, whatever e in [-1, 1].
/// @throws std::invalid_argument quoting field and value: sizes that do not match, numbers that are
/// not finite, mu < 0, e outside [-1, 1], kSplitEnergy in space.
MultiImpactSummary SolveMultiImpact(const MultiImpactProblem& problem,
                                    const MultiImpactOptions& options = {});

/// A free body in space striking at points r_W from its mass centre; speeds (v, w) in W.
MultiImpactProblem BodyImpact(const Body& body, const Eigen::Matrix3d& R_WB,
                              const Eigen::Vector3d& v, const Eigen::Vector3d& w,
                              const std::vector<ImpactPoint>& points);

}  // namespace percuss::solver
