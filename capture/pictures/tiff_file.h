// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "capture/pictures/picture_file.h"

namespace percuss::capture {

/// The pages of a TIFF file, in their order, as grey values of 8 or 16 bits. It says nothing of
/// times.
/// @param bit_depth of pages of 16 bits: how many of them the camera fills, from below; none: 16
/// @throws InputError naming the file: no TIFF, no page.
std::unique_ptr<PictureFile> OpenTiff(const std::filesystem::path& file,
                                      std::optional<int> bit_depth);

}  // namespace percuss::capture
