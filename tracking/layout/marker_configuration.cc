// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/layout/marker_configuration.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "tracking/labels/marker_filter.h"

namespace percuss::tracking {
namespace {

constexpr int kMinInstants = 6;

/// The samples of some tracks, instant by instant: which track, and where.
struct PointSet {
  std::vector<int> member;
  std::vector<Eigen::Vector3d> p_W;
};

std::vector<PointSet> PointsOf(const UnnamedTrial& trial, const std::vector<int>& tracks) {
  std::vector<PointSet> instants(trial.instants.size());
  for (std::size_t m = 0; m < tracks.size(); ++m) {
    for (const MarkerSample& sample : trial.tracks.tracks[tracks[m]].samples) {
      if (sample.blob[0] < 0 || sample.blob[1] < 0) continue;
      instants[sample.instant].member.push_back(static_cast<int>(m));
      instants[sample.instant].p_W.push_back(sample.p_W);
    }
  }
  return instants;
}

/// Pose of the places at an instant; nothing where fewer than three of them are seen.
std::optional<BodyPose> PoseOf(const PointSet& points, const std::vector<PlacedMarker>& markers) {
  if (points.member.size() < 3) return std::nullopt;
  std::vector<Eigen::Vector3d> p;
  for (const int m : points.member) p.push_back(markers[m].p);
  return AlignPoints(p, points.p_W);
}

/// Directions from a point to the cameras that saw it, added up, in W.
Eigen::Vector3d TowardsCameras(const Views& views, const MarkerSample& sample) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (std::size_t side = 0; side < 2; ++side) {
    if (sample.blob[side] >= 0) sum += (views[side].Centre() - sample.p_W).normalized();
  }
  return sum;
}

/// Root mean squares of the places about their mean along their principal axes: largest last.
Eigen::Vector3d SpreadOf(const std::vector<PlacedMarker>& markers) {
  Eigen::MatrixXd places(3, static_cast<Eigen::Index>(markers.size()));
  for (std::size_t m = 0; m < markers.size(); ++m)
    places.col(static_cast<Eigen::Index>(m)) = markers[m].p;
  places.colwise() -= Eigen::Vector3d(places.rowwise().mean());
  const Eigen::Matrix3d scatter = places * places.transpose() / static_cast<double>(markers.size());
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(scatter, Eigen::EigenvaluesOnly)
      .eigenvalues()
      .cwiseMax(0.0)
      .cwiseSqrt();
}

/// A spot that is one of the labelled markers of its frame already.
bool IsLabelled(const UnnamedTrial& trial, const TrackedFrame& frame, const MarkerSample& sample) {
  for (const MarkerObservation& seen : frame.observations) {
    const int blob = sample.blob[seen.side];
    if (blob >= 0 && trial.instants[sample.instant].blobs[seen.side][blob].centre == seen.pixel)
      return true;
  }
  return false;
}

}  // namespace

Configuration ConfigurationOf(const Views& views, const UnnamedTrial& trial) {
  Configuration found;
  const RigidGroup group = LargestRigidGroup(trial.tracks);
  constexpr std::size_t kMinMarkers = 4;
  if (group.tracks.size() < kMinMarkers) {
    found.reason = fmt::format(
        "{} markers that move as one body were seen together, at least {} "
        "are needed",
        group.tracks.size(), kMinMarkers);
    return found;
  }
  const std::vector<PointSet> instants = PointsOf(trial, group.tracks);
  const auto fullest = std::ranges::max_element(
      instants, {}, [](const PointSet& points) { return points.member.size(); });
  found.markers.resize(group.tracks.size());
  std::vector<bool> placed(group.tracks.size(), false);
  for (std::size_t i = 0; i < fullest->member.size(); ++i) {
    found.markers[fullest->member[i]].p = fullest->p_W[i];
    placed[fullest->member[i]] = true;
  }
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Eigen::Vector3d> sum(found.markers.size(), Eigen::Vector3d::Zero());
    std::vector<int> count(found.markers.size(), 0);
    found.poses.clear();
    for (const PointSet& points : instants) {
      PointSet known;
      for (std::size_t i = 0; i < points.member.size(); ++i) {
        if (!placed[points.member[i]]) continue;
        known.member.push_back(points.member[i]);
        known.p_W.push_back(points.p_W[i]);
      }
      found.poses.push_back(PoseOf(known, found.markers));
      if (!found.poses.back()) continue;
      const BodyPose& pose = *found.poses.back();
      for (std::size_t i = 0; i < points.member.size(); ++i) {
        sum[points.member[i]] += pose.q_WB.conjugate() * (points.p_W[i] - pose.p_WB);
        ++count[points.member[i]];
      }
    }
    double moved = 0.0;
    for (std::size_t m = 0; m < found.markers.size(); ++m) {
      if (count[m] == 0) continue;
      const Eigen::Vector3d mean = sum[m] / count[m];
      moved = std::max(moved, placed[m] ? (mean - found.markers[m].p).norm() : 1.0);
      found.markers[m].p = mean;
      found.markers[m].sightings = count[m];
      placed[m] = true;
    }
    if (moved < 1e-6) break;
  }
  for (std::size_t m = 0; m < group.tracks.size(); ++m) {
    for (const MarkerSample& sample : trial.tracks.tracks[group.tracks[m]].samples) {
      const auto& pose = found.poses[sample.instant];
      if (pose) found.markers[m].towards += pose->q_WB.conjugate() * TowardsCameras(views, sample);
    }
    found.markers[m].towards.normalize();
  }
  // Three markers that are nearly on one line leave the turn about it to the noise.
  const Eigen::Vector3d spread = SpreadOf(found.markers);
  constexpr double kMinWidth = 0.03;
  if (!(spread[1] > kMinWidth * spread[2]))
    found.reason =
        fmt::format("{} markers that move as one body are on one line", found.markers.size());
  return found;
}

std::vector<PlacedMarker> MarkersBeside(const Views& views, const UnnamedTrial& trial,
                                        const TrackedTrial& tracked,
                                        std::span<const Eigen::Vector3d> known, double same_place) {
  std::vector<PlacedMarker> beside;
  for (const MarkerTrack& track : trial.tracks.tracks) {
    std::vector<Eigen::Vector3d> places;
    std::vector<BodyPose> poses;
    PlacedMarker marker;
    for (const MarkerSample& sample : track.samples) {
      const TrackedFrame& frame = tracked.frames[sample.instant];
      if (!frame.pose.found || sample.blob[0] < 0 || sample.blob[1] < 0) continue;
      if (IsLabelled(trial, frame, sample)) continue;
      const BodyPose& pose = frame.pose.pose;
      places.push_back(pose.q_WB.conjugate() * (sample.p_W - pose.p_WB));
      poses.push_back(pose);
      marker.p += places.back();
      marker.towards += pose.q_WB.conjugate() * TowardsCameras(views, sample);
    }
    if (static_cast<int>(places.size()) < kMinInstants) continue;
    marker.p /= static_cast<double>(places.size());
    marker.towards.normalize();
    marker.sightings = static_cast<int>(places.size());
    const auto near_known = [&](const Eigen::Vector3d& p) {
      return (p - marker.p).norm() < same_place;
    };
    if (std::ranges::any_of(known, near_known)) continue;
    double squared = 0.0, turn = 0.0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      squared += (places[i] - marker.p).squaredNorm() / static_cast<double>(places.size());
      turn = std::max(turn, poses[i].q_WB.angularDistance(poses.front().q_WB));
    }
    // What is no marker of the body may stay near it for a while, but not where it turns.
    constexpr double kMaxSpread = 1e-3, kMinTurn = 0.05;
    if (std::sqrt(squared) < kMaxSpread && turn > kMinTurn) beside.push_back(marker);
  }
  std::vector<PlacedMarker> merged;
  Merge(beside, same_place, &merged);
  return merged;
}

void Merge(std::span<const PlacedMarker> more, double same_place,
           std::vector<PlacedMarker>* markers) {
  for (const PlacedMarker& marker : more) {
    const auto same = std::ranges::find_if(*markers, [&](const PlacedMarker& other) {
      return (other.p - marker.p).norm() < same_place;
    });
    if (same == markers->end()) {
      markers->push_back(marker);
      continue;
    }
    const double share =
        static_cast<double>(marker.sightings) / (marker.sightings + same->sightings);
    same->p += share * (marker.p - same->p);
    same->towards = ((1.0 - share) * same->towards + share * marker.towards).normalized();
    same->sightings += marker.sightings;
  }
}

}  // namespace percuss::tracking
