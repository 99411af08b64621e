// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "synthesis/scene/scene_spec.h"

namespace percuss::synthesis {

/// experiment.yaml of a synthetic experiment, as a user would write it (docs/experiment-file.md); a
/// mesh goes into body.obj beside it.
void WriteExperimentYaml(const SceneSpec& spec, const std::filesystem::path& folder);

}  // namespace percuss::synthesis
