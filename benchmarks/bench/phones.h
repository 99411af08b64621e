// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "benchmarks/bound_table.h"

namespace percuss::benchmarks {

/// The two phones of docs/tutorial.md, rendered: with their line time stated, with the line
/// `line_time` deleted, and with the videos stored as slow motion of 30 frames a second.
std::vector<BoundSection> MeasurePhones();

/// What estimating the bench adds to a run: processor time of the whole run of the rendered drops,
/// and of the estimate from what it labelled.
std::vector<BoundSection> MeasureBenchTime(const std::filesystem::path& data);

}  // namespace percuss::benchmarks
