// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <variant>
#include <vector>

namespace percuss::solver {

// Shapes. All are solid and homogeneous, in body axes B with the origin at the mass centre; lengths
// in metres.
struct Sphere {
  double radius = 0.0;
};
struct Box {
  Eigen::Vector3d size = Eigen::Vector3d::Zero();  ///< full edge lengths along x, y, z
};
struct Cylinder {  ///< axis along body z
  double radius = 0.0;
  double length = 0.0;
};
struct Capsule {  ///< axis along body z; `length` is that of the cylindrical part, without the caps
  double radius = 0.0;
  double length = 0.0;
};
struct Ellipsoid {
  Eigen::Vector3d semi_axes = Eigen::Vector3d::Zero();
};
struct Ellipse {  ///< planar: an elliptic disc in the body x-z plane, turning about y
  Eigen::Vector2d semi_axes = Eigen::Vector2d::Zero();
};
struct ConvexMesh {  ///< closed, outward-oriented triangles; vertices relative to the mass centre
  std::vector<Eigen::Vector3d> vertices;
  std::vector<std::array<int, 3>> triangles;
};
using Shape = std::variant<Sphere, Box, Cylinder, Capsule, Ellipsoid, Ellipse, ConvexMesh>;

/// A rigid body: shape, mass [kg] and inertia about the mass centre in body axes [kg m^2].
struct Body {
  Shape shape = Sphere{};
  double mass = 0.0;
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  /// How far corners of a face may lie off the surface that the face lands on [m]: what face and
  /// surface are uneven by.
  double flatness = 2e-4;
};

/// Inertia about the mass centre, body axes, of a homogeneous shape of mass `mass` [kg]. An Ellipse
/// is taken as a uniform disc: about y it has m (a^2 + b^2) / 4.
/// @throws std::invalid_argument quoting the field when a length or the mass is not positive and
/// finite, or a mesh
///   is not closed, or its origin not the mass centre of the homogeneous solid.
Eigen::Matrix3d UniformInertia(const Shape& shape, double mass);

/// [m^3]; NaN of an Ellipse, which has none.
/// @throws std::invalid_argument as UniformInertia.
double Volume(const Shape& shape);

/// Whether the inertia is that of a homogeneous body of this shape and mass, to 1e-9. A mesh may
/// have its mass centre elsewhere than such a body; then it is not.
bool HasUniformInertia(const Body& body);

/// The surface point of the shape that is farthest along `direction_B` (need not be of unit
/// length), in body axes [m]. On a tie (a face or an edge square to the direction) the centre of
/// the tied points.
/// @throws std::invalid_argument if the direction is zero or not finite.
Eigen::Vector3d SupportPoint(const Shape& shape, const Eigen::Vector3d& direction_B);

/// Every corner that could be the contact when the direction is uncertain: the support point first,
/// then all vertices (box, mesh) or rim points (cylinder) whose height along `direction_B` is
/// within `tolerance` [m] of it. Smooth shapes give one point.
std::vector<Eigen::Vector3d> SupportCandidates(const Shape& shape,
                                               const Eigen::Vector3d& direction_B,
                                               double tolerance);

/// Radius [m] of the smallest sphere about the mass centre that holds the shape.
double BoundingRadius(const Shape& shape);

/// Outward unit normal of the surface at (or nearest to) a point given in body axes, for telling
/// which side of the body a marker sits on.
Eigen::Vector3d OutwardNormal(const Shape& shape, const Eigen::Vector3d& point_B);

/// "sphere", "box", ... as in the experiment file.
std::string ShapeName(const Shape& shape);

}  // namespace percuss::solver
