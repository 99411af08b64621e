// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace percuss::benchmarks {

inline constexpr std::size_t kSweepPoints = 1'000'000;

/// Solves the planar rod of sun2017 figure 2.7 over a grid of gamma and p by Stronge's law and
/// writes the rows of the table to memory, as `percuss sweep` does before it writes its file.
void RunPlanarSweep(int num_threads);

}  // namespace percuss::benchmarks
