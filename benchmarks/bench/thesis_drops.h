// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "benchmarks/bound_table.h"

namespace percuss::benchmarks {

/// What the experiments of sun2017 need beside a bar on a level plate, rendered with known truth:
/// its steel rod with bands of tape before two cameras (data/rod-drop) and before one
/// (data/rod-plane), and a bar on a plate that is tilted anew for three drops of four.
std::vector<BoundSection> MeasureThesisDrops(const std::filesystem::path& data);

}  // namespace percuss::benchmarks
