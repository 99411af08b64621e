// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/text/yaml_field.h"

namespace percuss::app {

/// What became of a sweep over the numbers of a scene.
struct SceneSweepSummary {
  std::size_t points = 0, solved = 0;
};

/// Simulates the scene of `scene:` at every point of one or two axes over any of its numbers
/// (docs/simulate.md), and fills a table: a row per point, the last axis fastest.
/// @throws InputError with one line that names file, field, value and what is allowed.
SceneSweepSummary SweepScene(const YamlField& root, int num_threads, std::string* table);

}  // namespace percuss::app
