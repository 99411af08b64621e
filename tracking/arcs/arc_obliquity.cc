// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/arcs/arc_obliquity.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace percuss::tracking {
namespace {

struct ErrorSums {
  int sightings = 0;
  double weights = 0.0, squares_px = 0.0, squares = 0.0;

  void Add(double weight, const Eigen::Vector2d& whitened, const Eigen::Matrix2d& whitening) {
    ++sightings;
    weights += 2.0 * weight * weight;
    squares += weight * weight * whitened.squaredNorm();
    squares_px += weight * weight * (whitening.inverse() * whitened).squaredNorm();
  }
  SightingErrors Errors() const {
    if (sightings == 0) return {};
    return {sightings, std::sqrt(squares_px / weights), std::sqrt(squares / weights)};
  }
};

}  // namespace

std::vector<Obliquity> CalcObliquity(const FittedArcs& arcs, std::span<const TrackedFrame> frames,
                                     const MarkerLayout& layout,
                                     const calibration::RigCalibration& calibration,
                                     const Eigen::Matrix3d& inertia_B,
                                     const Eigen::Vector3d& gravity) {
  const SightingModel model(layout, calibration);
  const std::vector<ArcResidual> residuals =
      Residuals(ProblemOf(arcs, model, inertia_B, gravity), arcs.frames, arcs.solution);
  std::vector<std::vector<double>> angles(model.views.size());
  std::vector<std::array<ErrorSums, 2>> sums(model.views.size());
  auto residual = residuals.begin();
  for (const ArcFrame& frame : arcs.frames) {
    for (const Sighting& sighting : frame.sightings) {
      const ArcResidual& left = *residual++;
      if (left.source < 0 || !left.value.allFinite()) continue;
      const double facing = MarkerFacing(layout, left.marker, frames[frame.frame].pose.pose,
                                         model.views[left.source]);
      const double angle = std::acos(std::clamp(facing, -1.0, 1.0)) * 180.0 / std::numbers::pi;
      angles[left.source].push_back(angle);
      sums[left.source][angle > kObliqueDeg].Add(left.weight, left.value, sighting.whitening);
    }
  }
  std::vector<Obliquity> views;
  for (std::size_t view = 0; view < angles.size(); ++view) {
    Obliquity& obliquity = views.emplace_back();
    obliquity.below = sums[view][0].Errors();
    obliquity.above = sums[view][1].Errors();
    std::vector<double>& of_view = angles[view];
    if (of_view.empty()) continue;
    std::ranges::sort(of_view);
    obliquity.median_deg = of_view[of_view.size() / 2];
    obliquity.largest_deg = of_view.back();
  }
  return views;
}

}  // namespace percuss::tracking
