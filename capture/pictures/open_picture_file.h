// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "capture/pictures/picture_file.h"

namespace percuss::capture {

/// Opens a file by its name: Phantom .cine of a camera without colours (OpenCine), Photron .mraw,
/// .cihx or .cih (OpenMraw), .tif or .tiff (OpenTiff). Nothing for all others.
/// @param bit_depth of the grey values in a TIFF of 16 bits; none: 16
/// @throws InputError naming file and field.
std::unique_ptr<PictureFile> OpenPictureFile(const std::filesystem::path& file,
                                             std::optional<int> bit_depth);

/// The times that a camera stamped on the frames of a file which OpenPictureFile leaves to FFmpeg
/// (a .cine of a colour camera), as in Recording; empty of all others.
/// @throws InputError as OpenPictureFile.
std::vector<double> StampedTimes(const std::filesystem::path& file);

}  // namespace percuss::capture
