// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "fitting/audit/audit.h"

namespace percuss::fitting {

/// Gravity as one free flight shows it; W axes [m/s^2].
struct FlightGravity {
  std::string trial;
  std::string arc;  ///< before | after the impact
  Eigen::Vector3d stated = Eigen::Vector3d::Zero();
  Eigen::Vector3d measured = Eigen::Vector3d::Zero();
  /// Zero along an axis that was not measured (planar motion).
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
};

/// What all flights together say of (measured - stated) gravity: their weighted mean, with Huber
/// weights so that flights that are none hardly count. Where flights scatter by more than their
/// sigmas, the covariance is that much larger (Birge ratio).
struct PooledGravity {
  int flights = 0;                                   ///< with a finite measurement
  Eigen::Vector3d stated = Eigen::Vector3d::Zero();  ///< mean over the flights
  double stated_size = 0.0;  ///< mean over the flights: larger than |stated| if slopes differ
  Eigen::Vector3d error = Eigen::Vector3d::Zero();  ///< [m/s^2], W
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  double scatter = 1.0;  ///< of the flights over their sigmas, robust, at least 1
  /// (length scale) x (frame rate)^2 of the data over the true one, from the part along gravity.
  double scale = kNaN, scale_sigma = kNaN;
  double tilt = kNaN, tilt_sigma = kNaN;  ///< of the surface frame [rad], from the part across it
};
PooledGravity PoolGravity(std::span<const FlightGravity> flights);

/// One finding on all flights together, and one for each flight. A common error is told once: where
/// there is one, single flights are compared with what all show. Empty without flights.
std::vector<AuditFinding> AuditGravity(std::span<const FlightGravity> flights);

}  // namespace percuss::fitting
