// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "benchmarks/bound_table.h"

namespace percuss::benchmarks {

/// The 13 real pairs: ours beside OpenCV and mrcal.
BoundSection MeasurePhotographs(const std::filesystem::path& data, int num_threads);

/// The rendered pairs against their truth.
BoundSection MeasureBarDrop(const std::filesystem::path& data, int num_threads);

/// Whether stated errors are those made, over draws of four synthetic rigs.
std::vector<BoundSection> MeasureCoverage(int num_threads);

/// Time of the whole calibration of the 13 pairs over that of OpenCV's sample program.
BoundSection MeasureTime(const std::filesystem::path& data, int num_threads);

/// Calibration from rendered videos of a waved board, clocks unknown, over that from as many still
/// pictures: sigma and true error of the place of a marker, and the time it takes.
BoundSection MeasureBoardVideo(int num_threads);

}  // namespace percuss::benchmarks
