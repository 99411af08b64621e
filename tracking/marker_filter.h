// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>

namespace percuss::tracking {

/// Kalman filter of one marker in one image: position, velocity and acceleration of both
/// coordinates, driven by white jerk. Both coordinates have the same dynamics and an isotropic
/// measurement, so they share one 3 x 3 covariance.
///
///     x_k+1 = F x_k + noise,  F = [1 dt dt^2/2; 0 1 dt; 0 0 1],
///     Q = q [dt^5/20 dt^4/8 dt^3/6; dt^4/8 dt^3/3 dt^2/2; dt^3/6 dt^2/2 dt]
///
/// (Y. Bar-Shalom, X. R. Li, T. Kirubarajan, Estimation with Applications to Tracking and
/// Navigation, 2001, 6.2.3).
struct MarkerFilter {
  Eigen::Matrix<double, 3, 2> state =
      Eigen::Matrix<double, 3, 2>::Zero();  ///< rows: px, px/s, px/s^2
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();

  Eigen::Vector2d Position() const { return state.row(0).transpose(); }
};

struct MarkerFilterOptions {
  double max_speed_px = 3000.0;  ///< [px/s] one sigma of the velocity of a new marker is half of it
  double acceleration_px = 12000.0;  ///< [px/s^2] one sigma at the start
  double jerk_density_px =
      4.0e10;  ///< q [px^2/s^5]; flight turns gently, so this leaves a hand room
};

/// A filter that has seen one position.
MarkerFilter StartMarkerFilter(const Eigen::Vector2d& pixel, double sigma_px,
                               const MarkerFilterOptions& options);

/// The filter `dt` seconds on.
MarkerFilter Predict(const MarkerFilter& filter, double dt, const MarkerFilterOptions& options);

/// Squared Mahalanobis distance of a measured pixel to the filter's position: chi-square with 2
/// degrees of freedom.
double NormalisedInnovationSquared(const MarkerFilter& filter, const Eigen::Vector2d& pixel,
                                   double sigma_px);

/// The filter after a measurement (Joseph form).
MarkerFilter Update(const MarkerFilter& filter, const Eigen::Vector2d& pixel, double sigma_px);

}  // namespace percuss::tracking
