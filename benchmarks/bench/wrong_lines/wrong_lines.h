// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks/bound_table.h"

namespace percuss::benchmarks {

/// Experiment files with one wrong line, three of each kind, and 60 good ones, all with a ruler's
/// errors: how many of the lines `percuss run` names with the right mending, and how many it names
/// in good files. @param kinds names of WrongLineKinds, "good" for the good files, each may be
/// followed by the draws asked for, counted from 1; all if empty.
std::vector<BoundSection> MeasureWrongLines(const std::filesystem::path& data,
                                            const std::vector<std::string>& kinds);

}  // namespace percuss::benchmarks
