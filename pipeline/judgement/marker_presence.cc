// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/judgement/marker_presence.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/nan.h"

namespace percuss::pipeline {
namespace {

using tracking::TrackedFrame;

/// When a camera exposed the body in a frame; nothing where it shows none of its markers.
std::optional<double> TimeOf(const TrackedFrame& frame, int side) {
  double sum = 0.0;
  int count = 0;
  for (const tracking::MarkerObservation& seen : frame.observations) {
    if (seen.side != side) continue;
    sum += seen.time;
    ++count;
  }
  if (count == 0) return {};
  return sum / count;
}

/// Between two frames, as cameras that run free expose there.
tracking::BodyPose PoseAt(std::span<const TrackedFrame> frames, std::size_t k, double time) {
  const TrackedFrame& frame = frames[k];
  const bool later = time > frame.time;
  if (time == frame.time || (later ? k + 1 == frames.size() : k == 0)) return frame.pose.pose;
  const TrackedFrame& other = frames[later ? k + 1 : k - 1];
  if (!other.pose.found) return frame.pose.pose;
  const double share = (time - frame.time) / (other.time - frame.time);
  tracking::BodyPose pose = frame.pose.pose;
  pose.p_WB += share * (other.pose.pose.p_WB - pose.p_WB);
  pose.q_WB = pose.q_WB.slerp(share, other.pose.pose.q_WB);
  return pose;
}

/// What one camera saw, and where the body was then.
struct Picture {
  tracking::BodyPose pose;
  std::span<const tracking::Blob> spots;
};

std::optional<Picture> PictureOf(std::span<const TrackedFrame> frames, std::size_t k, int side,
                                 const tracking::TrialSpots& spots) {
  const TrackedFrame& frame = frames[k];
  const std::vector<tracking::FrameBlobs>& video = spots.views[side].frames;
  const auto number = static_cast<std::size_t>(side == 0 ? frame.left_frame : frame.right_frame);
  const std::optional<double> time = TimeOf(frame, side);
  if (!frame.pose.found || !frame.has_picture[side] || !time || number >= video.size()) return {};
  return Picture{PoseAt(frames, k, *time), video[number].blobs};
}

/// Where a marker is that faces the camera, in its picture.
std::optional<calibration::ProjectedPoint> WhereWellSeen(const tracking::MarkerLayout& layout,
                                                         int marker, const tracking::BodyPose& pose,
                                                         const calibration::View& view) {
  constexpr double kWellSeen = 0.5;  // the cosine of 60 degrees
  if (tracking::MarkerFacing(layout, marker, pose, view) < kWellSeen) return {};
  const auto place = calibration::ProjectPoint(view, pose.q_WB * layout.p_BM[marker] + pose.p_WB);
  if (!place || place->pixel.minCoeff() < 0.0 || place->pixel.x() > view.camera.width - 1 ||
      place->pixel.y() > view.camera.height - 1)
    return {};
  return place;
}

bool HasSpotAt(std::span<const tracking::Blob> spots, const calibration::ProjectedPoint& place,
               double sigma) {
  constexpr double kSpotPx = 0.3;  // that of a disc aslant
  constexpr double kSpread =
      13.8;  // chi-square with 2 degrees of freedom, once in a thousand times
  const Eigen::Matrix2d weight = (sigma * sigma * place.by_point * place.by_point.transpose() +
                                  kSpotPx * kSpotPx * Eigen::Matrix2d::Identity())
                                     .inverse();
  return std::ranges::any_of(spots, [&](const tracking::Blob& spot) {
    const Eigen::Vector2d off = spot.centre - place.pixel;
    return off.dot(weight * off) < kSpread;
  });
}

/// P(X <= there) of pictures of one marker, drawn without putting back from those of all.
double ChanceOfSoFew(int expected, int there, int all_expected, int all_there) {
  const auto log_choices = [](int n, int k) {
    return k < 0 || k > n ? -std::numeric_limits<double>::infinity()
                          : std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0);
  };
  double chance = 0.0;
  for (int k = 0; k <= there; ++k) {
    chance +=
        std::exp(log_choices(all_there, k) + log_choices(all_expected - all_there, expected - k) -
                 log_choices(all_expected, expected));
  }
  return chance;
}

}  // namespace

bool MarkerPresence::IsSeldomThere() const {
  constexpr double kSeldom = 0.2;  // as tracking::MissingMarkerWarnings
  for (std::size_t side = 0; side < 2; ++side) {
    if (expected[side] > 0 && there[side] >= kSeldom * expected[side]) return false;
  }
  return NumExpected() > 0;
}

std::vector<MarkerPresence> MeasurePresence(const capture::MarkedBody& body,
                                            const tracking::Views& views,
                                            std::span<const TrackedFrame> frames,
                                            const tracking::TrialSpots& spots) {
  const tracking::MarkerLayout layout = tracking::LayoutOf(body);
  std::vector<MarkerPresence> markers(body.markers.size());
  std::vector<std::array<Eigen::Vector2d, 2>> last(
      markers.size(), {Eigen::Vector2d::Constant(kNaN), Eigen::Vector2d::Constant(kNaN)});
  for (std::size_t k = 0; k < frames.size(); ++k) {
    for (int side = 0; side < 2; ++side) {
      const std::optional<Picture> picture = PictureOf(frames, k, side, spots);
      for (std::size_t m = 0; picture && m < markers.size(); ++m) {
        const auto place = WhereWellSeen(layout, static_cast<int>(m), picture->pose, views[side]);
        constexpr double kRestPx = 1.0;
        if (!place || (place->pixel - last[m][side]).norm() < kRestPx) continue;
        last[m][side] = place->pixel;
        ++markers[m].expected[side];
        markers[m].there[side] += HasSpotAt(picture->spots, *place, body.sigma.marker);
      }
    }
  }
  return markers;
}

std::optional<std::size_t> MissingFrom(std::span<const std::vector<MarkerPresence>> trials,
                                       std::size_t marker) {
  constexpr double kChance = 1e-3;
  std::optional<std::size_t> first;
  int expected = 0, there = 0, all_expected = 0, all_there = 0;
  for (std::size_t k = trials.size(); k-- > 0;) {
    if (trials[k].empty() || trials[k][marker].NumExpected() == 0) continue;
    if (!trials[k][marker].IsSeldomThere()) break;
    expected += trials[k][marker].NumExpected();
    there += trials[k][marker].NumThere();
    for (const MarkerPresence& other : trials[k]) {
      all_expected += other.NumExpected();
      all_there += other.NumThere();
    }
    if (ChanceOfSoFew(expected, there, all_expected, all_there) <
        kChance / static_cast<double>(trials.size()))
      first = k;
  }
  return first;
}

}  // namespace percuss::pipeline
