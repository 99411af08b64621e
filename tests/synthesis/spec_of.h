// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "synthesis/scene/scene_reader.h"
#include "tests/base/temporary_folder.h"

namespace percuss::synthesis {

/// The spec of a file with this text.
inline SceneSpec SpecOf(const std::string& text) {
  const testing::TemporaryFolder folder;
  return ReadSceneSpec(folder.Write("spec.yaml", text));
}

/// One that is read in no time: a small picture, and one trial with all defaults.
inline SceneSpec SmallSpec() { return SpecOf("{image_size: [320, 180], calibration_pairs: 2}"); }

}  // namespace percuss::synthesis
