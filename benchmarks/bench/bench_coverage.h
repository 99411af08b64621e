// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "benchmarks/bound_table.h"

namespace percuss::benchmarks {

/// Made-up experiments of four drops, each with a bench, motions and pixel noise of its own: how
/// often the 95 % intervals of velocities, dissipation, mu and e hold the truth, after the bench
/// was estimated. The bench errs as the experiment file says that it may: normal errors with
/// StatedBench's covariance, the defaults of a ruler.
std::vector<BoundSection> MeasureBenchCoverage(int experiments);

}  // namespace percuss::benchmarks
