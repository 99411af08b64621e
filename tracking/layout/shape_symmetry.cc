// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/layout/shape_symmetry.h"

#include <algorithm>
#include <cmath>

namespace percuss::tracking {
namespace {

/// The 24 rotations that carry the axes onto each other; the identity first.
std::vector<Eigen::Matrix3d> AxisRotations() {
  std::vector<Eigen::Matrix3d> rotations;
  std::array<int, 3> order = {0, 1, 2};
  do {
    for (int signs = 0; signs < 8; ++signs) {
      Eigen::Matrix3d R = Eigen::Matrix3d::Zero();
      for (int row = 0; row < 3; ++row) R(row, order[row]) = (signs >> row) & 1 ? -1.0 : 1.0;
      if (R.determinant() > 0.0) rotations.push_back(R);
    }
  } while (std::ranges::next_permutation(order).found);
  return rotations;
}

/// Lengths along the axes that a rotation must keep.
Eigen::Vector3d Extents(const solver::Shape& shape) {
  Eigen::Vector3d extents;
  for (int axis = 0; axis < 3; ++axis)
    extents[axis] = solver::SupportPoint(shape, Eigen::Vector3d::Unit(axis))[axis];
  return extents;
}

bool IsRound(const solver::Shape& shape) {
  return std::holds_alternative<solver::Cylinder>(shape) ||
         std::holds_alternative<solver::Capsule>(shape);
}

}  // namespace

std::vector<Eigen::Matrix3d> ShapeRotations(const solver::Shape& shape) {
  if (std::holds_alternative<solver::ConvexMesh>(shape)) return {Eigen::Matrix3d::Identity()};
  const Eigen::Vector3d extents = Extents(shape);
  std::vector<Eigen::Matrix3d> rotations = AxisRotations();
  std::erase_if(rotations, [&](const Eigen::Matrix3d& R) {
    const Eigen::Vector3d moved = R.cwiseAbs() * extents;
    if ((moved - extents).norm() > 1e-9 * extents.norm()) return true;
    // A cylinder as long as it is wide has its axis all the same.
    return IsRound(shape) && std::abs(R(2, 2)) != 1.0;
  });
  return rotations;
}

bool InertiaHasSymmetry(const solver::Body& body) {
  constexpr double kTolerance = 0.01;
  const double scale = body.inertia.cwiseAbs().maxCoeff();
  return std::ranges::all_of(ShapeRotations(body.shape), [&](const Eigen::Matrix3d& R) {
    const Eigen::Matrix3d moved = R * body.inertia * R.transpose();
    return (moved - body.inertia).cwiseAbs().maxCoeff() <= kTolerance * scale;
  });
}

Eigen::Matrix3d ConventionalRotation(const solver::Shape& shape,
                                     const std::vector<Eigen::Vector3d>& places) {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& p : places) mean += p / static_cast<double>(places.size());
  const double equal = 1e-3 * solver::BoundingRadius(shape);
  const std::vector<Eigen::Matrix3d> rotations = ShapeRotations(shape);
  Eigen::Matrix3d best = rotations.front();
  for (const Eigen::Matrix3d& R : rotations) {
    const Eigen::Vector3d a = R * mean, b = best * mean;
    for (const int axis : {2, 0, 1}) {
      if (std::abs(a[axis] - b[axis]) < equal) continue;
      if (a[axis] > b[axis]) best = R;
      break;
    }
  }
  return best;
}

}  // namespace percuss::tracking
