// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fitting/model/prepared_impacts.h"
#include "solver/law/impact_law.h"

namespace percuss::fitting {

/// Why each impact cannot be used with this law: unusable with any, without a group where there is
/// a column of groups, without a number in a column of models, outside the law's domain, as a
/// spatial one for a planar law, or with a singular covariance of the residual at typical
/// parameters. Empty where it can.
std::vector<std::string> ReasonsUnusable(const solver::LawInfo& law, const PreparedImpacts& data,
                                         const std::string& group_column,
                                         const std::vector<std::string>& number_columns);

}  // namespace percuss::fitting
