// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/pose/marker_places.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "base/math/geometry.h"

namespace percuss::tracking {

BodyPose FrameMotion::After(double duration) const {
  return {pose.p_WB + duration * (v + 0.5 * duration * acceleration),
          (RotationFromVector(duration * w) * pose.q_WB).normalized()};
}

std::optional<FrameMotion> MotionAt(std::span<const TrackedFrame> frames, std::size_t k) {
  if (k == 0 || k + 1 >= frames.size()) return std::nullopt;
  const TrackedFrame &before = frames[k - 1], &now = frames[k], &after = frames[k + 1];
  if (!before.pose.found || !now.pose.found || !after.pose.found) return std::nullopt;
  const double back = now.time - before.time, on = after.time - now.time;
  const Eigen::Vector3d v_back = (now.pose.pose.p_WB - before.pose.pose.p_WB) / back;
  const Eigen::Vector3d v_on = (after.pose.pose.p_WB - now.pose.pose.p_WB) / on;
  const Eigen::AngleAxisd turn(after.pose.pose.q_WB * before.pose.pose.q_WB.conjugate());
  return FrameMotion{now.pose.pose, (on * v_back + back * v_on) / (back + on),
                     turn.angle() / (back + on) * turn.axis(), 2.0 * (v_on - v_back) / (back + on)};
}

Eigen::Vector3d PlaceSums::Step(double sigma) const {
  const Eigen::Matrix3d held = information + Eigen::Matrix3d::Identity() / (sigma * sigma);
  return held.ldlt().solve(gradient);
}

void AddPlaces(const Views& views, const MarkerLayout& layout, std::span<const TrackedFrame> frames,
               std::vector<PlaceSums>* sums) {
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const auto motion = MotionAt(frames, k);
    if (!motion) continue;
    for (const MarkerObservation& seen : frames[k].observations) {
      const auto m = static_cast<std::size_t>(seen.marker);
      const double duration = std::isfinite(seen.time) ? seen.time - frames[k].time : 0.0;
      const BodyPose pose = motion->After(duration);
      const View& view = views[seen.side];
      const Eigen::Vector3d p_W = pose.q_WB * layout.p_BM[m] + pose.p_WB;
      const auto expected = ProjectMarker(view, layout, seen.marker, pose);
      if (!expected) continue;
      PlaceSums& sum = (*sums)[m];
      const Eigen::Matrix<double, 2, 3> J = expected->by_point * pose.q_WB.toRotationMatrix();
      const Eigen::Matrix2d weight = seen.covariance.inverse();
      sum.information += J.transpose() * weight * J;
      sum.gradient += J.transpose() * weight * (seen.pixel - expected->pixel);
      sum.towards += pose.q_WB.conjugate() * (view.Centre() - p_W).normalized();
      ++sum.sightings;
    }
  }
}

}  // namespace percuss::tracking
