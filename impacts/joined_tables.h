// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "impacts/impact_record.h"

namespace percuss::impacts {

/// The impacts of tables that share the first `common` of their parameters
/// (calibration_covariance), which are independent of the others, and nothing else: parameters of
/// the joint table are those, then the others of each table in turn. Sources and inertia are left
/// to the caller.
/// @throws std::invalid_argument for a table of fewer parameters, or of common ones that are
/// correlated
///   with others, or an impact of other ones
ImpactTable JoinTables(std::span<const ImpactTable> tables, Eigen::Index common);

}  // namespace percuss::impacts
