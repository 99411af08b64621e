// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "synthesis/ball/ball_spec.h"

namespace percuss::synthesis {

/// Whether a file describes a clip of a ball: it has the key `ball`.
/// @throws InputError naming the file: no such file, broken YAML.
bool IsBallSpec(const std::filesystem::path& file);

/// Reads the clip that `ball:` of a file describes (docs/synthesize.md); keys that are not there
/// keep the values of BallSpec.
/// @throws InputError "FILE: KEY (line N): found VALUE, allowed ...".
BallSpec ReadBallSpec(const std::filesystem::path& file);

}  // namespace percuss::synthesis
