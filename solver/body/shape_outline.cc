// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/body/shape_outline.h"

#include <cmath>
#include <numbers>
#include <variant>

namespace percuss::solver {

std::vector<Eigen::Vector3d> OutlinePoints(const Shape& shape) {
  if (const auto* mesh = std::get_if<ConvexMesh>(&shape)) return mesh->vertices;
  if (const auto* box = std::get_if<Box>(&shape)) {
    std::vector<Eigen::Vector3d> corners;
    for (int k = 0; k < 8; ++k) {
      const Eigen::Vector3d sign(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
      corners.push_back(0.5 * box->size.cwiseProduct(sign));
    }
    return corners;
  }
  // Directions on a spiral that spreads them evenly over the sphere.
  constexpr int kPoints = 400;
  const double turn = std::numbers::pi * (3.0 - std::sqrt(5.0));
  std::vector<Eigen::Vector3d> points;
  for (int k = 0; k < kPoints; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / kPoints, r = std::sqrt(1.0 - z * z);
    points.push_back(SupportPoint(shape, {r * std::cos(k * turn), r * std::sin(k * turn), z}));
  }
  return points;
}

}  // namespace percuss::solver
