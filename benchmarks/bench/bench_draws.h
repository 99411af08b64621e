// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "benchmarks/bound_table.h"

namespace percuss::benchmarks {

/// The rendered drops with RulerErrors in the experiment file, drawn anew `count` times: mu, e, the
/// bench, and how often the intervals hold the truth.
std::vector<BoundSection> MeasureDraws(const std::filesystem::path& data, int count);

}  // namespace percuss::benchmarks
