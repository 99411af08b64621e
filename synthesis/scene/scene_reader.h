// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "synthesis/scene/scene_spec.h"

namespace percuss::synthesis {

/// Reads docs/synthesize.md's file; every key may be left out.
/// @throws InputError with one line "FILE: FIELD (line N): found VALUE, allowed ...".
SceneSpec ReadSceneSpec(const std::filesystem::path& file);

}  // namespace percuss::synthesis
