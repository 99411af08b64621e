// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/bench/surface_markers.h"

#include <algorithm>
#include <cmath>

#include "base/math/statistics.h"
#include "solver/body/shape_lengths.h"

namespace percuss::tracking {
namespace {

/// Distances from the surface and their derivatives.
SurfaceRows Distances(const capture::MarkedBody& body, const BenchParameters& places,
                      const std::vector<SurfaceMarker>& markers) {
  const solver::Shape& shape = body.body.shape;
  const auto count = static_cast<Eigen::Index>(markers.size());
  SurfaceRows rows{Eigen::VectorXd(count), Eigen::MatrixXd::Zero(count, places.Size())};
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto& [marker, n] = markers[i];
    rows.residuals[i] =
        n.dot(body.markers[marker].p_BM - body.surface_shift - solver::SupportPoint(shape, n));
    rows.by_bench.row(i).segment<3>(places.Marker(marker)) = n;
    rows.by_bench.row(i).segment<3>(places.Surface()) = -n;
    for (int k = 0; k < places.num_lengths; ++k)
      rows.by_bench(i, places.Length() + k) = -solver::Growth(shape, n, k);
  }
  return rows;
}

}  // namespace

std::vector<SurfaceMarker> MarkersOnSurface(const capture::MarkedBody& stated,
                                            const BenchParameters& places,
                                            const Eigen::MatrixXd& covariance) {
  std::vector<SurfaceMarker> markers;
  for (int k = 0; k < places.num_markers; ++k) {
    markers.push_back({k, capture::MarkerNormal(stated, k)});
  }
  if (markers.empty() || stated.HasBands()) return {};
  const SurfaceRows stated_rows = Distances(stated, places, markers);
  const Eigen::VectorXd& distances = stated_rows.residuals;
  const double middle = Median({distances.begin(), distances.end()});
  std::erase_if(markers, [&](const SurfaceMarker& one) {
    const auto by = stated_rows.by_bench.row(one.marker);
    const double variance = by * covariance * by.transpose();
    return std::abs(distances[one.marker] - middle) > 3.0 * std::sqrt(variance);
  });
  if (markers.size() < 2) markers.clear();
  return markers;
}

SurfaceRows RowsOfSurface(const capture::MarkedBody& body, const BenchParameters& places,
                          const std::vector<SurfaceMarker>& markers) {
  constexpr double kEven = 1e-4;  // [m] of surface and stickers
  SurfaceRows rows = Distances(body, places, markers);
  if (markers.empty()) return rows;
  rows.residuals.array() -= rows.residuals.mean();
  rows.by_bench.rowwise() -= Eigen::RowVectorXd(rows.by_bench.colwise().mean());
  rows.residuals /= kEven;
  rows.by_bench /= kEven;
  return rows;
}

}  // namespace percuss::tracking
