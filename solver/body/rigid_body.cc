// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/body/rigid_body.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

// A direction is square to a face or an edge when its cosine is below this.
constexpr double kTie = 1e-9;
constexpr int kRimPoints = 16;

double Sign(double x) { return std::abs(x) <= kTie ? 0.0 : (x > 0.0 ? 1.0 : -1.0); }
double Square(double x) { return x * x; }

void RequirePositive(const char* field, double value, const char* unit) {
  if (value > 0.0 && std::isfinite(value)) return;
  std::ostringstream message;
  message << field << " is " << value << " " << unit << "; it must be positive and finite";
  throw std::invalid_argument(message.str());
}

template <int kSize>
void RequirePositive(const char* field, const Eigen::Matrix<double, kSize, 1>& values,
                     const char* unit) {
  for (const double value : values) RequirePositive(field, value, unit);
}

void RequireShape(const Shape& shape) {
  std::visit(
      Overloaded{
          [](const Sphere& s) { RequirePositive("sphere radius", s.radius, "m"); },
          [](const Box& s) { RequirePositive("box size", s.size, "m"); },
          [](const Cylinder& s) {
            RequirePositive("cylinder radius", s.radius, "m");
            RequirePositive("cylinder length", s.length, "m");
          },
          [](const Capsule& s) {
            RequirePositive("capsule radius", s.radius, "m");
            RequirePositive("capsule length", s.length, "m");
          },
          [](const Ellipsoid& s) { RequirePositive("ellipsoid semi_axes", s.semi_axes, "m"); },
          [](const Ellipse& s) { RequirePositive("ellipse semi_axes", s.semi_axes, "m"); },
          [](const ConvexMesh& s) {
            if (s.vertices.size() < 4 || s.triangles.size() < 4) {
              throw std::invalid_argument("mesh has " + std::to_string(s.vertices.size()) +
                                          " vertices and " + std::to_string(s.triangles.size()) +
                                          " triangles; a closed mesh needs at least 4 of each");
            }
          },
      },
      shape);
}

// Every edge of a closed, consistently oriented surface is walked once in each direction.
void RequireClosed(const ConvexMesh& mesh) {
  const int count = static_cast<int>(mesh.vertices.size());
  std::map<std::pair<int, int>, int> walked;
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      const int from = triangle[k];
      const int to = triangle[(k + 1) % 3];
      if (from < 0 || from >= count) {
        throw std::invalid_argument("mesh triangle refers to vertex " + std::to_string(from) +
                                    "; there are " + std::to_string(count));
      }
      ++walked[{from, to}];
    }
  }
  for (const auto& [edge, times] : walked) {
    const auto back = walked.find({edge.second, edge.first});
    if (times != 1 || back == walked.end()) {
      throw std::invalid_argument("mesh is not closed and outward-oriented at edge " +
                                  std::to_string(edge.first) + "-" + std::to_string(edge.second));
    }
  }
}

// Integrals over the solid of 1, x and x x^T.
struct MeshMoments {
  double volume = 0.0;
  Vector3d first = Vector3d::Zero();
  Matrix3d second = Matrix3d::Zero();
};

// Sums the tetrahedra between the origin and each triangle.
MeshMoments CalcMoments(const ConvexMesh& mesh) {
  RequireClosed(mesh);
  MeshMoments moments;
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vector3d& a = mesh.vertices[i];
    const Vector3d& b = mesh.vertices[j];
    const Vector3d& c = mesh.vertices[k];
    const double tetrahedron = a.dot(b.cross(c)) / 6.0;
    const Vector3d sum = a + b + c;
    moments.volume += tetrahedron;
    moments.first += tetrahedron * sum / 4.0;
    moments.second +=
        tetrahedron / 20.0 *
        (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
  }
  RequirePositive("mesh volume (outward orientation is positive)", moments.volume, "m^3");
  return moments;
}

// How far the origin may be from the mass centre of the homogeneous solid.
double CentreTolerance(const ConvexMesh& mesh) { return 1e-6 * BoundingRadius(mesh); }

Matrix3d MeshInertia(const ConvexMesh& mesh, double mass) {
  const MeshMoments moments = CalcMoments(mesh);
  const double offset = moments.first.norm() / moments.volume;
  const double allowed = CentreTolerance(mesh);
  if (offset > allowed) {
    std::ostringstream message;
    message << "mesh vertices are " << offset << " m off the mass centre; allowed is " << allowed
            << " m";
    throw std::invalid_argument(message.str());
  }
  const double density = mass / moments.volume;
  return density * (moments.second.trace() * Matrix3d::Identity() - moments.second);
}

Matrix3d BoxInertia(const Vector3d& size, double mass) {
  const Vector3d squares = size.cwiseAbs2();
  return (mass / 12.0 * (Vector3d::Constant(squares.sum()) - squares)).asDiagonal();
}

Matrix3d CapsuleInertia(const Capsule& capsule, double mass) {
  const double r = capsule.radius;
  const double l = capsule.length;
  const double caps_per_volume = 4.0 / 3.0 * r / (l + 4.0 / 3.0 * r);
  const double m_caps = mass * caps_per_volume;
  const double m_cylinder = mass - m_caps;
  const double axial = m_cylinder * r * r / 2.0 + m_caps * 0.4 * r * r;
  const double transverse = m_cylinder * (l * l / 12.0 + r * r / 4.0) +
                            m_caps * (0.4 * r * r + l * l / 4.0 + 0.375 * l * r);
  return Vector3d(transverse, transverse, axial).asDiagonal();
}

std::vector<Vector3d> BoxCorners(const Box& box) {
  std::vector<Vector3d> corners;
  for (int k = 0; k < 8; ++k) {
    const Vector3d sign(k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0);
    corners.emplace_back(0.5 * sign.cwiseProduct(box.size));
  }
  return corners;
}

Vector3d UnitDirection(const Vector3d& direction) {
  const double length = direction.norm();
  if (!(length > 0.0) || !std::isfinite(length)) {
    std::ostringstream message;
    message << "direction (" << direction.transpose() << ") must be finite and not zero";
    throw std::invalid_argument(message.str());
  }
  return direction / length;
}

Vector3d MeshSupport(const ConvexMesh& mesh, const Vector3d& d) {
  double highest = -std::numeric_limits<double>::infinity();
  double radius = 0.0;
  for (const Vector3d& vertex : mesh.vertices) {
    highest = std::max(highest, vertex.dot(d));
    radius = std::max(radius, vertex.norm());
  }
  Vector3d sum = Vector3d::Zero();
  int tied = 0;
  for (const Vector3d& vertex : mesh.vertices) {
    if (vertex.dot(d) < highest - kTie * radius) continue;
    sum += vertex;
    ++tied;
  }
  return sum / tied;
}

// The candidates of SupportCandidates beyond the support point, before the height test.
std::vector<Vector3d> Corners(const Shape& shape, const Vector3d& d) {
  if (const auto* box = std::get_if<Box>(&shape)) return BoxCorners(*box);
  if (const auto* mesh = std::get_if<ConvexMesh>(&shape)) return mesh->vertices;
  std::vector<Vector3d> corners;
  if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    const double start = std::atan2(d.y(), d.x());
    for (const double end : {-0.5, 0.5}) {
      for (int k = 0; k < kRimPoints; ++k) {
        const double angle = start + 2.0 * std::numbers::pi * k / kRimPoints;
        corners.emplace_back(cylinder->radius * std::cos(angle), cylinder->radius * std::sin(angle),
                             end * cylinder->length);
      }
    }
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    for (const double end : {-0.5, 0.5}) {
      corners.emplace_back(Vector3d(0.0, 0.0, end * capsule->length) + capsule->radius * d);
    }
  }
  return corners;
}

Vector3d BoxNormal(const Box& box, const Vector3d& p) {
  Eigen::Index axis = 0;
  (p.cwiseAbs() - 0.5 * box.size).maxCoeff(&axis);
  return (p[axis] < 0.0 ? -1.0 : 1.0) * Vector3d::Unit(axis);
}

Vector3d MeshNormal(const ConvexMesh& mesh, const Vector3d& p) {
  Vector3d best = Vector3d::UnitZ();
  double farthest = -std::numeric_limits<double>::infinity();
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vector3d& a = mesh.vertices[i];
    const Vector3d normal = (mesh.vertices[j] - a).cross(mesh.vertices[k] - a).normalized();
    const double height = normal.dot(p - a);
    if (height <= farthest) continue;
    farthest = height;
    best = normal;
  }
  return best;
}

// A point inside the outline sits on a flat side; without a y it is on the side towards -y, which
// is where a viewer who sees x to the right and z upwards stands.
Vector3d EllipseNormal(const Ellipse& ellipse, const Vector3d& p) {
  const Vector2d scaled(p.x() / ellipse.semi_axes.x(), p.z() / ellipse.semi_axes.y());
  if (scaled.norm() < 1.0 - kTie) return {0.0, p.y() > 0.0 ? 1.0 : -1.0, 0.0};
  return Vector3d(scaled.x() / ellipse.semi_axes.x(), 0.0, scaled.y() / ellipse.semi_axes.y())
      .normalized();
}

}  // namespace

Matrix3d UniformInertia(const Shape& shape, double mass) {
  RequirePositive("mass", mass, "kg");
  RequireShape(shape);
  return std::visit(
      Overloaded{
          [&](const Sphere& s) -> Matrix3d {
            return 0.4 * mass * Square(s.radius) * Matrix3d::Identity();
          },
          [&](const Box& s) { return BoxInertia(s.size, mass); },
          [&](const Cylinder& s) -> Matrix3d {
            const double transverse = mass * (3.0 * Square(s.radius) + Square(s.length)) / 12.0;
            return Vector3d(transverse, transverse, 0.5 * mass * Square(s.radius)).asDiagonal();
          },
          [&](const Capsule& s) { return CapsuleInertia(s, mass); },
          [&](const Ellipsoid& s) -> Matrix3d {
            const Vector3d squares = s.semi_axes.cwiseAbs2();
            return (0.2 * mass * (Vector3d::Constant(squares.sum()) - squares)).asDiagonal();
          },
          [&](const Ellipse& s) -> Matrix3d {
            const Vector2d squares = s.semi_axes.cwiseAbs2();
            return (0.25 * mass * Vector3d(squares.y(), squares.sum(), squares.x())).asDiagonal();
          },
          [&](const ConvexMesh& s) { return MeshInertia(s, mass); },
      },
      shape);
}

double Volume(const Shape& shape) {
  constexpr double kPi = std::numbers::pi, kBall = 4.0 / 3.0 * kPi;
  RequireShape(shape);
  return std::visit(
      Overloaded{
          [&](const Sphere& s) { return kBall * s.radius * Square(s.radius); },
          [&](const Box& s) { return s.size.prod(); },
          [&](const Cylinder& s) { return kPi * Square(s.radius) * s.length; },
          [&](const Capsule& s) { return Square(s.radius) * (kPi * s.length + kBall * s.radius); },
          [&](const Ellipsoid& s) { return kBall * s.semi_axes.prod(); },
          [&](const Ellipse&) { return std::numeric_limits<double>::quiet_NaN(); },
          [&](const ConvexMesh& s) { return CalcMoments(s).volume; },
      },
      shape);
}

bool HasUniformInertia(const Body& body) {
  if (const auto* mesh = std::get_if<ConvexMesh>(&body.shape)) {
    const MeshMoments moments = CalcMoments(*mesh);
    if (moments.first.norm() > CentreTolerance(*mesh) * moments.volume) return false;
  }
  const Matrix3d uniform = UniformInertia(body.shape, body.mass);
  return (body.inertia - uniform).norm() <= 1e-9 * uniform.norm();
}

Vector3d SupportPoint(const Shape& shape, const Vector3d& direction_B) {
  const Vector3d d = UnitDirection(direction_B);
  return std::visit(Overloaded{
                        [&](const Sphere& s) -> Vector3d { return s.radius * d; },
                        [&](const Box& s) -> Vector3d {
                          return 0.5 *
                                 s.size.cwiseProduct(d.unaryExpr([](double x) { return Sign(x); }));
                        },
                        [&](const Cylinder& s) -> Vector3d {
                          const double radial = std::hypot(d.x(), d.y());
                          const double scale = radial <= kTie ? 0.0 : s.radius / radial;
                          return {scale * d.x(), scale * d.y(), 0.5 * s.length * Sign(d.z())};
                        },
                        [&](const Capsule& s) -> Vector3d {
                          return s.radius * d + 0.5 * s.length * Sign(d.z()) * Vector3d::UnitZ();
                        },
                        [&](const Ellipsoid& s) -> Vector3d {
                          const Vector3d scaled = s.semi_axes.cwiseProduct(d);
                          return s.semi_axes.cwiseProduct(scaled) / scaled.norm();
                        },
                        [&](const Ellipse& s) -> Vector3d {
                          const Vector2d scaled(s.semi_axes.x() * d.x(), s.semi_axes.y() * d.z());
                          if (std::hypot(d.x(), d.z()) <= kTie) return Vector3d::Zero();
                          const Vector2d point = s.semi_axes.cwiseProduct(scaled) / scaled.norm();
                          return {point.x(), 0.0, point.y()};
                        },
                        [&](const ConvexMesh& s) { return MeshSupport(s, d); },
                    },
                    shape);
}

std::vector<Vector3d> SupportCandidates(const Shape& shape, const Vector3d& direction_B,
                                        double tolerance) {
  const Vector3d d = UnitDirection(direction_B);
  std::vector<Vector3d> candidates = {SupportPoint(shape, d)};
  const Vector3d support = candidates.front();
  const double same = kTie * BoundingRadius(shape);
  for (const Vector3d& corner : Corners(shape, d)) {
    const bool high_enough = corner.dot(d) >= support.dot(d) - tolerance - same;
    if (high_enough && (corner - support).norm() > same) candidates.push_back(corner);
  }
  return candidates;
}

double BoundingRadius(const Shape& shape) {
  return std::visit(Overloaded{
                        [](const Sphere& s) { return s.radius; },
                        [](const Box& s) { return 0.5 * s.size.norm(); },
                        [](const Cylinder& s) { return std::hypot(s.radius, 0.5 * s.length); },
                        [](const Capsule& s) { return s.radius + 0.5 * s.length; },
                        [](const Ellipsoid& s) { return s.semi_axes.maxCoeff(); },
                        [](const Ellipse& s) { return s.semi_axes.maxCoeff(); },
                        [](const ConvexMesh& s) {
                          double radius = 0.0;
                          for (const Vector3d& vertex : s.vertices) {
                            radius = std::max(radius, vertex.norm());
                          }
                          return radius;
                        },
                    },
                    shape);
}

Vector3d OutwardNormal(const Shape& shape, const Vector3d& p) {
  return std::visit(Overloaded{
                        [&](const Sphere&) -> Vector3d { return UnitDirection(p); },
                        [&](const Box& s) { return BoxNormal(s, p); },
                        [&](const Cylinder& s) -> Vector3d {
                          const double radial = std::hypot(p.x(), p.y());
                          const bool on_cap = std::abs(p.z()) - 0.5 * s.length > radial - s.radius;
                          if (on_cap || radial == 0.0) return {0.0, 0.0, p.z() < 0.0 ? -1.0 : 1.0};
                          return {p.x() / radial, p.y() / radial, 0.0};
                        },
                        [&](const Capsule& s) -> Vector3d {
                          const double on_axis = std::clamp(p.z(), -0.5 * s.length, 0.5 * s.length);
                          return UnitDirection(p - on_axis * Vector3d::UnitZ());
                        },
                        [&](const Ellipsoid& s) -> Vector3d {
                          return UnitDirection(p.cwiseQuotient(s.semi_axes.cwiseAbs2()));
                        },
                        [&](const Ellipse& s) { return EllipseNormal(s, p); },
                        [&](const ConvexMesh& s) { return MeshNormal(s, p); },
                    },
                    shape);
}

std::string ShapeName(const Shape& shape) {
  return std::visit(Overloaded{
                        [](const Sphere&) { return "sphere"; },
                        [](const Box&) { return "box"; },
                        [](const Cylinder&) { return "cylinder"; },
                        [](const Capsule&) { return "capsule"; },
                        [](const Ellipsoid&) { return "ellipsoid"; },
                        [](const Ellipse&) { return "ellipse"; },
                        [](const ConvexMesh&) { return "mesh"; },
                    },
                    shape);
}

}  // namespace percuss::solver
