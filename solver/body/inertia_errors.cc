// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/body/inertia_errors.h"

#include <Eigen/Cholesky>

namespace percuss::solver {

Eigen::Matrix3d MovedInertia(const Eigen::Matrix3d& inertia, const InertiaError& change) {
  const std::array<Eigen::Matrix3d, 6> directions = InertiaDirections(inertia);
  Eigen::Matrix3d moved = inertia;
  for (int i = 0; i < 6; ++i) moved += change[i] * directions[i];
  return moved;
}

std::array<Eigen::Matrix3d, 6> InertiaDirections(const Eigen::Matrix3d& inertia) {
  constexpr std::array<std::array<int, 2>, 6> kPlaces = {
      {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};
  const Eigen::Matrix3d L = inertia.llt().matrixL();
  std::array<Eigen::Matrix3d, 6> directions;
  for (int i = 0; i < 6; ++i) {
    const auto [row, column] = kPlaces[i];
    Eigen::Matrix3d S = Eigen::Matrix3d::Zero();
    S(row, column) = S(column, row) = 1.0;
    directions[i] = L * S * L.transpose();
  }
  return directions;
}

}  // namespace percuss::solver
