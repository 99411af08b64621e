// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

#include "base/files/files.h"
#include "synthesis/ball/ball_spec.h"

namespace percuss::synthesis {

/// Writes a clip into a new or empty folder: clip.mp4, or clip.mov where it has sound; sound.wav if
/// the spec wants it; truth.json last (docs/synthesize.md).
/// @param origin For truth.json; its format is filled in.
/// @param progress May be empty; how many pictures of all are done.
/// @return The clip.
/// @throws InputError if the folder exists and is not empty, or cannot be written.
std::filesystem::path SynthesizeBall(const BallSpec& spec, const std::filesystem::path& folder,
                                     Provenance origin,
                                     const std::function<void(int, int)>& progress = {});

}  // namespace percuss::synthesis
