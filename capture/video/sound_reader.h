// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "capture/sound/sound_track.h"

namespace percuss::capture {

/// Reads the first sound track of a file with FFmpeg's libraries. Anything wrong with it is a
/// reason: a video can be measured without its sound.
SoundTrack ReadSound(const std::filesystem::path& file);

}  // namespace percuss::capture
