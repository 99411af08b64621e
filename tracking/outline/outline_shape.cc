// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/outline/outline_shape.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/math/statistics.h"

namespace percuss::tracking {

Eigen::Vector2d StretchOf(double inverse_focal_squared, double line_time,
                          const Eigen::Vector2d& offset, const Eigen::Vector2d& velocity,
                          const Eigen::Vector2d& roll) {
  const double rho2 = std::max(0.0, offset.squaredNorm() * inverse_focal_squared);
  const double ratio = std::sqrt(1.0 + rho2);
  const double angle = 2.0 * std::atan2(offset.y(), offset.x());
  const Eigen::Vector2d perspective =
      (ratio - 1.0) / (ratio + 1.0) * Eigen::Vector2d(std::cos(angle), std::sin(angle));
  // The symmetric, traceless part of tau v d^T; the rest turns and grows the outline.
  const Eigen::Vector2d v = line_time * velocity;
  return perspective + 0.5 * Eigen::Vector2d(v.x() * roll.x() - v.y() * roll.y(),
                                             v.x() * roll.y() + v.y() * roll.x());
}

double GrowthOf(double inverse_focal_squared, double line_time, const Eigen::Vector2d& offset,
                const Eigen::Vector2d& velocity, const Eigen::Vector2d& roll) {
  const double rho2 = std::max(0.0, offset.squaredNorm() * inverse_focal_squared);
  return std::pow(1.0 + rho2, 0.25) *
         std::sqrt(std::max(0.0, 1.0 + line_time * velocity.dot(roll)));
}

OutlineShape FitOutlineShape(std::span<const MeasuredStretch> outlines, const OutlineShape& prior,
                             const Eigen::Vector2d& roll) {
  OutlineShape shape = prior;
  const Eigen::Vector2d unit(prior.inverse_focal_squared.sigma, prior.line_time.sigma);
  Eigen::Vector2d x = Eigen::Vector2d::Zero();  // from the prior, in sigmas
  double scale = 1.0;
  Eigen::Matrix2d normal = Eigen::Matrix2d::Identity();
  const auto stretch = [&](const MeasuredStretch& one, const Eigen::Vector2d& at) {
    return StretchOf(prior.inverse_focal_squared.value + unit.x() * at.x(),
                     prior.line_time.value + unit.y() * at.y(), one.offset, one.velocity, roll);
  };
  for (int round = 0; round < 10; ++round) {
    constexpr double kDelta = 1e-3;
    normal.setIdentity();
    Eigen::Vector2d right = -x;
    std::vector<double> sizes;
    for (const MeasuredStretch& one : outlines) {
      Eigen::Matrix2d by;
      for (int i = 0; i < 2; ++i) {
        const Eigen::Vector2d more = x + kDelta * Eigen::Vector2d::Unit(i);
        by.col(i) = (stretch(one, more) - stretch(one, x)) / kDelta;
      }
      const Eigen::Vector2d residual = (one.stretch - stretch(one, x)) / one.sigma;
      sizes.push_back(residual.norm());
      const double z = residual.norm() / (3.0 * scale);
      const double w = 1.0 / (1.0 + z * z) / (scale * scale);
      normal += w * by.transpose() * by / (one.sigma * one.sigma);
      right += w * by.transpose() * residual / one.sigma;
    }
    x += normal.inverse() * right;
    // The median length of two normal variables is 1.18.
    if (!sizes.empty()) scale = std::max(1.0, Median(sizes) / 1.1774);
  }
  const Eigen::Matrix2d covariance = normal.inverse();
  shape.inverse_focal_squared = {prior.inverse_focal_squared.value + unit.x() * x.x(),
                                 unit.x() * std::sqrt(covariance(0, 0))};
  shape.line_time = {prior.line_time.value + unit.y() * x.y(),
                     unit.y() * std::sqrt(covariance(1, 1))};
  return shape;
}

}  // namespace percuss::tracking
