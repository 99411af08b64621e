// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <limits>
#include <span>
#include <vector>

#include "tracking/arcs/arc_problem.h"

namespace percuss::tracking {

/// r, J and G side by side: residuals and their derivatives by the unknowns x and by the errors of
/// the calibration, the latter as u of unit covariance, c = R u with R R^T = C. Parameters on which
/// no sighting depends have no part in it.
Eigen::MatrixXd ResidualsAndColumns(const Linearisation& linear, std::span<const int> unknowns,
                                    const Eigen::MatrixXd& calibration_covariance);

/// What is left of the residuals without what errors of the calibration explain: r + J x + G u with
/// the x and u that minimise |r + J x + G u|^2 + |u|^2; r itself where there is no u. What is left
/// speaks of the pixels alone; the calibration's share of the states' covariance is counted by
/// itself, and must not be counted twice.
/// @param rows r, J and G side by side. @param num_unknowns columns of J
Eigen::VectorXd BeyondCalibration(const Eigen::MatrixXd& rows, Eigen::Index num_unknowns);

/// The residuals of a linearisation after a change of all of them, one by one and without their
/// robust weights.
/// @param residuals of the same sightings; those of weight 0 stay as they are
std::vector<ArcResidual> Unweighted(const Eigen::VectorXd& changed,
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
/// @param linear before Whitened
/// @param variance of the whitened residuals
PoseJump FindPoseJump(const ArcProblem& problem, std::span<const ArcFrame> frames,
                      Linearisation linear, double variance,
                      const Eigen::MatrixXd& calibration_covariance,
                      const std::optional<Eigen::Vector3d>& axis = {});

}  // namespace percuss::tracking
