// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/body/shape_lengths.h"

#include <algorithm>

namespace percuss::solver {
namespace {

struct Grow {
  int length;
  double change;

  void operator()(Sphere& sphere) const { sphere.radius += 0.5 * change; }
  void operator()(Box& box) const { box.size[length] += change; }
  void operator()(Cylinder& cylinder) const {
    if (length == 0) cylinder.radius += 0.5 * change;
    if (length == 1) cylinder.length += change;
  }
  void operator()(Capsule& capsule) const {
    if (length == 0) capsule.radius += 0.5 * change;
    if (length == 1) capsule.length += change;
  }
  void operator()(Ellipsoid& ellipsoid) const { ellipsoid.semi_axes[length] += 0.5 * change; }
  void operator()(Ellipse& ellipse) const { ellipse.semi_axes[length] += 0.5 * change; }
  void operator()(ConvexMesh& mesh) const {
    double radius = 0.0;
    for (const Eigen::Vector3d& vertex : mesh.vertices) radius = std::max(radius, vertex.norm());
    for (Eigen::Vector3d& vertex : mesh.vertices) vertex *= 1.0 + 0.5 * change / radius;
  }
};

}  // namespace

int NumLengths(const Shape& shape) {
  if (std::holds_alternative<Box>(shape) || std::holds_alternative<Ellipsoid>(shape)) return 3;
  if (std::holds_alternative<Sphere>(shape) || std::holds_alternative<ConvexMesh>(shape)) return 1;
  return 2;
}

Shape Grown(Shape shape, int length, double change) {
  std::visit(Grow{length, change}, shape);
  return shape;
}

double Growth(const Shape& shape, const Eigen::Vector3d& normal_B, int length) {
  const double step = 1e-5 * BoundingRadius(shape);
  const Eigen::Vector3d shift = SupportPoint(Grown(shape, length, step), normal_B) -
                                SupportPoint(Grown(shape, length, -step), normal_B);
  return normal_B.dot(shift) / (2.0 * step);
}

double SurfaceDistance(const Shape& shape, const Eigen::Vector3d& p_B) {
  const Eigen::Vector3d n = OutwardNormal(shape, p_B);
  return n.dot(p_B - SupportPoint(shape, n));
}

}  // namespace percuss::solver
