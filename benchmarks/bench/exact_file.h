// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "benchmarks/bound_table.h"

namespace percuss::benchmarks {

/// Rendered drops whose experiment file is exact: errors of mu and e where the file says so (all
/// its sigmas are 0), and where nobody states a sigma, so that those of a ruler hold. One section
/// for each data set. Bounds: 1.2 times what the chain gave before the bench was estimated.
std::vector<BoundSection> MeasureExactFile(const std::filesystem::path& data);

}  // namespace percuss::benchmarks
