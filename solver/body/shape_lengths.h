// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "solver/body/rigid_body.h"

namespace percuss::solver {

/// How many lengths a ruler must read to describe the shape: 3 of a box or an ellipsoid, 2 of a
/// cylinder, a capsule or an ellipse, 1 of a sphere or of a mesh (its scale).
int NumLengths(const Shape& shape);

/// The shape with one of these lengths (full lengths and diameters) longer by `change` [m]; all of
/// a mesh grows alike, by as much at its farthest vertex.
Shape Grown(Shape shape, int length, double change);

/// How far the shape's farthest point along a unit normal goes outwards when one of its lengths
/// grows.
double Growth(const Shape& shape, const Eigen::Vector3d& normal_B, int length);

/// Signed distance of a point from the surface of the shape, outside positive [m]: exact to first
/// order near it.
double SurfaceDistance(const Shape& shape, const Eigen::Vector3d& p_B);

}  // namespace percuss::solver
