// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "solver/law/impact_law.h"

namespace percuss::fitting {

/// ParameterInfo::typical of every parameter of a law.
Eigen::VectorXd TypicalParameters(const solver::LawInfo& law);

/// Points over the parameters of a law from which a search may start: even steps inside finite
/// bounds, growing ones where there is no upper bound, 3 values of each parameter (5 or 6 with one
/// or two of them). Parameters beyond the fifth stay at their typical values.
std::vector<Eigen::VectorXd> SearchGrid(const solver::LawInfo& law);

}  // namespace percuss::fitting
