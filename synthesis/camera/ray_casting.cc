// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/camera/ray_casting.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace percuss::synthesis {
namespace {

using Eigen::Vector3d;

// The part of a ray inside a convex solid, cut down one bounding surface at a time.
struct InsidePart {
  double enter = -std::numeric_limits<double>::infinity();
  double exit = std::numeric_limits<double>::infinity();
  Vector3d normal = Vector3d::UnitZ();
  int face = 0;

  /// Keeps what is below the plane normal . p = offset.
  void ClipByPlane(const Vector3d& plane_normal, double offset, int plane_face,
                   const Vector3d& origin, const Vector3d& direction) {
    const double height = plane_normal.dot(origin) - offset;
    const double rate = plane_normal.dot(direction);
    if (rate == 0.0) {
      if (height > 0.0) exit = -std::numeric_limits<double>::infinity();
      return;
    }
    const double distance = -height / rate;
    if (rate > 0.0) {
      exit = std::min(exit, distance);
    } else if (distance > enter) {
      enter = distance;
      normal = plane_normal;
      face = plane_face;
    }
  }

  /// Keeps |a + distance b| <= 1 for vectors a, b in scaled axes; `gradient(p)` is the outward
  /// direction at a point of that surface, in body axes.
  template <typename Vector, typename Gradient>
  void ClipByQuadric(const Vector& a, const Vector& b, int quadric_face, const Gradient& gradient) {
    const double bb = b.squaredNorm(), ab = a.dot(b), c = a.squaredNorm() - 1.0;
    if (bb == 0.0) {
      if (c > 0.0) exit = -std::numeric_limits<double>::infinity();
      return;
    }
    const double discriminant = ab * ab - bb * c;
    if (!(discriminant > 0.0)) {
      exit = -std::numeric_limits<double>::infinity();
      return;
    }
    const double root = std::sqrt(discriminant);
    exit = std::min(exit, (-ab + root) / bb);
    const double distance = (-ab - root) / bb;
    if (distance > enter) {
      enter = distance;
      normal = gradient(a + distance * b);
      face = quadric_face;
    }
  }

  std::optional<RayHit> Hit() const {
    if (!(enter < exit && enter > 0.0)) return {};
    return RayHit{enter, normal, face};
  }
};

struct Caster {
  const Vector3d& origin;
  const Vector3d& direction;

  std::optional<RayHit> Ball(const Vector3d& centre, const Vector3d& semi_axes) const {
    const Vector3d scale = semi_axes.cwiseInverse();
    InsidePart part;
    part.ClipByQuadric(
        Vector3d(scale.cwiseProduct(origin - centre)), Vector3d(scale.cwiseProduct(direction)), 0,
        [&](const Vector3d& p) { return Vector3d(scale.cwiseProduct(p).normalized()); });
    return part.Hit();
  }

  std::optional<RayHit> operator()(const solver::Sphere& sphere) const {
    return Ball(Vector3d::Zero(), Vector3d::Constant(sphere.radius));
  }
  std::optional<RayHit> operator()(const solver::Ellipsoid& ellipsoid) const {
    return Ball(Vector3d::Zero(), ellipsoid.semi_axes);
  }
  std::optional<RayHit> operator()(const solver::Box& box) const {
    InsidePart part;
    for (int axis = 0; axis < 3; ++axis) {
      const double half = 0.5 * box.size[axis];
      part.ClipByPlane(Vector3d::Unit(axis), half, 2 * axis, origin, direction);
      part.ClipByPlane(-Vector3d::Unit(axis), half, 2 * axis + 1, origin, direction);
    }
    return part.Hit();
  }
  std::optional<RayHit> operator()(const solver::Cylinder& cylinder) const {
    InsidePart part;
    part.ClipByPlane(Vector3d::UnitZ(), 0.5 * cylinder.length, 1, origin, direction);
    part.ClipByPlane(-Vector3d::UnitZ(), 0.5 * cylinder.length, 2, origin, direction);
    const double scale = 1.0 / cylinder.radius;
    part.ClipByQuadric(
        Eigen::Vector2d(scale * origin.head<2>()), Eigen::Vector2d(scale * direction.head<2>()), 0,
        [](const Eigen::Vector2d& p) { return Vector3d(p.x(), p.y(), 0.0).normalized(); });
    return part.Hit();
  }
  std::optional<RayHit> operator()(const solver::Capsule& capsule) const {
    std::optional<RayHit> nearest = (*this)(solver::Cylinder{capsule.radius, capsule.length});
    for (const double end : {-0.5 * capsule.length, 0.5 * capsule.length}) {
      const auto hit = Ball({0.0, 0.0, end}, Vector3d::Constant(capsule.radius));
      if (hit && (!nearest || hit->distance < nearest->distance)) nearest = hit;
    }
    if (nearest) nearest->face = 0;  // smooth where the parts meet
    return nearest;
  }
  std::optional<RayHit> operator()(const solver::ConvexMesh& mesh) const {
    InsidePart part;
    int face = 0;
    for (const std::array<int, 3>& triangle : mesh.triangles) {
      const Vector3d& a = mesh.vertices[triangle[0]];
      const Vector3d& b = mesh.vertices[triangle[1]];
      const Vector3d& c = mesh.vertices[triangle[2]];
      const Vector3d normal = (b - a).cross(c - a).normalized();
      part.ClipByPlane(normal, normal.dot(a), face++, origin, direction);
    }
    return part.Hit();
  }
  std::optional<RayHit> operator()(const solver::Ellipse&) const {
    throw std::invalid_argument("CastRay: found an ellipse, allowed a solid shape");
  }
};

}  // namespace

std::optional<RayHit> CastRay(const solver::Shape& shape, const Vector3d& origin,
                              const Vector3d& direction) {
  return std::visit(Caster{origin, direction}, shape);
}

}  // namespace percuss::synthesis
