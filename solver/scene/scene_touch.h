// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "solver/scene/scene_tree.h"

// Where bodies of a scene may touch surfaces, and balls other balls.

namespace percuss::solver {

/// A body and what it may touch at `num_points` points.
struct TouchPair {
  int body = 0;
  int other = kGround;  ///< the body that the surface is fixed to, or the other ball
  int surface = -1;     ///< -1: a ball
  int num_points = 1;
  double mu = 0.0, mu_s = 0.0;
  double e = std::numeric_limits<double>::quiet_NaN();  ///< of ScenePair
};

/// Every body against every surface that is not its own, every ball against every other, but what
/// the pairs of the model or a joint between the two exclude.
std::vector<TouchPair> TouchPairs(const SceneModel& model);

/// One point of a pair as it is.
struct Touch {
  int pair = 0, point = 0;
  double gap = 0.0;          ///< [m]
  Eigen::Matrix3d frame;     ///< t1, t2, n in W; n points to the body
  Eigen::Vector3d position;  ///< of the point, W
  Eigen::Vector3d arm, other_arm;
  /// Of the surface itself, where it moves; W.
  Eigen::Vector3d drift = Eigen::Vector3d::Zero(), drift_rate = Eigen::Vector3d::Zero();
  Eigen::Vector3d velocity;  ///< u of the body against the other, t1, t2, n [m/s]
};

/// All points of all pairs, in their order.
std::vector<Touch> LookAtTouches(const SceneModel& model, const std::vector<TouchPair>& pairs,
                                 const std::vector<PlacedBody>& bodies, double time);

/// Takes the gap off a point of a surface.
void MoveToSurface(const TouchPair& pair, const std::vector<PlacedBody>& bodies, Touch* touch);

/// Rows t1, t2, n of u = rows y - drift.
Eigen::MatrixXd TouchRows(const SceneTree& tree, const TouchPair& pair, const Touch& touch,
                          const std::vector<PlacedBody>& bodies);

/// du/dt where all speeds stay as they are; its tangential part as of a point that does not slip.
Eigen::Vector3d TouchBias(const SceneModel& model, const TouchPair& pair, const Touch& touch,
                          const std::vector<PlacedBody>& bodies);

}  // namespace percuss::solver
