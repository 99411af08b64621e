// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/simulation/plane_candidates.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::vector<Vector3d> BoxVertices(const Vector3d& size, const Matrix3d& R_WB) {
  std::vector<Vector3d> points;
  points.reserve(8);
  for (int k = 0; k < 8; ++k) {
    const Vector3d signs((k & 1) ? 0.5 : -0.5, (k & 2) ? 0.5 : -0.5, (k & 4) ? 0.5 : -0.5);
    points.push_back(R_WB * size.cwiseProduct(signs));
  }
  return points;
}

// The lowest point of each rim and two more, a third of a turn away, on which it can stand.
std::vector<Vector3d> RimPoints(const Cylinder& cylinder, const Matrix3d& R_WB) {
  const Vector3d axis = R_WB.col(2);
  Vector3d down = -Vector3d::UnitZ() + axis.z() * axis;
  if (down.norm() < 1e-9) down = R_WB.col(0);  // it stands upright: any three will do
  down.normalize();
  const Vector3d side = axis.cross(down);
  std::vector<Vector3d> points;
  for (const double cap : {-0.5, 0.5}) {
    for (int k = 0; k < 3; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / 3.0;
      points.push_back(cap * cylinder.length * axis +
                       cylinder.radius * (std::cos(angle) * down + std::sin(angle) * side));
    }
  }
  return points;
}

}  // namespace

std::vector<Vector3d> ContactCandidates(const Shape& shape, const Matrix3d& R_WB) {
  const auto lowest = [&](const auto&) -> std::vector<Vector3d> {
    return {R_WB * SupportPoint(shape, R_WB.transpose() * -Vector3d::UnitZ())};
  };
  return std::visit(
      Overloaded{[&](const Box& box) { return BoxVertices(box.size, R_WB); },
                 [&](const ConvexMesh& mesh) {
                   std::vector<Vector3d> points;
                   for (const Vector3d& vertex : mesh.vertices) points.push_back(R_WB * vertex);
                   return points;
                 },
                 [&](const Capsule& capsule) {
                   const Vector3d half = 0.5 * capsule.length * R_WB.col(2);
                   const Vector3d down = -capsule.radius * Vector3d::UnitZ();
                   return std::vector<Vector3d>{down - half, down + half};
                 },
                 [&](const Cylinder& cylinder) { return RimPoints(cylinder, R_WB); }, lowest},
      shape);
}

}  // namespace percuss::solver
