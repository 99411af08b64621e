// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "benchmarks/bound_table.h"

namespace percuss::benchmarks {

/// The rendered drops with `markers: {count: N}`: mu, e, the places of the markers, and what
/// finding them costs.
std::vector<BoundSection> MeasureNoLayout(const std::filesystem::path& data);

}  // namespace percuss::benchmarks
