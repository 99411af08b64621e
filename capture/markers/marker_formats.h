// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The formats behind ReadMarkers and WriteMarkers: content of a file to trajectories and back.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "capture/markers/marker_trajectories.h"

namespace percuss::capture {

/// mm, cm, m or their English names, in any case; nothing for another unit.
std::optional<double> MetresPerUnit(std::string_view unit);

/// @throws InputError naming a name that stands twice.
void RequireDistinctMarkers(const std::filesystem::path& file,
                            const std::vector<std::string>& markers);

// The readers throw InputError, the writers std::invalid_argument, as in marker_file.h.
MarkerTrajectories ReadTrc(const std::filesystem::path& file, std::string_view content,
                           const ReadMarkersOptions& options);
MarkerTrajectories ReadC3d(const std::filesystem::path& file, std::string_view content,
                           const ReadMarkersOptions& options);
MarkerTrajectories ReadMarkerCsv(const std::filesystem::path& file, std::string_view content,
                                 const ReadMarkersOptions& options);

std::string TrcText(const MarkerTrajectories& trajectories, std::string_view file_name);
std::string C3dBytes(const MarkerTrajectories& trajectories);
std::string MarkerCsvText(const MarkerTrajectories& trajectories);

}  // namespace percuss::capture
