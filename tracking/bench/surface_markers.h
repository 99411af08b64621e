// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <vector>

#include "capture/experiment/experiment_body.h"
#include "tracking/pose/bench_parameters.h"

namespace percuss::tracking {

/// A marker on the surface of the body.
struct SurfaceMarker {
  int marker = 0;
  Eigen::Vector3d normal_B = Eigen::Vector3d::UnitZ();  ///< of the surface, outwards
};

/// Markers that are on the surface as far as the stated places tell: as far off it as half of all
/// markers are, or within three sigmas of that. None where fewer than two are.
/// @param covariance of the parameters, as stated
std::vector<SurfaceMarker> MarkersOnSurface(const capture::MarkedBody& stated,
                                            const BenchParameters& places,
                                            const Eigen::MatrixXd& covariance);

/// Stickers are equally thick, and surfaces even: the distances of these markers from the surface
/// less their mean, over 0.1 mm. How thick stickers are is left open.
struct SurfaceRows {
  Eigen::VectorXd residuals;
  Eigen::MatrixXd by_bench;  ///< BenchParameters
};
SurfaceRows RowsOfSurface(const capture::MarkedBody& body, const BenchParameters& places,
                          const std::vector<SurfaceMarker>& markers);

}  // namespace percuss::tracking
