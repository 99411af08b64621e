// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "benchmarks/bound_table.h"

namespace percuss::benchmarks {

/// Whether energy ever rises over ten thousand scenes drawn at random: a body of any shape thrown
/// between a tilted floor and up to two walls.
std::vector<BoundSection> MeasureRandomScenes(const std::filesystem::path& data);

}  // namespace percuss::benchmarks
