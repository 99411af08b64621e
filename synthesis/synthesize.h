// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <opencv2/core/mat.hpp>

#include "base/files/files.h"
#include "synthesis/scene/scene_spec.h"

namespace percuss::synthesis {

struct SynthesisOptions {
  int num_threads = 1;
  /// May be empty; called from any thread, after each picture or video: how many of all.
  std::function<void(int done, int all)> progress = {};
};

/// Renders a whole experiment into a folder: experiment.yaml, calibration/, trials/NAME/left.mp4
/// and so on for each camera, and truth.json (docs/synthesize.md), for any number of threads the
/// same bytes.
/// experiment.yaml comes last, so that a folder that has one is complete.
/// @param origin For truth.json; its format is filled in.
/// @throws InputError if the folder exists and is not empty, or cannot be written.
void Synthesize(const SceneSpec& spec, const std::filesystem::path& folder, Provenance origin,
                const SynthesisOptions& options = {});

}  // namespace percuss::synthesis
