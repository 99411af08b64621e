// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/body/rigid_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "solver/body/shape_outline.h"

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

const Sphere kSphere{0.4};
const Box kBox{{0.3, 0.5, 0.2}};
const Cylinder kCylinder{0.2, 0.7};
const Capsule kCapsule{0.15, 0.5};
const Ellipsoid kEllipsoid{{0.2, 0.3, 0.5}};
const Ellipse kEllipse{{0.35, 0.25}};

// A tetrahedron without symmetry, moved to its mass centre.
ConvexMesh Tetrahedron() {
  ConvexMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1.0, 0.1, 0}, {0.2, 0.8, 0.1}, {0.1, 0.2, 0.9}};
  Vector3d centre = Vector3d::Zero();
  for (const Vector3d& vertex : mesh.vertices) centre += vertex / 4.0;
  for (Vector3d& vertex : mesh.vertices) vertex -= centre;
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  return mesh;
}

bool Inside(const Shape& shape, const Vector3d& p) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return p.norm() <= s->radius;
  if (const auto* s = std::get_if<Box>(&shape)) {
    return (2.0 * p.cwiseAbs() - s->size).maxCoeff() <= 0.0;
  }
  if (const auto* s = std::get_if<Cylinder>(&shape)) {
    return p.head<2>().norm() <= s->radius && 2.0 * std::abs(p.z()) <= s->length;
  }
  if (const auto* s = std::get_if<Capsule>(&shape)) {
    const double z = std::clamp(p.z(), -0.5 * s->length, 0.5 * s->length);
    return (p - Vector3d(0, 0, z)).norm() <= s->radius;
  }
  if (const auto* s = std::get_if<Ellipsoid>(&shape)) {
    return p.cwiseQuotient(s->semi_axes).norm() <= 1.0;
  }
  const auto& mesh = std::get<ConvexMesh>(shape);
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vector3d& a = mesh.vertices[static_cast<std::size_t>(i)];
    const Vector3d normal = (mesh.vertices[static_cast<std::size_t>(j)] - a)
                                .cross(mesh.vertices[static_cast<std::size_t>(k)] - a);
    if (normal.dot(p - a) > 0.0) return false;
  }
  return true;
}

const std::vector<Shape>& SolidShapes() {
  static const std::vector<Shape> shapes = {kSphere,  kBox,       kCylinder,
                                            kCapsule, kEllipsoid, Tetrahedron()};
  return shapes;
}

// Summation over a grid of cells; their size bounds the error (about 1 % here).
TEST(UniformInertia, MatchesSummationOverCells) {
  for (const Shape& shape : SolidShapes()) {
    SCOPED_TRACE(ShapeName(shape));
    const double reach = BoundingRadius(shape);
    constexpr int kCells = 90;
    Matrix3d sum = Matrix3d::Zero();
    int inside = 0;
    for (int i = 0; i < kCells; ++i) {
      for (int j = 0; j < kCells; ++j) {
        for (int k = 0; k < kCells; ++k) {
          const Vector3d p = reach * (2.0 * (Vector3d(i, j, k) + Vector3d::Constant(0.5)) / kCells -
                                      Vector3d::Ones());
          if (!Inside(shape, p)) continue;
          ++inside;
          sum += p.squaredNorm() * Matrix3d::Identity() - p * p.transpose();
        }
      }
    }
    const double cell = 2.0 * reach / kCells;
    EXPECT_NEAR(Volume(shape) / (inside * cell * cell * cell), 1.0, 0.02);
    const double mass = 1.3;
    const Matrix3d expected = sum * mass / inside;
    EXPECT_LT((UniformInertia(shape, mass) - expected).norm(), 0.02 * expected.norm());
  }
}

// Solids of revolution by slices: I_zz = int pi R^4 / 2 dz, I_xx = int pi (R^4 / 4 + R^2 z^2) dz.
TEST(UniformInertia, MatchesSummationOverSlices) {
  const Ellipsoid spheroid{{0.2, 0.2, 0.5}};
  for (const Shape& shape : {Shape(kSphere), Shape(kCylinder), Shape(kCapsule), Shape(spheroid)}) {
    SCOPED_TRACE(ShapeName(shape));
    const double top = SupportPoint(shape, {0, 0, 1}).z();
    constexpr int kSlices = 20000;
    double volume = 0.0, axial = 0.0, transverse = 0.0;
    for (int k = 0; k < kSlices; ++k) {
      const double z = top * (2.0 * (k + 0.5) / kSlices - 1.0);
      double radius_squared = 0.0;
      if (const auto* s = std::get_if<Sphere>(&shape)) {
        radius_squared = s->radius * s->radius - z * z;
      } else if (const auto* s = std::get_if<Cylinder>(&shape)) {
        radius_squared = s->radius * s->radius;
      } else if (const auto* s = std::get_if<Capsule>(&shape)) {
        const double beyond = std::max(0.0, std::abs(z) - 0.5 * s->length);
        radius_squared = s->radius * s->radius - beyond * beyond;
      } else {
        radius_squared = 0.04 * (1.0 - z * z / 0.25);
      }
      volume += radius_squared;
      axial += 0.5 * radius_squared * radius_squared;
      transverse += 0.25 * radius_squared * radius_squared + radius_squared * z * z;
    }
    const Matrix3d inertia = UniformInertia(shape, 1.3);
    EXPECT_NEAR(inertia(2, 2), 1.3 * axial / volume, 1e-7);
    EXPECT_NEAR(inertia(0, 0), 1.3 * transverse / volume, 1e-7);
    EXPECT_EQ(inertia(0, 0), inertia(1, 1));
  }
}

// Table 4.1 of sun2017, the plastic bar: 43.30, 1451, 1489 kg mm^2.
TEST(UniformInertia, GivesTheBarOfTheThesis) {
  const Matrix3d inertia = UniformInertia(Box{{0.3065, 0.0515, 0.0125}}, 0.185);
  EXPECT_NEAR(inertia(0, 0), 43.30e-6, 0.005e-6);
  EXPECT_NEAR(inertia(1, 1), 1450.7e-6, 0.5e-6);
  EXPECT_NEAR(inertia(2, 2), 1489.2e-6, 0.5e-6);
}

TEST(UniformInertia, OfAnEllipseIsThatOfADisc) {
  const Matrix3d inertia = UniformInertia(kEllipse, 2.0);
  EXPECT_NEAR(inertia(1, 1), 0.5 * (0.35 * 0.35 + 0.25 * 0.25), 1e-15);
  EXPECT_NEAR(inertia(0, 0) + inertia(2, 2), inertia(1, 1), 1e-15);  // lamina
}

// A mesh of a box is a box.
TEST(UniformInertia, OfAMeshedBoxIsThatOfTheBox) {
  ConvexMesh mesh;
  for (int k = 0; k < 8; ++k) {
    mesh.vertices.push_back(0.5 *
                            Vector3d(k & 1 ? 0.3 : -0.3, k & 2 ? 0.5 : -0.5, k & 4 ? 0.2 : -0.2));
  }
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  EXPECT_LT((UniformInertia(mesh, 1.7) - UniformInertia(kBox, 1.7)).norm(), 1e-15);
  EXPECT_LT((SupportPoint(mesh, {1, 0, 0}) - SupportPoint(kBox, {1, 0, 0})).norm(), 1e-15);
  EXPECT_LT((OutwardNormal(mesh, {0.02, -0.25, 0.03}) + Vector3d::UnitY()).norm(), 1e-15);
}

template <class Function>
std::string ErrorOf(const Function& function) {
  try {
    function();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

TEST(UniformInertia, QuotesWhatIsWrong) {
  using testing::HasSubstr;
  EXPECT_THAT(ErrorOf([] { UniformInertia(kBox, 0.0); }), HasSubstr("mass is 0 kg"));
  EXPECT_THAT(ErrorOf([] { UniformInertia(Sphere{-0.1}, 1.0); }),
              HasSubstr("sphere radius is -0.1 m"));
  EXPECT_THAT(ErrorOf([] {
                UniformInertia(Box{{0.1, NAN, 0.1}}, 1.0);
              }),
              HasSubstr("box size is nan"));
  EXPECT_THAT(ErrorOf([] {
                UniformInertia(Capsule{0.1, 0.0}, 1.0);
              }),
              HasSubstr("capsule length is 0"));
  ConvexMesh open = Tetrahedron();
  open.triangles.back() = open.triangles.front();
  EXPECT_THAT(ErrorOf([&] { UniformInertia(open, 1.0); }), HasSubstr("not closed"));
  ConvexMesh moved = Tetrahedron();
  for (Vector3d& vertex : moved.vertices) vertex.x() += 0.1;
  EXPECT_THAT(ErrorOf([&] { UniformInertia(moved, 1.0); }), HasSubstr("off the mass centre"));
}

TEST(UniformInertia, IsNotThatOfAMeshWithItsMassCentreElsewhere) {
  ConvexMesh mesh = Tetrahedron();
  Body body{mesh, 1.0, UniformInertia(mesh, 1.0)};
  EXPECT_TRUE(HasUniformInertia(body));
  for (Vector3d& vertex : mesh.vertices) vertex.x() += 0.01;
  body.shape = mesh;
  EXPECT_FALSE(HasUniformInertia(body));
}

// Definition: no point of the shape is farther along the direction; sampled on a fine cloud of
// surface points reached by bisection from the centre.
TEST(SupportPoint, IsTheFarthestPoint) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const auto direction = [&] {
    return Vector3d{normal(random), normal(random), normal(random)}.normalized();
  };
  for (const Shape& shape : SolidShapes()) {
    SCOPED_TRACE(ShapeName(shape));
    std::vector<Vector3d> surface;
    for (int i = 0; i < 4000; ++i) {
      const Vector3d ray = direction();
      double low = 0.0, high = BoundingRadius(shape) * 1.01;
      for (int k = 0; k < 40; ++k) {
        const double middle = 0.5 * (low + high);
        (Inside(shape, middle * ray) ? low : high) = middle;
      }
      surface.push_back(low * ray);
    }
    for (int i = 0; i < 50; ++i) {
      const Vector3d d = direction();
      const Vector3d support = SupportPoint(shape, 3.0 * d);
      EXPECT_TRUE(Inside(shape, (1.0 - 1e-9) * support));
      EXPECT_LE(support.norm(), BoundingRadius(shape) * (1.0 + 1e-12));
      for (const Vector3d& point : surface) EXPECT_LE(point.dot(d), support.dot(d) + 1e-9);
    }
  }
}

TEST(SupportPoint, TakesTheCentreOfAFaceOrEdge) {
  EXPECT_EQ(SupportPoint(kBox, {0, 0, -1}), Vector3d(0, 0, -0.1));
  EXPECT_EQ(SupportPoint(kBox, {0, 1, -1}), Vector3d(0, 0.25, -0.1));
  EXPECT_EQ(SupportPoint(kCylinder, {0, 0, 2}), Vector3d(0, 0, 0.35));
  EXPECT_EQ(SupportPoint(kCylinder, {-1, 0, 0}), Vector3d(-0.2, 0, 0));
  EXPECT_EQ(SupportPoint(kCapsule, {0, 1, 0}), Vector3d(0, 0.15, 0));
  EXPECT_LT((SupportPoint(kEllipse, {0, 0, -1}) - Vector3d(0, 0, -0.25)).norm(), 1e-15);
}

TEST(SupportPoint, RejectsAZeroDirection) {
  EXPECT_THROW(SupportPoint(kBox, Vector3d::Zero()), std::invalid_argument);
}

TEST(SupportCandidates, AreTheCornersWithinTheTolerance) {
  // Tilted a little about x: two corners of the lowest edge tie, the other two of the bottom face
  // are 0.5 sin(0.02) = 0.01 m higher.
  const Vector3d down(0.0, std::sin(0.02), -std::cos(0.02));
  const std::vector<Vector3d> few = SupportCandidates(kBox, down, 0.001);
  ASSERT_EQ(few.size(), 3u);
  EXPECT_EQ(few.front(), Vector3d(0, 0.25, -0.1));
  EXPECT_EQ(SupportCandidates(kBox, down, 0.02).size(), 5u);
  EXPECT_EQ(SupportCandidates(kBox, {1, 2, -3}, 0.001).size(), 1u);
  EXPECT_EQ(SupportCandidates(kSphere, down, 1.0).size(), 1u);
  EXPECT_GT(SupportCandidates(kCylinder, {0, 0, -1}, 0.001).size(), 4u);
  EXPECT_EQ(SupportCandidates(kCapsule, {1, 0, 0}, 0.001).size(), 3u);
}

// At a support point the outward normal is the direction itself, where the surface is smooth.
TEST(OutwardNormal, AnswersTheSupportPoint) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 100; ++i) {
    const Vector3d d = Vector3d{normal(random), normal(random), normal(random)}.normalized();
    for (const Shape& shape : {Shape(kSphere), Shape(kCapsule), Shape(kEllipsoid)}) {
      EXPECT_LT((OutwardNormal(shape, SupportPoint(shape, d)) - d).norm(), 1e-12);
    }
  }
  EXPECT_EQ(OutwardNormal(kBox, {0.15, 0.1, 0.05}), Vector3d::UnitX());
  EXPECT_EQ(OutwardNormal(kBox, {0.02, -0.2501, 0.05}), -Vector3d::UnitY());
  EXPECT_EQ(OutwardNormal(kCylinder, {0.05, 0.02, -0.35}), -Vector3d::UnitZ());
  EXPECT_LT((OutwardNormal(kCylinder, {0, -0.2, 0.1}) + Vector3d::UnitY()).norm(), 1e-15);
  EXPECT_EQ(OutwardNormal(kEllipse, {0.1, 0.0, 0.05}), -Vector3d::UnitY());
  EXPECT_LT((OutwardNormal(kEllipse, {-0.35, 0.0, 0.0}) + Vector3d::UnitX()).norm(), 1e-12);
}

TEST(OutlinePoints, AreVerticesOrLieOnTheSurface) {
  EXPECT_EQ(OutlinePoints(Box{{2, 4, 6}}).size(), 8u);
  EXPECT_EQ(OutlinePoints(Box{{2, 4, 6}}).back(), Vector3d(1, 2, 3));
  double highest = 0.0;
  for (const Vector3d& point : OutlinePoints(Sphere{0.5})) {
    EXPECT_NEAR(point.norm(), 0.5, 1e-12);
    highest = std::max(highest, point.x());
  }
  EXPECT_GT(highest, 0.495);  // close enough that no one sees the gap
}

}  // namespace
}  // namespace percuss::solver
