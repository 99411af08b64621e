// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/foreign/lens_fit.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/math/geometry.h"

namespace percuss::calibration {

double FitLens(std::span<const Eigen::Vector3d> points, std::span<const Eigen::Vector2d> pixels,
               std::span<const int> free_places, bool free_pose, Camera* camera, Pose* pose) {
  constexpr int kMostSteps = 100;
  const auto num_free = static_cast<Eigen::Index>(free_places.size());
  const Eigen::Index size = num_free + (free_pose ? 6 : 0);
  double largest = 0.0;
  for (int step = 0; step < kMostSteps; ++step) {
    Eigen::MatrixXd information = Eigen::MatrixXd::Zero(size, size);
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(size);
    largest = 0.0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const Eigen::Vector3d turned = pose->R * points[k];
      const Projection projection = ProjectWithDerivatives(*camera, turned + pose->t);
      const Eigen::Vector2d residual = pixels[k] - projection.pixel;
      largest = std::max(largest, residual.norm());
      Eigen::MatrixXd by(2, size);
      for (Eigen::Index i = 0; i < num_free; ++i)
        by.col(i) = projection.by_intrinsics.col(free_places[i]);
      if (free_pose) {
        by.middleCols<3>(num_free) = -projection.by_point * Skew(turned);
        by.rightCols<3>() = projection.by_point;
      }
      information += by.transpose() * by;
      gradient += by.transpose() * residual;
    }
    // Focal lengths and coefficients differ by powers of ten: each is measured by its own
    // curvature.
    const Eigen::VectorXd scale =
        information.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
    const Eigen::MatrixXd scaled = scale.asDiagonal() * information * scale.asDiagonal();
    const Eigen::VectorXd move =
        scale.cwiseProduct(scaled.ldlt().solve(scale.cwiseProduct(gradient)));
    if (!move.allFinite()) break;
    for (Eigen::Index i = 0; i < num_free; ++i) camera->intrinsics[free_places[i]] += move[i];
    if (free_pose) *pose = Moved(*pose, move.tail<6>());
    if (move.cwiseQuotient(scale).norm() < 1e-12) break;
  }
  return largest;
}

}  // namespace percuss::calibration
