// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/pose/bench_parameters.h"

#include "solver/body/shape_lengths.h"

namespace percuss::tracking {
namespace {

/// Derivative of a point of the surface by one length of the shape.
Eigen::Vector3d ByLength(const solver::Shape& shape, const Eigen::Vector3d& point_B,
                         const Eigen::Vector3d& down_B, int length) {
  if (const auto* box = std::get_if<solver::Box>(&shape)) {
    // Half at a corner, 0 in the middle of an edge or a face.
    return point_B[length] / box->size[length] * Eigen::Vector3d::Unit(length);
  }
  if (std::holds_alternative<solver::ConvexMesh>(shape))
    return 0.5 / solver::BoundingRadius(shape) * point_B;
  const double step = 1e-5 * solver::BoundingRadius(shape);
  return (solver::SupportPoint(solver::Grown(shape, length, step), down_B) -
          solver::SupportPoint(solver::Grown(shape, length, -step), down_B)) /
         (2.0 * step);
}

}  // namespace

ContactOnBody MakeContactOnBody(const BenchParameters& places, const solver::Shape& shape,
                                const Eigen::Vector3d& p_B, const Eigen::Vector3d& surface_shift,
                                const Eigen::Vector3d& down_B) {
  ContactOnBody contact;
  contact.p_B = p_B;
  contact.by_bench.setZero(3, places.Size());
  contact.by_bench.middleCols<3>(places.Surface()).setIdentity();
  for (int i = 0; i < places.num_lengths; ++i)
    contact.by_bench.col(places.Length() + i) = ByLength(shape, p_B - surface_shift, down_B, i);
  return contact;
}

}  // namespace percuss::tracking
