// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "solver/scene/scene_tree.h"

namespace percuss::solver {

/// What the joints that close loops and the constraints by expressions ask of the speeds y of the
/// tree: residual = 0, jacobian y + velocity_bias = 0, jacobian ydot + acceleration_bias = 0.
struct LoopRows {
  Eigen::VectorXd residual;  ///< lengths [m], cosines, and values of expressions
  Eigen::MatrixXd jacobian;
  Eigen::VectorXd velocity_bias;  ///< where time itself stands in an expression
  Eigen::VectorXd acceleration_bias;
};

int NumLoopRows(const SceneModel& model, const SceneTree& tree);

/// "joints.NAME" or "constraints.NAME", whose row it is.
std::string LoopRowName(const SceneModel& model, const SceneTree& tree, int row);

LoopRows LoopRowsAt(const SceneModel& model, const SceneTree& tree, double time,
                    const std::vector<PlacedBody>& bodies);

}  // namespace percuss::solver
