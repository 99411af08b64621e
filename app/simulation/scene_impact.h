// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace percuss::app {

/// What `percuss impact SCENE.yaml` prints: the impact of a scene as it starts, its impulses and
/// the velocities of all bodies before and after (docs/simulate.md).
/// @throws InputError for the file; DataError where the law has no answer or nothing approaches.
nlohmann::ordered_json SceneImpactJson(const std::filesystem::path& file);

/// The same in all orders of impacts that happen at once: the outcomes and their spread.
/// @throws as SceneImpactJson; DataError where no order has an answer.
nlohmann::ordered_json SceneImpactOrdersJson(const std::filesystem::path& file);

}  // namespace percuss::app
