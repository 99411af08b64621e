// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "capture/video/recorded_camera.h"

namespace percuss::capture {

/// The metadata keys of the tracks of a MOV or MP4 file (moov/trak/meta with keys and ilst, Apple,
/// QuickTime File Format, "Metadata"), text and numbers. Phones say there through which lens a
/// track was filmed. FFmpeg hands out those of the whole file alone. What is damaged is left out.
MetadataKeys TrackKeys(const std::filesystem::path& file);

}  // namespace percuss::capture
