// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <vector>

#include "base/files/files.h"
#include "tracking/arcs/arc_problem.h"

namespace percuss::tracking {

/// Writes sightings.json (docs/file-formats.md): what the arcs of a trial's impacts were fitted to,
/// one entry per impact, for a fit of coefficients to the pixels themselves.
void WriteSightings(const std::vector<FittedArcs>& impacts, const Provenance& provenance,
                    const std::filesystem::path& file);

/// @param num_cameras of the calibration: sightings of others, and their times, are an error
/// @throws InputError naming file, field, what was found and what is allowed.
std::vector<FittedArcs> ReadSightings(const std::filesystem::path& file,
                                      std::size_t num_cameras = capture::kMostCameras);

}  // namespace percuss::tracking
