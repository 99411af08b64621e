// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/marker_filter.h"

namespace percuss::tracking {

MarkerFilter StartMarkerFilter(const Eigen::Vector2d& pixel, double sigma_px,
                               const MarkerFilterOptions& options) {
  MarkerFilter filter;
  filter.state.row(0) = pixel.transpose();
  filter.covariance.diagonal() << sigma_px * sigma_px,
      0.25 * options.max_speed_px * options.max_speed_px,
      options.acceleration_px * options.acceleration_px;
  return filter;
}

MarkerFilter Predict(const MarkerFilter& filter, double dt, const MarkerFilterOptions& options) {
  const double t2 = dt * dt, t3 = t2 * dt, t4 = t3 * dt, t5 = t4 * dt;
  Eigen::Matrix3d F;
  F << 1, dt, t2 / 2, 0, 1, dt, 0, 0, 1;
  Eigen::Matrix3d Q;
  Q << t5 / 20, t4 / 8, t3 / 6, t4 / 8, t3 / 3, t2 / 2, t3 / 6, t2 / 2, dt;
  return {F * filter.state, F * filter.covariance * F.transpose() + options.jerk_density_px * Q};
}

double NormalisedInnovationSquared(const MarkerFilter& filter, const Eigen::Vector2d& pixel,
                                   double sigma_px) {
  return (pixel - filter.Position()).squaredNorm() /
         (filter.covariance(0, 0) + sigma_px * sigma_px);
}

MarkerFilter Update(const MarkerFilter& filter, const Eigen::Vector2d& pixel, double sigma_px) {
  const double variance = sigma_px * sigma_px;
  const Eigen::Vector3d gain = filter.covariance.col(0) / (filter.covariance(0, 0) + variance);
  Eigen::Matrix3d keep = Eigen::Matrix3d::Identity();
  keep.col(0) -= gain;
  MarkerFilter updated;
  updated.state = filter.state + gain * (pixel - filter.Position()).transpose();
  updated.covariance =
      keep * filter.covariance * keep.transpose() + variance * gain * gain.transpose();
  return updated;
}

}  // namespace percuss::tracking
