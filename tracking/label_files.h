// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>

#include "base/files/files.h"
#include "tracking/labels/marker_tracking.h"

namespace percuss::tracking {

inline constexpr const char* kLabelsFormat = "percuss labels 2";

/// labels.json (docs/file-formats.md): all that was seen in the videos of a trial, so that flights
/// can be fitted again without them.
void WriteLabels(const TrackedTrial& tracked, const Provenance& provenance,
                 const std::filesystem::path& file);

/// @throws InputError naming file and field.
TrackedTrial ReadLabels(const std::filesystem::path& file);

}  // namespace percuss::tracking
