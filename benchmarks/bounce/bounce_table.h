// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "benchmarks/bound_table.h"

namespace percuss::benchmarks {

/// Rendered clips of balls, cameras and light drawn at random: the error of e, and how often its
/// interval holds.
/// @param draws per frame rate
std::vector<BoundSection> MeasureBounceClips(int draws);

}  // namespace percuss::benchmarks
