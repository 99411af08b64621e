// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "tracking/bench/bench.h"

namespace percuss::tracking {

inline constexpr const char* kBenchFormat = "percuss bench 1";

/// What was typed and what the flights say of it: one number of the bench.
struct BenchRow {
  std::string name;  ///< "marker A1 x", "inertia xx / stated", "gravity z", ...
  std::string unit;
  double stated = 0.0, stated_sigma = 0.0;
  double estimate = 0.0, sigma = 0.0;
};

/// Rows of all that was uncertain but the cameras; then the scale of all distances of the cameras.
std::vector<BenchRow> BenchRows(const Bench& stated, const BenchEstimate& estimate);

/// bench.json (docs/file-formats.md).
void WriteBench(const Bench& stated, const BenchEstimate& estimate, const Provenance& provenance,
                const std::filesystem::path& file);

/// The bench as estimated. @throws InputError naming file and field.
Bench ReadBench(const std::filesystem::path& file, const Bench& stated);

}  // namespace percuss::tracking
