// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "tracking/bench/bench.h"

namespace percuss::tracking {

inline constexpr const char* kBenchFormat = "percuss bench 2";

/// What was typed and what the flights say of it: one number of the bench.
struct BenchRow {
  std::string name;  ///< "marker A1 x", "inertia xx / stated", "gravity z", ...
  std::string unit;
  double stated = 0.0, stated_sigma = 0.0;
  double estimate = 0.0, sigma = 0.0;
};

/// Rows of all that was uncertain but the cameras; then the scale of all distances of the cameras.
std::vector<BenchRow> BenchRows(const Bench& stated, const BenchEstimate& estimate);

/// What was typed wrong: one line for each number that the flights move by more than `sigmas` of
/// what it was stated with and of what they know, with the value to write. Of markers, what they
/// move against each other.
std::vector<std::string> Surprises(const Bench& stated, const BenchEstimate& estimate,
                                   double sigmas = 3.5);

/// bench.json (docs/file-formats.md).
void WriteBench(const Bench& stated, const BenchEstimate& estimate, const Provenance& provenance,
                const std::filesystem::path& file);

/// What was written. @throws InputError naming file and field.
BenchEstimate ReadBenchEstimate(const std::filesystem::path& file, const Bench& stated);
/// The bench of it.
Bench ReadBench(const std::filesystem::path& file, const Bench& stated);

}  // namespace percuss::tracking
