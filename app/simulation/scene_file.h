// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/text/yaml_field.h"
#include "solver/scene/scene_model.h"
#include "solver/simulation/plane_model.h"

namespace percuss::app {

/// Bodies, joints, surfaces, as `percuss simulate` and `percuss impact` read them
/// (docs/simulate.md).
struct SceneFile {
  solver::SceneModel model;
  solver::PlaneSimulationOptions options;
};

/// Whether a file describes a scene: it has `bodies`.
bool IsSceneFile(const YamlField& root);

/// @throws InputError with one line that names file, field, value and what is allowed.
SceneFile ReadSceneFile(const YamlField& root);

}  // namespace percuss::app
