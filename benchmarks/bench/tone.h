// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "benchmarks/bound_table.h"

namespace percuss::benchmarks {

/// The rendered drops, whose tone is sRGB, run with others stated: how far that moves the centres
/// of the spots, the velocities, mu and e, in sigmas of the run with the right one. Bounds are held
/// for gammas of 1.8 to 2.6, between which curves of videos and pictures made to be looked at lie.
std::vector<BoundSection> MeasureTone(const std::filesystem::path& data);

}  // namespace percuss::benchmarks
