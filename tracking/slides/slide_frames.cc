// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/slides/slide_frames.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math/geometry.h"

namespace percuss::tracking {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

/// The axes: u along the way. Of a plate that turns e is its axis, so that gravity pulls along u in
/// the end.
PlateAxes AxesOf(std::span<const TrackedFrame> frames, const std::vector<int>& places,
                 const std::vector<Vector3d>& turns, bool tilting, const SlideSetting& setting) {
  PlateAxes axes;
  axes.n = setting.normal.normalized();
  if (tilting) {
    // The mean turn, each with its size as weight: small ones have no direction.
    const Vector3d largest = *std::ranges::max_element(
        turns, {}, [](const Vector3d& turn) { return turn.squaredNorm(); });
    Vector3d sum = Vector3d::Zero();
    for (const Vector3d& turn : turns) sum += turn.dot(largest) * turn;
    axes.e = InPlate(sum, axes.n).normalized();
    axes.u = axes.e.cross(axes.n);
    const Vector3d gravity = RotationFromVector(-largest) * setting.gravity;
    if (axes.u.dot(gravity) < 0.0) axes.u = -axes.u, axes.e = -axes.e;
    return axes;
  }
  const std::size_t ends = std::min<std::size_t>(3, places.size() / 2);
  Vector3d moved = Vector3d::Zero();
  for (std::size_t i = 0; i < ends; ++i) {
    moved +=
        frames[places[places.size() - 1 - i]].pose.pose.p_WB - frames[places[i]].pose.pose.p_WB;
  }
  axes.u = InPlate(moved, axes.n).normalized();
  axes.e = axes.n.cross(axes.u);
  return axes;
}

/// How far the plate had turned before it turned, from turns whose zero is the attitude of the
/// first frame with its error: the level b of b + r h + q h^2, h = max(0, t - t1), with the t1 that
/// fits the first 3 degrees best.
double TurnAtFirst(std::span<const TrackedFrame> frames, const std::vector<int>& places,
                   const std::vector<double>& turns, const Vector3d& axis, double* error) {
  const double limit = 3.0 * kSlideDegree;
  std::size_t count = 0;
  while (count < turns.size() && (count < 8 || std::abs(turns[count]) < limit)) ++count;
  const auto rows = static_cast<Eigen::Index>(count);
  Eigen::MatrixXd design(rows, 3);
  VectorXd seen(rows);
  double best = std::numeric_limits<double>::infinity(), level = 0.0;
  for (std::size_t first = 0; first + 5 < count; ++first) {
    for (std::size_t i = 0; i < count; ++i) {
      const TrackedFrame& frame = frames[places[i]];
      const double weight =
          1.0 / std::sqrt(axis.dot(frame.pose.covariance.bottomRightCorner<3, 3>() * axis) + 1e-14);
      const double after = std::max(0.0, frame.time - frames[places[first]].time);
      design.row(static_cast<Eigen::Index>(i)) << weight, weight * after, weight * after * after;
      seen[static_cast<Eigen::Index>(i)] = weight * turns[i];
    }
    const Eigen::Matrix3d normal = design.transpose() * design;
    const Vector3d right = design.transpose() * seen;
    const Vector3d x = normal.ldlt().solve(right);
    const double chi2 = (seen - design * x).squaredNorm();
    if (!(chi2 < best)) continue;
    best = chi2;
    level = x[0];
    const double scale = std::max(1.0, chi2 / std::max(1.0, static_cast<double>(rows) - 4.0));
    *error = std::sqrt(scale * normal.inverse()(0, 0));
  }
  return level;
}

}  // namespace

Shown Show(std::span<const TrackedFrame> frames, const SlidingRun& run,
           const std::vector<int>& places, const SlideSetting& setting) {
  Shown shown;
  const bool tilting = run.tilting;
  const std::vector<Vector3d> all_turns = TurnsOf(frames, run.frames);
  std::vector<Vector3d> turns;
  for (std::size_t i = 0; i < run.frames.size() && turns.size() < places.size(); ++i) {
    if (run.frames[i] == places[turns.size()]) turns.push_back(all_turns[i]);
  }
  shown.axes = AxesOf(frames, places, turns, tilting, setting);
  const auto& [u, n, e] = shown.axes;
  double turn_at_first = 0.0;
  if (tilting) {
    std::vector<double> all;
    for (const Vector3d& turn : all_turns) all.push_back(e.dot(turn));
    turn_at_first = TurnAtFirst(frames, run.frames, all, e, &shown.turn_error);
  }
  const int per_frame = tilting ? 3 : 1;
  shown.values.resize(per_frame * static_cast<Eigen::Index>(places.size()));
  for (std::size_t i = 0; i < places.size(); ++i) {
    const PoseEstimate& pose = frames[places[i]].pose;
    Eigen::Matrix<double, 3, 6> by_pose = Eigen::Matrix<double, 3, 6>::Zero();
    by_pose.block<1, 3>(0, 0) = u.transpose();
    by_pose.block<1, 3>(1, 0) = n.transpose();
    by_pose.block<1, 3>(2, 3) = e.transpose();
    Eigen::Matrix3d covariance = by_pose * pose.covariance * by_pose.transpose();
    // Poses of other systems may come without any, and those of a plane are known exactly in parts.
    covariance.diagonal() += Vector3d(1e-14, 1e-14, 1e-14);
    // Lower triangles: that of the first number alone is the first of three.
    shown.whitening.push_back(covariance.llt().matrixL().solve(Eigen::Matrix3d::Identity()));
    const Vector3d& p = pose.pose.p_WB;
    const Vector3d all(u.dot(p), n.dot(p), e.dot(turns[i]) - turn_at_first + setting.turn_error);
    shown.values.segment(per_frame * static_cast<Eigen::Index>(i), per_frame) = all.head(per_frame);
    shown.times.push_back(frames[places[i]].time);
    shown.sideways.push_back(e.dot(p));
    shown.sideways_sigma.push_back(
        std::sqrt(e.dot(pose.covariance.topLeftCorner<3, 3>() * e) + 1e-14));
  }
  return shown;
}

VectorXd SlideResiduals(const SlideModel& model, const VectorXd& x, const Shown& shown) {
  VectorXd residuals = shown.values - Predict(model, x, shown.times);
  const int per_frame = model.PerFrame();
  for (std::size_t i = 0; i < shown.times.size(); ++i) {
    const Eigen::Matrix3d& whitening = shown.whitening[i];
    if (per_frame == 1) {
      residuals[static_cast<Eigen::Index>(i)] *= whitening(0, 0);
    } else {
      auto part = residuals.segment<3>(3 * static_cast<Eigen::Index>(i));
      part = (whitening * part).eval();
    }
  }
  return residuals;
}

}  // namespace percuss::tracking
