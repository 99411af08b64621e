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

Eigen::Vector3d ToEigen(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }
Eigen::Vector3d ToEigen(const MeasuredVector& v) { return {v[0].value, v[1].value, v[2].value}; }

Eigen::Matrix3d InertiaOf(const TrialPictures& body) {
  Eigen::Matrix3d inertia;
  for (int row = 0; row < 3; ++row) inertia.row(row) = ToEigen(body.inertia[row]);
  return inertia;
}

Flight StateOf(const PlaceFacts& place) {
  Flight state;
  state.p_WB = ToEigen(place.position);
  const auto& q = place.orientation;
  state.q_WB = Eigen::Quaterniond(q[0], q[1], q[2], q[3]);
  return state;
}

std::vector<Eigen::Vector2d> OutlineInPicture(const Flight& state, const TrialPictures& body,
                                              const calibration::View& view) {
  std::vector<Eigen::Vector2d> pixels;
  for (const auto& point : body.outline) {
    const auto seen = calibration::ProjectPoint(view, state.q_WB * ToEigen(point) + state.p_WB);
    if (!seen || !seen->pixel.allFinite()) return {};
    pixels.push_back(seen->pixel);
  }
  return ConvexHull(std::move(pixels));
}

const ComparisonFacts* FindComparison(const LawFacts* law, const std::string& impact) {
  if (law == nullptr) return nullptr;
  const auto found =
      std::ranges::find_if(law->trials, [&](const auto& one) { return one.trial == impact; });
  return found == law->trials.end() ? nullptr : &*found;
}

std::optional<Flight> PredictedAt(const TrialPictures& body, const ImpactPictures& impact,
                                  const ComparisonFacts* comparison, double time) {
  if (comparison == nullptr || !(time > impact.time)) return {};
  Flight state = StateOf(impact.place);
  state.v = ToEigen(comparison->v_predicted);
  state.w = ToEigen(comparison->w_predicted);
  const bool is_known = state.v.allFinite() && state.w.allFinite() && state.p_WB.allFinite();
  if (!is_known) return {};
  return solver::PropagateFlight<double>(state, InertiaOf(body), ToEigen(impact.gravity),
                                         time - impact.time);
}

}  // namespace percuss::report
