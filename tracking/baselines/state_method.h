// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <string_view>

namespace percuss::tracking {

/// How the velocities just before and just after an impact are found (docs/states.md).
enum class StateMethod {
  kArcs,    ///< two ballistic arcs fitted to the pixels (impact_arcs.h)
  kRts,     ///< Kalman filter and Rauch-Tung-Striebel smoother on each side (rts_states.h)
  kHoubolt  ///< one-sided differences of four samples, as in sun2017 (houbolt_states.h)
};
inline constexpr std::array kStateMethods = {StateMethod::kArcs, StateMethod::kRts,
                                             StateMethod::kHoubolt};

std::string StateMethodName(StateMethod method);  ///< arcs | rts | houbolt

/// @throws std::invalid_argument for a name that is none of them.
StateMethod FindStateMethod(std::string_view name);

/// Velocities at the instant of an impact, on one side of it; W axes.
struct SideStates {
  Eigen::Vector3d v = Eigen::Vector3d::Zero();  ///< of the mass centre [m/s]
  Eigen::Vector3d w = Eigen::Vector3d::Zero();  ///< [rad/s]
  Eigen::Matrix<double, 6, 6> covariance = Eigen::Matrix<double, 6, 6>::Zero();  ///< of (v, w)
};

}  // namespace percuss::tracking
