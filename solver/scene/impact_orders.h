// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "solver/scene/scene_simulation.h"

namespace percuss::solver {

/// What some of the orders come to.
struct OrderedOutcome {
  SceneImpact impact;      ///< by the first of these orders
  int num_orders = 0;      ///< that end with these velocities
  double probability = 0;  ///< that one of them happens
};

struct VelocitySpread {
  Eigen::Vector3d v_mean, v_sd, w_mean, w_sd;  ///< W, [m/s], [rad/s]
};

/// Impacts that happen at once, in every order: a small change of what was before parts them into
/// one order or another, with outcomes that differ (chatterjee1997 10.1, Fig. 10.1, after Ivanov).
/// Where several impacts could come next each is as probable as the others. Where there are more
/// orders than are to be followed, as many are drawn by these probabilities.
struct ImpactOrders {
  bool complete = false;                 ///< all orders, or drawn ones
  std::vector<OrderedOutcome> outcomes;  ///< that differ, the most probable first
  std::vector<VelocitySpread> bodies;    ///< over all outcomes
  int num_orders = 0;                    ///< that were followed to their end
  int num_failed = 0;                    ///< of them, without an answer
  double probability = 0.0;              ///< of all outcomes: 1 if none failed
  std::string reason;                    ///< of the first that failed
};

/// @param max_orders no more are followed
/// @throws std::invalid_argument as SimulateScene
ImpactOrders SolveInAllOrders(const SceneModel& model, const PlaneSimulationOptions& options = {},
                              int max_orders = 1000);

}  // namespace percuss::solver
