// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/model/touching_points.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "fitting/model/impact_model.h"
#include "fitting/model/momentum_defect.h"
#include "solver/contact/contact.h"

namespace percuss::fitting {
namespace {

using Eigen::Vector3d;
using impacts::ImpactRecord;

// Of points, those that lie outermost in one of these directions along the surface, in turn.
std::vector<Vector3d> Outermost(const std::vector<Vector3d>& points, const Eigen::Matrix3d& frame) {
  constexpr int kDirections = 12;
  std::vector<Vector3d> outermost;
  for (int k = 0; k < kDirections; ++k) {
    // Between the axes, so that an edge along one of them is no tie.
    const double angle = 2.0 * std::numbers::pi * (k + 0.31) / kDirections;
    const Vector3d direction = std::cos(angle) * frame.col(0) + std::sin(angle) * frame.col(1);
    const Vector3d& farthest = *std::ranges::max_element(
        points, {}, [&](const Vector3d& point) { return point.dot(direction); });
    if (std::ranges::find(outermost, farthest) == outermost.end()) outermost.push_back(farthest);
  }
  return outermost;
}

// Corners that the pose allows to touch.
std::vector<Vector3d> LowCorners(const ImpactRecord& record, const ErrorCovariance& errors,
                                 const solver::Body& body) {
  constexpr double kSigmas = 3.5;
  const auto rotation = errors.block<3, 3>(impacts::kRotation, impacts::kRotation);
  const double size = solver::BoundingRadius(body.shape);
  const double reach =
      body.flatness + kSigmas * 2.0 * size * std::sqrt(std::max(0.0, rotation.trace()));
  std::vector<Vector3d> corners = solver::SupportCandidates(
      body.shape, -(record.q_WB.conjugate() * record.normal), std::min(reach, size));
  for (Vector3d& corner : corners) corner = record.q_WB * corner;
  const auto height = [&](const Vector3d& arm) { return arm.dot(record.normal); };
  // The first is the support point; of several that are equally low, the middle, which is no
  // corner.
  const double same = 1e-9 * size;
  const bool is_middle = std::ranges::any_of(
      corners.begin() + 1, corners.end(),
      [&](const Vector3d& corner) { return height(corner) < height(corners[0]) + same; });
  if (is_middle) corners.erase(corners.begin());
  const Vector3d lowest = *std::ranges::min_element(corners, {}, height);
  std::erase_if(corners, [&](const Vector3d& corner) {
    const Vector3d by_turn = (corner - lowest).cross(record.normal);
    const double sigma = std::sqrt(std::max(0.0, by_turn.dot(rotation * by_turn)));
    return height(corner) - height(lowest) > body.flatness + kSigmas * sigma;
  });
  // Where the contact was found beside its corner, all corners are.
  const Vector3d nearest = *std::ranges::min_element(
      corners, {}, [&](const Vector3d& corner) { return (corner - record.r).squaredNorm(); });
  constexpr double kBeside = 0.05;  // of the size
  if ((nearest - record.r).norm() < kBeside * size) {
    for (Vector3d& corner : corners) corner += record.r - nearest;
  }
  return corners;
}

// The balance of the angular momentum, in units of its sigma.
class Balance {
 public:
  Balance(const ImpactRecord& record, const ImpactErrors& errors, const solver::Body& body)
      : record_(record), errors_(errors), body_(body) {
    impulse_ = body.mass * (record.v_post - record.v);
  }

  double AtPoint(const Vector3d& arm) const {
    const auto [defect, whitening] = At(arm);
    return (whitening * defect).squaredNorm();
  }

  // With the centre of pressure between the points and any moment about the normal.
  double OnLine(const Vector3d& a, const Vector3d& b) const {
    const auto [defect, whitening] = At(0.5 * (a + b));
    const Vector3d target = whitening * defect;
    const Vector3d shift = whitening * (b - a).cross(impulse_);
    const Vector3d moment = (whitening * record_.normal).normalized();
    const auto free = [&](const Vector3d& v) -> Vector3d { return v - moment * moment.dot(v); };
    const double place = free(shift).squaredNorm() > 0.0
                             ? free(target).dot(free(shift)) / free(shift).squaredNorm()
                             : 0.0;
    return (free(target) - std::clamp(place, -0.5, 0.5) * free(shift)).squaredNorm();
  }

  // Whether the centre of pressure is inside a face; corners in turn.
  bool IsInside(const std::vector<Vector3d>& corners) const {
    const auto [defect, whitening] = At(corners.front());
    // Of the defect a shift c along the surface takes c x P, whose part along the surface is
    // P_n (c x n).
    const double normal_impulse = impulse_.dot(record_.normal);
    const Vector3d centre = record_.normal.cross(defect) / normal_impulse;  // from the first corner
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const Vector3d& from = corners[k];
      const Vector3d side = corners[(k + 1) % corners.size()] - from;
      if (side.cross(corners.front() + centre - from).dot(record_.normal) < 0.0) return false;
    }
    return true;
  }

 private:
  std::pair<Vector3d, Eigen::Matrix3d> At(const Vector3d& arm) const {
    ImpactRecord moved = record_;
    moved.r = arm;
    const MomentumDefect defect = CalcMomentumDefect(moved, errors_, body_);
    // What is exact in a planar table has the error of rounding.
    const double rounding = 1e-9 * (impulse_.norm() * solver::BoundingRadius(body_.shape));
    const Eigen::Matrix3d covariance =
        defect.covariance + rounding * rounding * Eigen::Matrix3d::Identity();
    const Eigen::LLT<Eigen::Matrix3d> root(covariance);
    return {defect.value, root.matrixL().solve(Eigen::Matrix3d::Identity())};
  }

  const ImpactRecord& record_;
  const ImpactErrors& errors_;
  const solver::Body& body_;
  Vector3d impulse_;
};

}  // namespace

std::vector<Vector3d> TouchingPoints(const ImpactRecord& record, const ImpactErrors& errors,
                                     const solver::Body& body) {
  const Eigen::Matrix3d frame = solver::ContactFrame(record.normal);
  const std::vector<Vector3d> corners = Outermost(LowCorners(record, errors.Total(), body), frame);
  if (corners.size() < 2) return {};
  constexpr double kPointChance = 16.27, kLineChance = 10.83;  // 0.1 % of 3 and 1 degrees
  // A balance that no number of points mends says that the errors are larger than stated.
  constexpr double kClearlyBetter = 0.25;
  const Balance balance(record, errors, body);
  double of_point = balance.AtPoint(record.r);
  for (const Vector3d& corner : corners) of_point = std::min(of_point, balance.AtPoint(corner));
  if (of_point < kPointChance) return {};
  double of_line = std::numeric_limits<double>::infinity();
  std::vector<Vector3d> line;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Vector3d &a = corners[k], &b = corners[(k + 1) % corners.size()];
    const double chi_square = balance.OnLine(a, b);
    if (chi_square >= of_line) continue;
    of_line = chi_square;
    line = {a, b};
  }
  const bool is_line = of_line < kClearlyBetter * of_point;
  if (is_line && of_line < kLineChance) return line;
  if (corners.size() > 2 && balance.IsInside(corners)) return corners;
  return is_line ? line : std::vector<Vector3d>{};
}

}  // namespace percuss::fitting
