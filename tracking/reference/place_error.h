// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>

#include "base/nan.h"

namespace percuss::tracking {

/// Where a point was found against where it is stated to be (sun2017, 4.3).
struct PlaceError {
  Eigen::Vector3d stated, found;  ///< [m]; NaN where a coordinate was not found
  Eigen::Vector3d error;          ///< found less stated [m]
  Eigen::Matrix3d covariance;     ///< of `error` [m^2]
  int dof = 0;                    ///< coordinates that were found
  double chi2 = kNaN;             ///< error^T covariance^-1 error, over these
  double p = kNaN;                ///< how often chance gives as much

  Eigen::Vector3d Sigma() const { return covariance.diagonal().cwiseSqrt(); }
  /// (|error_i| + tolerance) / |stated_i|: (4.26) to (4.31) of sun2017, there without and with a
  /// tolerance of 3 mm. Infinite where the stated coordinate is 0: these numbers depend on where
  /// the axes begin.
  Eigen::Vector3d Relative(double tolerance = 0.0) const;
  double Distance() const { return error.norm(); }  ///< from the stated point [m]
};

/// The error of a point that was measured twice, independently.
/// @param found with NaN for a coordinate that was not: it is left out.
PlaceError ComparePlaces(const Eigen::Vector3d& stated, const Eigen::Matrix3d& stated_covariance,
                         const Eigen::Vector3d& found, const Eigen::Matrix3d& found_covariance);

}  // namespace percuss::tracking
