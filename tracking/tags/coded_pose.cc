// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/tags/coded_pose.h"

#include <algorithm>
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>

namespace percuss::tracking {
namespace {

/// Corners of a tag as one view sees them, in their order.
struct TagInView {
  int side = 0;
  std::array<MarkerObservation, 4> corners;
};

/// The spots of a tag follow each other.
std::vector<TagInView> TagsIn(const MarkerLayout& layout,
                              const std::array<std::vector<Blob>, 2>& blobs, int num_views) {
  // What neighbouring pixels share; none counts for much more than the others.
  constexpr double kFloor = 0.05;  // [px]
  std::vector<TagInView> tags;
  for (int side = 0; side < num_views; ++side) {
    const std::vector<Blob>& here = blobs[side];
    for (std::size_t j = 0; j + 3 < here.size(); ++j) {
      if (!layout.IsCorner(here[j].marker) || (here[j].marker - layout.first_corner) % 4 != 0)
        continue;
      TagInView tag{side, {}};
      for (int k = 0; k < 4; ++k) {
        const Blob& blob = here[j + static_cast<std::size_t>(k)];
        tag.corners[k] = {blob.marker, side, blob.centre,
                          blob.covariance + kFloor * kFloor * Eigen::Matrix2d::Identity()};
      }
      const bool whole = std::ranges::all_of(tag.corners, [&](const MarkerObservation& corner) {
        return corner.marker - here[j].marker == &corner - tag.corners.data();
      });
      if (whole) tags.push_back(tag);
    }
  }
  return tags;
}

std::vector<BodyPose> PosesInSpace(const View& view, const MarkerLayout& layout,
                                   const TagInView& tag) {
  std::vector<cv::Point3d> places;
  std::vector<cv::Point2d> rays;
  for (const MarkerObservation& corner : tag.corners) {
    const Eigen::Vector3d& p = layout.p_BM[corner.marker];
    const Eigen::Vector2d ray = calibration::Unproject(view.camera, corner.pixel);
    if (!ray.allFinite()) return {};
    places.emplace_back(p.x(), p.y(), p.z());
    rays.emplace_back(ray.x(), ray.y());
  }
  std::vector<cv::Mat> turns, shifts;
  cv::solvePnPGeneric(places, rays, cv::Mat::eye(3, 3, CV_64F), cv::noArray(), turns, shifts, false,
                      cv::SOLVEPNP_IPPE);
  std::vector<BodyPose> poses;
  for (std::size_t k = 0; k < turns.size(); ++k) {
    cv::Mat R;
    cv::Rodrigues(turns[k], R);
    calibration::Pose X_CB;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) X_CB.R(i, j) = R.at<double>(i, j);
      X_CB.t[i] = shifts[k].at<double>(i);
    }
    const calibration::Pose X_WB = view.camera_from_world.Inverse() * X_CB;
    if (!X_WB.R.allFinite() || !X_WB.t.allFinite()) continue;
    poses.push_back({X_WB.t, Eigen::Quaterniond(X_WB.R).normalized()});
  }
  return poses;
}

std::vector<BodyPose> PosesInPlane(const View& view, const MarkerLayout& layout,
                                   const TagInView& tag) {
  std::vector<Eigen::Vector3d> p_B, p_W;
  for (const MarkerObservation& corner : tag.corners) {
    const Eigen::Vector3d& place = layout.p_BM[corner.marker];
    const auto point = PointInPlane(view, corner.pixel, corner.covariance, place.y());
    if (!point) return {};
    p_B.push_back(place);
    p_W.push_back(point->p_W);
  }
  return {AlignPointsInPlane(p_B, p_W)};
}

/// A pose with the spots that agree with it.
struct Candidate {
  BodyPose pose;
  int agreeing = 0;
  double rms_px = 0.0;  ///< of these
};

Candidate Improved(const Views& views, const MarkerLayout& layout,
                   const std::vector<MarkerObservation>& observations, const BodyPose& start) {
  constexpr double kAgree = 6.0, kHuber = 1.0;  // [px]: typed places err, and times differ
  const PoseEstimate estimate = EstimatePose(views, layout, observations, start, kHuber);
  Candidate candidate{estimate.pose};
  if (estimate.error_px.size() != observations.size()) return candidate;
  double squares = 0.0;
  for (const double error : estimate.error_px) {
    if (!(error < kAgree)) continue;
    ++candidate.agreeing;
    squares += error * error;
  }
  candidate.rms_px = std::sqrt(squares / std::max(candidate.agreeing, 1));
  return candidate;
}

}  // namespace

std::optional<BodyPose> PoseFromCodes(const Views& views, const MarkerLayout& layout,
                                      const std::array<std::vector<Blob>, 2>& blobs,
                                      const BodyPose* near) {
  const std::vector<TagInView> tags = TagsIn(layout, blobs, static_cast<int>(views.size()));
  if (tags.empty()) return std::nullopt;
  std::vector<MarkerObservation> observations;
  std::vector<BodyPose> starts;
  for (const TagInView& tag : tags) {
    observations.insert(observations.end(), tag.corners.begin(), tag.corners.end());
    const std::vector<BodyPose> poses = layout.planar ? PosesInPlane(views[tag.side], layout, tag)
                                                      : PosesInSpace(views[tag.side], layout, tag);
    starts.insert(starts.end(), poses.begin(), poses.end());
  }
  Candidate best;
  for (const BodyPose& start : starts) {
    const Candidate candidate = Improved(views, layout, observations, start);
    const bool better = candidate.agreeing > best.agreeing ||
                        (candidate.agreeing == best.agreeing && candidate.rms_px < best.rms_px);
    if (better) best = candidate;
  }
  if (near) {
    constexpr double kAsGood = 2.0, kAlike = 0.1;  // the latter in px
    const Candidate nearby = Improved(views, layout, observations, *near);
    if (nearby.agreeing >= best.agreeing && nearby.rms_px < kAsGood * best.rms_px + kAlike)
      best = nearby;
  }
  if (best.agreeing < 4) return std::nullopt;
  return best.pose;
}

}  // namespace percuss::tracking
