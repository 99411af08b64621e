// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace percuss::testing {

/// Renders that many different short drops of few pixels, with the pictures that calibrate their
/// cameras, into a new folder: experiment.yaml has the trials drop-0, drop-1 and so on.
/// @throws std::runtime_error if the program fails.
void SynthesizeDrops(int count, const std::filesystem::path& folder);

/// An experiment of `count` trials t0000, t0001 and so on in a new folder, whose videos are those
/// of SynthesizeDrops in turn (hard links).
void WriteCampaign(const std::filesystem::path& drops, int num_drops, int count,
                   const std::filesystem::path& folder);

}  // namespace percuss::testing
