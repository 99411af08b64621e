// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "solver/scene/scene_loops.h"
#include "solver/scene/scene_tree.h"

namespace percuss::solver {

/// Where a scene begins.
struct SceneStart {
  Eigen::VectorXd coordinates, speeds;
  /// The loop rows to hold: the others follow from them.
  std::vector<int> rows;
  std::vector<std::string> redundant;  ///< names of what asks for the others
};

/// The speeds have the least kinetic energy among those that give bodies and joints their
/// velocities of the start and that loops allow.
/// @throws std::invalid_argument quoting the field: a constraint that does not hold at the start,
/// velocities that contradict each other or a joint.
SceneStart FindSceneStart(const SceneModel& model, const SceneTree& tree);

}  // namespace percuss::solver
