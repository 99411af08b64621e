// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/synchronisation/moving_spots.h"

namespace percuss::tracking {
namespace {

constexpr double kMaxSpeedPx = 60.0;  // per frame

}  // namespace

double MeanInterval(std::span<const FrameBlobs> frames) {
  return (frames.back().time - frames.front().time) / static_cast<double>(frames.size() - 1);
}

std::vector<std::vector<std::optional<SpotMotion>>> MotionOfSpots(
    std::span<const FrameBlobs> frames, double max_bend_px) {
  std::vector<std::vector<std::optional<SpotMotion>>> motions(frames.size());
  for (std::size_t k = 0; k < frames.size(); ++k) {
    motions[k].resize(frames[k].blobs.size());
    if (k == 0 || k + 1 == frames.size()) continue;
    const double before = frames[k].time - frames[k - 1].time,
                 after = frames[k + 1].time - frames[k].time;
    for (std::size_t j = 0; j < motions[k].size(); ++j) {
      const Eigen::Vector2d& here = frames[k].blobs[j].centre;
      const int marker = frames[k].blobs[j].marker;  // where a code tells it
      double least = max_bend_px;
      for (const Blob& a : frames[k - 1].blobs) {
        if (a.marker != marker) continue;
        const Eigen::Vector2d to = (here - a.centre) / before;
        if (to.norm() * before > kMaxSpeedPx) continue;
        for (const Blob& c : frames[k + 1].blobs) {
          if (c.marker != marker) continue;
          const Eigen::Vector2d from = (c.centre - here) / after;
          const double bend = (from - to).norm() * 0.5 * (before + after);
          if (bend >= least) continue;
          least = bend;
          const Eigen::Vector2d acceleration = 2.0 * (from - to) / (before + after);
          motions[k][j] = SpotMotion{to + 0.5 * before * acceleration, acceleration};
        }
      }
    }
  }
  return motions;
}

MovingFrames FindMovingSpots(std::span<const FrameBlobs> frames) {
  const auto motions = MotionOfSpots(frames);
  const double interval = MeanInterval(frames);
  MovingFrames moving(frames.size());
  for (std::size_t k = 0; k < moving.size(); ++k) {
    for (std::size_t j = 0; j < motions[k].size(); ++j) {
      if (!motions[k][j] || motions[k][j]->velocity.norm() * interval < kMinSpeedPx) continue;
      moving[k].push_back({frames[k].time, frames[k].blobs[j].centre, *motions[k][j]});
    }
  }
  return moving;
}

EpipolarDistance::EpipolarDistance(const Views& views)
    : left_(views[0].camera), right_(views[1].camera) {
  const calibration::Pose X_RL = views[1].camera_from_world * views[0].camera_from_world.Inverse();
  Eigen::Matrix3d cross;
  cross << 0, -X_RL.t.z(), X_RL.t.y(), X_RL.t.z(), 0, -X_RL.t.x(), -X_RL.t.y(), X_RL.t.x(), 0;
  essential_ = cross * X_RL.R;
}

Eigen::Vector3d EpipolarDistance::Line(const Eigen::Vector2d& left_pixel) const {
  const Eigen::Vector3d line = essential_ * calibration::Unproject(left_, left_pixel).homogeneous();
  return line / line.head<2>().norm();
}

Eigen::Vector3d EpipolarDistance::Ray(const Eigen::Vector2d& right_pixel) const {
  return calibration::Unproject(right_, right_pixel).homogeneous();
}

}  // namespace percuss::tracking
