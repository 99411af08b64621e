// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <vector>

namespace percuss {

/// One-to-one assignment of rows to columns with the least total cost, where leaving a row without
/// a column costs `cost_of_none`; a pair that costs more than that is never made. Shortest
/// augmenting paths with dual prices (Jonker and Volgenant, Computing 38, 1987), O(rows^2 (rows +
/// columns)).
///
/// @param cost rows x columns, finite; both counts may be zero.
/// @returns the column of each row, or -1.
/// @throws std::invalid_argument if a cost or cost_of_none is not finite.
std::vector<int> Assign(const Eigen::MatrixXd& cost, double cost_of_none);

}  // namespace percuss
