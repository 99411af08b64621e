// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/overlay/body_drawing.h"

#include <algorithm>

namespace percuss::report {
namespace {

double Cross(const Eigen::Vector2d& o, const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
  return (a - o).x() * (b - o).y() - (a - o).y() * (b - o).x();
}

// Monotone chain (A. M. Andrew, 1979): anticlockwise where y points up.
std::vector<Eigen::Vector2d> ConvexHull(std::vector<Eigen::Vector2d> points) {
  std::ranges::sort(points, [](const auto& a, const auto& b) {
    return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y();
  });
  std::vector<Eigen::Vector2d> hull;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t start = hull.size();
    for (const Eigen::Vector2d& point : points) {
      while (hull.size() >= start + 2 && Cross(hull[hull.size() - 2], hull.back(), point) <= 0) {
        hull.pop_back();
      }
      hull.push_back(point);
    }
    hull.pop_back();
    std::ranges::reverse(points);
  }
  return hull;
}

}  // namespace

Flight StateOf(const PlaceFacts& place) {
  Flight state;
  state.p_WB = place.position;
  state.q_WB = place.orientation;
  return state;
}

std::vector<Eigen::Vector2d> OutlineInPicture(const Flight& state, const TrialPictures& body,
                                              const calibration::View& view) {
  std::vector<Eigen::Vector2d> pixels;
  for (const Eigen::Vector3d& point : body.outline) {
    const auto seen = calibration::ProjectPoint(view, state.q_WB * point + state.p_WB);
    if (!seen || !seen->pixel.allFinite()) return {};
    pixels.push_back(seen->pixel);
  }
  return ConvexHull(std::move(pixels));
}

const TrialComparison* FindComparison(const LawFit* law, const std::string& impact) {
  if (law == nullptr) return nullptr;
  const auto found = std::ranges::find(law->trials, impact, &TrialComparison::trial);
  return found == law->trials.end() ? nullptr : &*found;
}

std::optional<Flight> PredictedAt(const TrialPictures& body, const ImpactPictures& impact,
                                  const TrialComparison* comparison, double time) {
  if (comparison == nullptr || !(time > impact.time)) return {};
  Flight state = StateOf(impact.place);
  state.v = comparison->v_predicted;
  state.w = comparison->w_predicted;
  const bool is_known = state.v.allFinite() && state.w.allFinite() && state.p_WB.allFinite();
  if (!is_known) return {};
  return solver::PropagateFlight<double>(state, body.inertia, impact.gravity, time - impact.time);
}

}  // namespace percuss::report
