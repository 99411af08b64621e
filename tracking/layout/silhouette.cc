// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/layout/silhouette.h"

#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "base/math/geometry.h"

namespace percuss::tracking {
namespace {

/// A point of the outline and the plane of the outline there.
struct Extreme {
  Eigen::Vector3d p_B, normal_B;
};

/// The point that is farthest along u in the image.
std::optional<Extreme> FarthestAlong(const solver::Shape& shape, const calibration::Pose& X_CB,
                                     const Eigen::Vector2d& u) {
  double a = u.dot(X_CB.t.head<2>()) / X_CB.t.z();
  Extreme extreme;
  constexpr int kMaxSteps = 30;
  for (int step = 0; step < kMaxSteps; ++step) {
    extreme.normal_B = X_CB.R.transpose() * Eigen::Vector3d(u.x(), u.y(), -a);
    extreme.p_B = solver::SupportPoint(shape, extreme.normal_B);
    const Eigen::Vector3d p_C = X_CB * extreme.p_B;
    if (!(p_C.z() > 0.0)) return std::nullopt;
    const double next = u.dot(p_C.head<2>()) / p_C.z();
    if (std::abs(next - a) < 1e-12) break;
    a = next;
  }
  extreme.normal_B.normalize();
  return extreme;
}

/// The same number for points of the same edge.
int EdgeOf(const solver::Shape& shape, const Eigen::Vector3d& middle_B) {
  // Middles of edges of a box lie at multiples of half its reach at most; parts of a smooth one are
  // as long.
  const double cell = 0.2 * solver::BoundingRadius(shape);
  int number = 0;
  for (int axis = 0; axis < 3; ++axis)
    number = 32 * number + static_cast<int>(std::lround(middle_B[axis] / cell)) + 16;
  return number;
}

std::optional<OutlinePoint> MakePoint(const BodyPose& pose, const View& view,
                                      const Eigen::Vector3d& p_B, const Eigen::Vector3d& along_B,
                                      const Eigen::Vector3d& normal_B) {
  OutlinePoint point;
  point.p_B = p_B;
  point.normal_B = normal_B;
  const Eigen::Vector3d arm = pose.q_WB * p_B;
  const auto seen = ProjectPoint(view, arm + pose.p_WB);
  if (!seen) return std::nullopt;
  point.pixel = seen->pixel;
  const Eigen::Vector2d tangent = (seen->by_point * (pose.q_WB * along_B)).normalized();
  const Eigen::Vector2d outwards = seen->by_point * (pose.q_WB * normal_B);
  point.normal = {-tangent.y(), tangent.x()};
  if (point.normal.dot(outwards) < 0.0) point.normal = -point.normal;
  point.by_pose << point.normal.transpose() * seen->by_point,
      -point.normal.transpose() * seen->by_point * Skew(arm);
  return point;
}

}  // namespace

std::vector<OutlinePoint> Outline(const solver::Shape& shape, const BodyPose& pose,
                                  const View& view, double spacing_px) {
  const calibration::Pose X_WB{pose.q_WB.toRotationMatrix(), pose.p_WB};
  const calibration::Pose X_CB = view.camera_from_world * X_WB;
  constexpr int kDirections = 360;
  const double same = 1e-9 * solver::BoundingRadius(shape);
  std::vector<Extreme> corners;
  for (int k = 0; k < kDirections; ++k) {
    // Not along the axes of the image, where edges of a body that stands straight would tie.
    const double angle = 2.0 * std::numbers::pi * (k + 0.3217) / kDirections;
    const auto extreme = FarthestAlong(shape, X_CB, {std::cos(angle), std::sin(angle)});
    if (!extreme) return {};
    if (corners.empty() || (extreme->p_B - corners.back().p_B).norm() > same)
      corners.push_back(*extreme);
  }
  while (corners.size() > 1 && (corners.front().p_B - corners.back().p_B).norm() <= same)
    corners.pop_back();
  if (corners.size() < 3) return {};
  std::vector<OutlinePoint> outline;
  double next = 0.5 * spacing_px;  // along the outline, from the beginning of the segment
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Extreme &a = corners[k], &b = corners[(k + 1) % corners.size()];
    const auto from = ProjectPoint(view, pose.q_WB * a.p_B + pose.p_WB);
    const auto to = ProjectPoint(view, pose.q_WB * b.p_B + pose.p_WB);
    if (!from || !to) return {};
    const double length = (to->pixel - from->pixel).norm();
    const int edge = EdgeOf(shape, 0.5 * (a.p_B + b.p_B));
    for (; next < length; next += spacing_px) {
      const double share = next / length;
      const auto point = MakePoint(pose, view, a.p_B + share * (b.p_B - a.p_B), b.p_B - a.p_B,
                                   ((1.0 - share) * a.normal_B + share * b.normal_B).normalized());
      if (!point) return {};
      outline.push_back(*point);
      outline.back().edge = edge;
    }
    next -= length;
  }
  return outline;
}

}  // namespace percuss::tracking
