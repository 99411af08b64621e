// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <filesystem>

#include "base/files/files.h"
#include "tracking/labels/marker_tracking.h"

namespace percuss::tracking {

inline constexpr const char* kLabelsFormat = "percuss labels 2";

/// labels.json (docs/file-formats.md): all that was seen in the videos of a trial, so that flights
/// can be fitted again without them.
void WriteLabels(const TrackedTrial& tracked, const Provenance& provenance,
                 const std::filesystem::path& file);

/// @param num_markers of the body, which sightings name by number
/// @throws InputError naming file and field: also numbers of markers and frames that are not there.
TrackedTrial ReadLabels(const std::filesystem::path& file, std::size_t num_markers);

}  // namespace percuss::tracking
