// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "solver/law/impact_law.h"

// The impact laws by name: what a program needs that solves single impacts.
namespace percuss::solver {

/// All laws, in the order of the list in law_registry.h.
const std::vector<LawInfo>& Laws();

/// @throws std::invalid_argument naming the law asked for and those there are.
const LawInfo& FindLaw(std::string_view name);

/// Solves one impact by a law given by name; parameters in the order of LawInfo::parameters.
/// @throws std::invalid_argument quoting the value and its bound: A not symmetric positive
/// definite, u separating or
///   not finite, a contact outside the domain of the law, a parameter outside its range, a wrong
///   number of parameters.
ImpactResult<double> SolveImpact(std::string_view law, const Contact<double>& contact,
                                 std::span<const double> parameters);

/// The solution of a law without any checks, for many impacts: what goes in must have passed those
/// below; arguments that are not finite give NaN. @throws std::invalid_argument like FindLaw.
using LawFunction = ImpactResult<double> (*)(const Contact<double>& contact,
                                             std::span<const double> parameters);
LawFunction FindLawFunction(std::string_view name);

/// The same for many impacts at once: results[k] of contacts[k] and of row k of the parameters, of
/// which there are as many rows as contacts. The Darboux-Keller laws solve those that slip in a
/// plane several at a time; nothing else is faster than one by one.
using LawBatchFunction = void (*)(std::span<const Contact<double>> contacts,
                                  std::span<const double> parameters,
                                  std::span<ImpactResult<double>> results);
LawBatchFunction FindLawBatchFunction(std::string_view name);

}  // namespace percuss::solver
