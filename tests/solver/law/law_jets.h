// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ceres/jet.h>

#include <span>
#include <string_view>

#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"

namespace percuss::solver {

/// Wide enough for all inputs of a law: velocity (3), lower triangle of the inverse mass (6) and up
/// to five parameters. One width for all tests, so that all laws are compiled for it once.
using LawJet = ceres::Jet<double, 14>;

/// A law by name, without checks, for either scalar.
ImpactResult<LawJet> SolveByName(std::string_view law, const Contact<LawJet>& contact,
                                 std::span<const LawJet> parameters);
inline ImpactResult<double> SolveByName(std::string_view law, const Contact<double>& contact,
                                        std::span<const double> parameters) {
  return FindLawFunction(law)(contact, parameters);
}

}  // namespace percuss::solver
