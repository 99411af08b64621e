// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/tracks/named_poses.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "base/math/statistics.h"
#include "tracking/labels/sighting_times.h"
#include "tracking/pose/three_points.h"

namespace percuss::tracking {
namespace {

/// A marker's place in space, as one frame shows it.
struct SeenPlace {
  int marker = 0;
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();
};

std::vector<SeenPlace> PlacesOf(const Views& views, const MarkerLayout& layout,
                                std::span<const MarkerObservation> seen) {
  std::vector<SeenPlace> places;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    std::optional<TriangulatedPoint> point;
    if (layout.planar) {
      point = PointInPlane(views[0], seen[i].pixel, seen[i].covariance,
                           layout.p_BM[seen[i].marker].y());
    } else if (i + 1 < seen.size() && seen[i + 1].marker == seen[i].marker) {
      point = Triangulate(views, {seen[i].pixel, seen[i + 1].pixel},
                          {seen[i].covariance, seen[i + 1].covariance});
    }
    if (point) places.push_back({seen[i].marker, point->p_W});
  }
  return places;
}

/// Median distance of places from where a pose has their markers [m].
double MedianDistance(const MarkerLayout& layout, std::span<const SeenPlace> places,
                      const BodyPose& pose) {
  std::vector<double> distances;
  for (const SeenPlace& place : places)
    distances.push_back((pose.q_WB * layout.p_BM[place.marker] + pose.p_WB - place.p_W).norm());
  return Median(distances);
}

/// The pose of few places that all agree with best.
std::optional<BodyPose> StartPose(const MarkerLayout& layout, std::span<const SeenPlace> places) {
  constexpr std::size_t kMost = 12;      // markers that are combined
  constexpr double kLeastHeight = 0.02;  // of three markers, over their longest distance
  std::optional<BodyPose> best;
  double least = 0.0;
  const auto consider = [&](std::initializer_list<std::size_t> few) {
    std::vector<Eigen::Vector3d> p_B, p_W;
    for (const std::size_t i : few) {
      p_B.push_back(layout.p_BM[places[i].marker]);
      p_W.push_back(places[i].p_W);
    }
    if (!layout.planar) {
      const Eigen::Vector3d a = p_B[1] - p_B[0], b = p_B[2] - p_B[0];
      const double longest = std::max({a.norm(), b.norm(), (b - a).norm()});
      if (a.cross(b).norm() < kLeastHeight * longest * longest) return;
    }
    const BodyPose pose = layout.planar ? AlignPointsInPlane(p_B, p_W) : AlignPoints(p_B, p_W);
    const double distance = MedianDistance(layout, places, pose);
    if (best && distance >= least) return;
    best = pose;
    least = distance;
  };
  const std::size_t count = places.size(), step = (count + kMost - 1) / kMost;
  for (std::size_t i = 0; i < count; i += step) {
    for (std::size_t j = i + step; j < count; j += step) {
      if (layout.planar) consider({i, j});
      for (std::size_t k = j + step; !layout.planar && k < count; k += step) consider({i, j, k});
    }
  }
  return best;
}

/// The same by one view: three sightings leave up to four poses; the best is the one from which the
/// median sighting is least far off.
std::optional<BodyPose> StartPoseInOneView(const View& view, const MarkerLayout& layout,
                                           std::span<const MarkerObservation> seen) {
  constexpr std::size_t kMost = 8;  // sightings that are combined
  const calibration::Pose world_from_camera = view.camera_from_world.Inverse();
  std::vector<Eigen::Vector3d> directions;
  for (const MarkerObservation& one : seen)
    directions.push_back(calibration::Unproject(view.camera, one.pixel).homogeneous().normalized());
  const auto median_px = [&](const BodyPose& pose) {
    std::vector<double> distances;
    for (const MarkerObservation& one : seen) {
      const auto expected = ProjectMarker(view, layout, one.marker, pose);
      distances.push_back(expected ? (expected->pixel - one.pixel).norm()
                                   : std::numeric_limits<double>::infinity());
    }
    return Median(distances);
  };
  std::optional<BodyPose> best;
  double least = std::numeric_limits<double>::infinity();
  const std::size_t count = seen.size(), step = (count + kMost - 1) / kMost;
  for (std::size_t i = 0; i < count; i += step) {
    for (std::size_t j = i + step; j < count; j += step) {
      for (std::size_t k = j + step; k < count; k += step) {
        for (const BodyPose& in_camera :
             PosesOfThreePoints({directions[i], directions[j], directions[k]},
                                {layout.p_BM[seen[i].marker], layout.p_BM[seen[j].marker],
                                 layout.p_BM[seen[k].marker]})) {
          const BodyPose pose{world_from_camera * in_camera.p_WB,
                              Eigen::Quaterniond(world_from_camera.R) * in_camera.q_WB};
          const double distance = median_px(pose);
          if (distance >= least) continue;
          best = pose;
          least = distance;
        }
      }
    }
  }
  return best;
}

struct PoseOfFrame {
  PoseEstimate estimate;
  std::vector<std::size_t> kept;  ///< places in the list of sightings
};

/// From a start to the pose of the sightings that agree with it; not found if too few do.
PoseOfFrame RefinePose(const Views& views, const MarkerLayout& layout,
                       std::span<const MarkerObservation> seen, const BodyPose& start,
                       const NamedPoseOptions& options) {
  constexpr std::array<double, 4> kWidths = {8.0, 2.0, 1.0, 1.0};  // of the gate
  const std::size_t fewest = layout.planar ? 3 : 4;
  PoseOfFrame result;
  BodyPose pose = start;
  for (const double width : kWidths) {
    result = {};
    std::vector<MarkerObservation> near;
    double sigma = 0.0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const double own = std::sqrt(0.5 * seen[i].covariance.trace());
      const double gate = width * std::max(options.reject_px, options.reject_sigmas * own);
      const auto expected = ProjectMarker(views[seen[i].side], layout, seen[i].marker, pose);
      if (!expected || (expected->pixel - seen[i].pixel).norm() > gate) continue;
      near.push_back(seen[i]);
      result.kept.push_back(i);
      sigma = std::max(sigma, own);
    }
    if (near.size() < fewest) return {};
    result.estimate = EstimatePose(views, layout, near, pose, 2.0 * sigma);
    if (!result.estimate.found) result.estimate = EstimatePose(views, layout, near, pose, 0.0);
    if (!result.estimate.found) return {};
    pose = result.estimate.pose;
  }
  return result;
}

}  // namespace

void FindNamedPoses(const Views& views, const MarkerLayout& layout, const NamedPoseOptions& options,
                    std::vector<TrackedFrame>* frames) {
  // Sightings lose their labels after all poses are found: neighbours take them through time.
  std::vector<std::vector<MarkerObservation>> kept(frames->size());
  std::optional<BodyPose> before;
  for (std::size_t k = 0; k < frames->size(); ++k) {
    TrackedFrame& frame = (*frames)[k];
    std::vector<MarkerObservation> at_frame;
    std::vector<std::size_t> place;
    for (std::size_t i = 0; i < frame.observations.size(); ++i) {
      MarkerObservation seen = frame.observations[i];
      if (!TakeToFrameTime(*frames, k, &seen)) continue;
      at_frame.push_back(seen);
      place.push_back(i);
    }
    PoseOfFrame found;
    const bool one_view = views.size() == 1 && !layout.planar;
    if (const auto start = one_view ? StartPoseInOneView(views[0], layout, at_frame)
                                    : StartPose(layout, PlacesOf(views, layout, at_frame)))
      found = RefinePose(views, layout, at_frame, *start, options);
    if (!found.estimate.found && before)
      found = RefinePose(views, layout, at_frame, *before, options);
    frame.pose = std::move(found.estimate);
    if (!frame.pose.found) continue;
    before = frame.pose.pose;
    for (const std::size_t i : found.kept) kept[k].push_back(frame.observations[place[i]]);
  }
  for (std::size_t k = 0; k < frames->size(); ++k) (*frames)[k].observations = std::move(kept[k]);
}

}  // namespace percuss::tracking
