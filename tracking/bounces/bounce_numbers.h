// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>

#include "tracking/bounces/bounce_model.h"

namespace percuss::tracking {

/// One bounce; speeds in radii of the ball per second.
struct BounceEstimate {
  double time = 0.0;                               ///< of its start [s]
  double e = 0.0;                                  ///< - v'.n / v.n
  double before = 0.0, after = 0.0;                ///< speeds [R/s]
  double normal_before = 0.0, normal_after = 0.0;  ///< along the normal, both positive
  double tangential_before = 0.0,
         tangential_after = 0.0;  ///< the latter along the former's direction
  double px_per_radius = 0.0;     ///< at this place [px]
};

/// Numbers of a BounceEstimate, in the order of the covariance.
enum BounceNumber {
  kBounceTime,
  kBounceE,
  kSpeedBefore,
  kSpeedAfter,
  kNormalBefore,
  kNormalAfter,
  kTangentialBefore,
  kTangentialAfter,
  kNumBounceNumbers
};

/// What is known before of a ball and its bench, and wrong alike in all of their clips.
enum SharedError {
  kSharedDrag,
  kSharedLift,
  kSharedDwell,
  kSharedTiltAcross,
  kSharedTiltAlong,
  kNumSharedErrors
};

/// By how much numbers are off where each SharedError is off by its sigma, one column each.
/// @param by_unknowns derivatives of the numbers; covariance: of the unknowns
/// @param unknowns of each SharedError, whose unit is its sigma; negative: there is none
Eigen::MatrixXd SharedErrorsOf(const Eigen::MatrixXd& by_unknowns,
                               const Eigen::MatrixXd& covariance,
                               const std::array<int, kNumSharedErrors>& unknowns);

/// What one contact says, but for `px_per_radius`; speeds in lengths of the contact per second.
/// @param normal of the surface, unit, away from it
BounceEstimate EstimateOf(const BallContact& contact, const Eigen::Vector3d& normal);

/// Axes of a bounce, as rows: t along the surface as the ball comes in (any where it comes straight
/// down), n x t, and n, the normal.
Eigen::Matrix3d BounceAxes(const BallContact& contact, const Eigen::Vector3d& normal);

/// The numbers of a bounce in the order of BounceNumber.
Eigen::Matrix<double, kNumBounceNumbers, 1> NumbersOfBounce(const BounceEstimate& bounce);

/// Factor by which successive residuals that are alike make averages worse than white noise:
/// 1 + 2 sum rho_k over the lags at which the autocorrelation stays above two standard errors.
/// @param residuals in units of their sigmas, one column per sighting, in the order of time
double SharedInflation(const Eigen::MatrixXd& residuals);

}  // namespace percuss::tracking
