// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: the implicit equations of the shapes, and solver::SupportPoint.

#include "synthesis/camera/ray_casting.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace percuss::synthesis {
namespace {

using Eigen::Vector3d;

solver::ConvexMesh Wedge() {  // a tetrahedron about its mass centre
  solver::ConvexMesh mesh;
  mesh.vertices = {
      {0.04, 0.03, 0.02}, {-0.04, -0.03, 0.02}, {-0.04, 0.03, -0.02}, {0.04, -0.03, -0.02}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  return mesh;
}

const std::vector<solver::Shape>& Shapes() {
  static const std::vector<solver::Shape> shapes = {solver::Sphere{0.03},
                                                    solver::Box{{0.05, 0.03, 0.02}},
                                                    solver::Cylinder{0.02, 0.06},
                                                    solver::Capsule{0.015, 0.05},
                                                    solver::Ellipsoid{{0.04, 0.02, 0.01}},
                                                    Wedge()};
  return shapes;
}

// Of a convex solid the supporting plane at a point of the surface with its outward normal holds
// the whole solid: n . p is the largest of all.
TEST(RayCasting, HitsThePointOfTheSurfaceThatItsNormalSupports) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const solver::Shape& shape : Shapes()) {
    SCOPED_TRACE(solver::ShapeName(shape));
    int hits = 0;
    for (int k = 0; k < 400; ++k) {
      const Vector3d origin =
          0.5 * Vector3d{normal(random), normal(random), normal(random)}.normalized();
      const Vector3d aim = 0.02 * Vector3d{normal(random), normal(random), normal(random)};
      const Vector3d direction = 3.0 * (aim - origin);
      const auto hit = CastRay(shape, origin, direction);
      if (!hit) continue;
      ++hits;
      const Vector3d point = origin + hit->distance * direction;
      EXPECT_NEAR(hit->normal.norm(), 1.0, 1e-12);
      EXPECT_LT(hit->normal.dot(direction), 0.0);  // an entry
      const Vector3d support = solver::SupportPoint(shape, hit->normal);
      EXPECT_NEAR(hit->normal.dot(point), hit->normal.dot(support), 1e-12);
    }
    EXPECT_GT(hits, 100);
  }
}

TEST(RayCasting, MissesWhatIsAsideOrBehind) {
  for (const solver::Shape& shape : Shapes()) {
    SCOPED_TRACE(solver::ShapeName(shape));
    const Vector3d origin(0.5, 0.1, 0.2);
    EXPECT_TRUE(CastRay(shape, origin, -origin));
    EXPECT_FALSE(CastRay(shape, origin, origin));
    EXPECT_FALSE(CastRay(shape, origin, Vector3d(-0.5, 0.1, 0.2)));
    // Past the very edge of the shadow that the shape throws along z.
    const double side = solver::SupportPoint(shape, Vector3d::UnitX()).x();
    EXPECT_FALSE(CastRay(shape, {side + 1e-6, 0.0, 1.0}, -Vector3d::UnitZ()));
  }
}

}  // namespace
}  // namespace percuss::synthesis
