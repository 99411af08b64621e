// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/scene/convex_hull.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <set>
#include <utility>

namespace percuss::report {
namespace {

using Points = std::vector<Eigen::Vector3d>;

/// Six times the volume over a triangle: positive for a point outside.
double Above(const Points& points, const Triangle& face, int point) {
  const Eigen::Vector3d a = points[face[0]];
  return (points[face[1]] - a).cross(points[face[2]] - a).dot(points[point] - a);
}

/// The place where a number is largest.
int LargestOf(const Points& points, const auto& number) {
  int largest = 0;
  for (int k = 1; k < static_cast<int>(points.size()); ++k) {
    if (number(points[k]) > number(points[largest])) largest = k;
  }
  return largest;
}

/// Four points far apart, as a body of four faces; empty if there are none.
std::vector<Triangle> Tetrahedron(const Points& points, double flat) {
  const int a = LargestOf(points, [](const auto& p) { return p.x(); });
  const auto from_a = [&](const Eigen::Vector3d& p) -> Eigen::Vector3d { return p - points[a]; };
  const int b = LargestOf(points, [&](const auto& p) { return from_a(p).norm(); });
  const Eigen::Vector3d ab = from_a(points[b]);
  const int c = LargestOf(points, [&](const auto& p) { return ab.cross(from_a(p)).norm(); });
  const Eigen::Vector3d normal = ab.cross(from_a(points[c]));
  const int d = LargestOf(points, [&](const auto& p) { return std::abs(normal.dot(from_a(p))); });
  const double volume = normal.dot(from_a(points[d]));
  if (!(std::abs(volume) > flat)) return {};
  const auto [p, q] = volume > 0 ? std::pair(c, b) : std::pair(b, c);  // d lies below a, p, q
  return {{a, p, q}, {a, q, d}, {q, p, d}, {p, a, d}};
}

}  // namespace

// Point by point: the faces that see the point give way to those from their rim to the point.
std::vector<Triangle> ConvexHullOf(const Points& points) {
  constexpr double kFlat = 1e-5;
  if (points.size() < 4 ||
      !std::ranges::all_of(points, [](const auto& p) { return p.allFinite(); }))
    return {};
  Eigen::AlignedBox3d box;
  for (const Eigen::Vector3d& point : points) box.extend(point);
  const double extent = box.sizes().maxCoeff();
  std::vector<Triangle> hull = Tetrahedron(points, kFlat * extent * extent * extent);
  if (hull.empty()) return hull;
  for (int k = 0; k < static_cast<int>(points.size()); ++k) {
    std::set<std::pair<int, int>> edges;  // of the faces that see the point
    std::vector<Triangle> others;
    for (const Triangle& face : hull) {
      const Eigen::Vector3d a = points[face[0]];
      const double twice_area = (points[face[1]] - a).cross(points[face[2]] - a).norm();
      if (!(Above(points, face, k) > kFlat * extent * twice_area)) {
        others.push_back(face);
        continue;
      }
      for (int e = 0; e < 3; ++e) edges.emplace(face[e], face[(e + 1) % 3]);
    }
    for (const auto& [from, to] : edges) {
      if (!edges.contains({to, from})) others.push_back({from, to, k});
    }
    hull = std::move(others);
  }
  return hull;
}

}  // namespace percuss::report
