// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "solver/contact/contact_peaks.h"
#include "solver/law/impact_law.h"
#include "solver/multi_contact/multi_impact_problem.h"
#include "solver/restitution/visco_elastoplastic.h"
#include "solver/simulation/constrained_dynamics.h"

namespace percuss::solver {

/// What tells how the force of an impact runs over time. It changes no velocity.
struct ForceOverTime {
  std::optional<ViscoElastoplasticLaw> material;  ///< of impacts at several points, AugmentEvent
  /// Of the normal element of a law for one contact, as FollowContact takes it; the law's own k
  /// where it has one [N/m^n].
  std::optional<double> stiffness;
};

/// What a point in sustained contact does, of one that is not released.
inline ContactMode ModeOf(ContactState state) {
  return state == ContactState::kStick ? ContactMode::kStick : ContactMode::kSlip;
}

/// How a point goes through an impact.
struct StruckPoint {
  ModeSequence modes{};  ///< empty: the law does not say
  ContactPeaks peaks = kUnknownPeaks;
};

/// The points of an impact at several points. Of a point that takes part in more than one event the
/// durations add up; force and compression are the largest, what is left is that of the last.
/// @param summary solved; with MultiImpactOptions::record_path where there is a material
std::vector<StruckPoint> StruckPoints(const MultiImpactProblem& problem,
                                      const MultiImpactSummary& summary,
                                      const ForceOverTime& over_time);

/// The point of a contact that `law` has solved.
StruckPoint StruckBy(std::string_view law, const Contact<double>& contact,
                     const std::vector<double>& parameters, const ImpactResult<double>& result,
                     const ForceOverTime& over_time);

}  // namespace percuss::solver
