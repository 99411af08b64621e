// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <limits>
#include <span>
#include <vector>

#include "tracking/arc_problem.h"

namespace percuss::tracking {

/// The residuals less what errors of the calibration explain: with unknowns x and calibration c,
/// the step (dx, dc) minimises |r + J_x dx + J_c dc|^2 + dc^T C^-1 dc, C the calibration's
/// covariance. What is left speaks of the pixels alone; the calibration's share of the states'
/// covariance is counted by itself, and must not be counted twice.
std::vector<ArcResidual> ResidualsBeyondCalibration(const Linearisation& linear,
                                                    std::span<const int> unknowns,
                                                    const Eigen::MatrixXd& calibration_covariance,
                                                    std::vector<ArcResidual> residuals);

/// The pose that the flight after the impact shows at the fitted time, less that of the flight
/// before, when neither is tied to the other: zero for an impact without duration (sun2017, 4.4.3).
struct PoseJump {
  Eigen::Vector3d position =
      Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());  ///< [m]
  Eigen::Vector3d rotation =
      Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());  ///< [rad], W axes
  Eigen::Matrix<double, 6, 6> covariance = Eigen::Matrix<double, 6, 6>::Zero();
  double chi2 = std::numeric_limits<double>::quiet_NaN();
  /// The time of the impact has taken one of six, in a plane one of three.
  int degrees_of_freedom = 5;
};

/// One Gauss-Newton step from the joint fit with a second pose for the flight after.
/// @param variance of the whitened residuals
PoseJump FindPoseJump(const Linearisation& linear, std::span<const ArcResidual> residuals,
                      std::span<const int> unknowns, double variance,
                      const Eigen::MatrixXd& calibration_covariance);

}  // namespace percuss::tracking
