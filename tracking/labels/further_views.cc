// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/labels/further_views.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/math/geometry.h"
#include "base/math/statistics.h"
#include "capture/video/synchronisation.h"
#include "tracking/labels/layout_search.h"

namespace percuss::tracking {
namespace {

using State = solver::FlightState<double>;

/// Where the body was, from the poses of single frames.
class BodyPath {
 public:
  BodyPath(const TrackedBody& body, std::span<const TrackedFrame> frames) : body_(body) {
    for (const TrackedFrame& frame : frames) {
      if (frame.pose.found) poses_.push_back({frame.time, frame.pose.pose});
    }
    std::vector<double> steps;
    for (std::size_t k = 1; k < poses_.size(); ++k)
      steps.push_back(poses_[k].time - poses_[k - 1].time);
    interval_ = Median(std::move(steps));
  }

  double Interval() const { return interval_; }
  bool Empty() const { return poses_.size() < 3; }
  std::size_t NumLegs() const { return poses_.size() - 1; }
  double LegStart(std::size_t leg) const { return poses_[leg].time; }
  double LegEnd(std::size_t leg) const { return poses_[leg + 1].time; }
  /// No frames are missing in between.
  bool IsWhole(std::size_t leg) const { return LegEnd(leg) - LegStart(leg) < 1.5 * interval_; }

  /// The state at a time as the flight through two poses in succession has it.
  State OnLeg(std::size_t leg, double time) const {
    const auto& [from, pose] = poses_[leg];
    const double step = LegEnd(leg) - from;
    const BodyPose& next = poses_[leg + 1].pose;
    const Eigen::AngleAxisd turn(next.q_WB * pose.q_WB.conjugate());
    const State start{.p_WB = pose.p_WB,
                      .q_WB = pose.q_WB,
                      .v = (next.p_WB - pose.p_WB) / step - 0.5 * step * body_.gravity,
                      .w = turn.angle() / step * turn.axis()};
    return BodyAfter(body_, start, time - from);
  }

  /// What flight has at a time: from the leg that holds it, and from those before and after, as an
  /// impact in between bends the path.
  std::vector<State> At(double time) const {
    const auto next = std::ranges::upper_bound(poses_, time, {}, &TimedPose::time);
    const std::ptrdiff_t leg = next - poses_.begin() - 1;
    std::vector<State> states;
    for (const std::ptrdiff_t candidate : {leg, leg - 1, leg + 1}) {
      if (candidate < 0 || candidate >= std::ssize(poses_) - 1) continue;
      const auto place = static_cast<std::size_t>(candidate);
      const bool near =
          time > LegStart(place) - 1.5 * interval_ && time < LegEnd(place) + 1.5 * interval_;
      if (near && IsWhole(place)) states.push_back(OnLeg(place, time));
    }
    return states;
  }

 private:
  struct TimedPose {
    double time = 0.0;
    BodyPose pose;
  };
  const TrackedBody& body_;
  std::vector<TimedPose> poses_;
  double interval_ = 0.0;  ///< median [s]
};

/// The spots that move, of each frame; a picture that says nothing new has none.
std::vector<FrameBlobs> WithoutStaticSpots(const VideoSpots& spots,
                                           const StaticSpotOptions& options) {
  std::vector<StereoSpots> instants;
  for (const FrameBlobs& frame : spots.frames)
    instants.push_back({.time = frame.time, .blobs = {frame.blobs}});
  for (const int repeated : spots.timing.repeated)
    instants[static_cast<std::size_t>(repeated)].blobs[0].clear();
  RemoveStaticSpots(&instants, options);
  std::vector<FrameBlobs> frames;
  for (StereoSpots& instant : instants)
    frames.push_back({instant.time, std::move(instant.blobs[0])});
  return frames;
}

/// One spot of a camera's video.
struct TimedSpot {
  double time = 0.0;  ///< of its row, on the camera's own clock [s]
  Eigen::Vector2d pixel = Eigen::Vector2d::Zero();
  int marker = -1;  ///< where a tag tells
};

std::vector<TimedSpot> SpotsInTime(const std::vector<FrameBlobs>& frames, const View& view,
                                   double line_time) {
  std::vector<TimedSpot> spots;
  for (const FrameBlobs& frame : frames) {
    for (const Blob& blob : frame.blobs) {
      spots.push_back(
          {frame.time + capture::RowDelay(blob.centre.y(), view.camera.height, line_time),
           blob.centre, blob.marker});
    }
  }
  return spots;
}

/// Left time less the camera's time, where a spot lies near the path of a marker that moves.
/// @param near_px how far from it
std::vector<double> Votes(const TrackedBody& body, int side, const BodyPath& path,
                          const std::vector<TimedSpot>& spots, double near_px) {
  constexpr double kMovingPx = 1.5;
  const FlightCovariance nothing = FlightCovariance::Zero();
  std::vector<double> votes;
  for (std::size_t leg = 0; leg < path.NumLegs(); ++leg) {
    if (!path.IsWhole(leg)) continue;
    const double start = path.LegStart(leg), step = path.LegEnd(leg) - start;
    const FlightEstimate from{start, path.OnLeg(leg, start), nothing};
    const FlightEstimate to{start + step, path.OnLeg(leg, start + step), nothing};
    for (const MarkerPrediction& one : PredictMarkers(body, from, side, {}, 0.05)) {
      const auto other = PredictMarker(body, to, one.marker, side);
      if (!other) continue;
      const Eigen::Vector2d way = other->pixel - one.pixel;
      if (way.norm() < kMovingPx) continue;
      for (const TimedSpot& spot : spots) {
        if (spot.marker >= 0 && spot.marker != one.marker) continue;
        const Eigen::Vector2d off = spot.pixel - one.pixel;
        const double share = off.dot(way) / way.squaredNorm();
        if (share < 0.0 || share >= 1.0 || (off - share * way).norm() > near_px) continue;
        votes.push_back(start + share * step - spot.time);
      }
    }
  }
  std::ranges::sort(votes);
  return votes;
}

/// Most votes within a window, and its middle.
struct Peak {
  std::ptrdiff_t votes = 0;
  double offset = 0.0;
};

/// @param away_from offsets nearer to it than 1.5 windows are no rivals
Peak HighestPeak(const std::vector<double>& votes, double window,
                 std::optional<double> away_from = {}) {
  Peak peak;
  for (auto first = votes.begin(), last = first; first != votes.end(); ++first) {
    while (last != votes.end() && *last - *first < window) ++last;
    const double middle = *(first + (last - first) / 2);
    if (away_from && std::abs(middle - *away_from) < 1.5 * window) continue;
    if (last - first > peak.votes) peak = {last - first, middle};
  }
  return peak;
}

/// Which spots of a frame are which markers, and by what motion.
struct Labels {
  State state;
  std::vector<int> marker_of_blob;
  int count = 0;
  double squares = 0.0;  ///< [px^2]
};

/// @param time of the middle row, left clock
Labels LabelAt(const TrackedBody& body, int side, const BodyPath& path,
               const FurtherViewOptions& options, double time, std::span<const Blob> blobs) {
  Labels best;
  for (const State& state : path.At(time)) {
    const Exposure exposure{.after = 0.0, .line_time = options.line_time};
    Labels labels{state, AssignNearest(body, state, side, exposure, blobs, options.min_facing,
                                       options.gate_px)};
    for (const MarkerPrediction& expected : PredictMarkers(
             body, {time, state, FlightCovariance::Zero()}, side, exposure, options.min_facing)) {
      const auto label = std::ranges::find(labels.marker_of_blob, expected.marker);
      if (label == labels.marker_of_blob.end()) continue;
      const Blob& blob = blobs[static_cast<std::size_t>(label - labels.marker_of_blob.begin())];
      labels.squares += (blob.centre - expected.pixel).squaredNorm();
      ++labels.count;
    }
    const bool better =
        labels.count > best.count || (labels.count == best.count && labels.squares < best.squares);
    if (best.marker_of_blob.empty() || better) best = std::move(labels);
  }
  return best;
}

/// By how much later the body is where its markers are seen: least squares of the pixels along
/// their motion, those far off left out. Nothing where too few move.
std::optional<double> OffsetStep(const TrackedBody& body, int side, const BodyPath& path,
                                 const FurtherViewOptions& options, double offset,
                                 const std::vector<FrameBlobs>& frames) {
  constexpr double kHuberPx = 1.0;
  double information = 0.0, sum = 0.0;
  for (const FrameBlobs& frame : frames) {
    const double time = frame.time + offset, after = 0.1 * path.Interval();
    const Labels labels = LabelAt(body, side, path, options, time, frame.blobs);
    const Exposure now{.after = 0.0, .line_time = options.line_time};
    const FlightCovariance nothing = FlightCovariance::Zero();
    const auto expected = PredictMarkers(body, {time, labels.state, nothing}, side, now, -1.0);
    const auto later = PredictMarkers(body, {time, BodyAfter(body, labels.state, after), nothing},
                                      side, now, -1.0);
    for (std::size_t j = 0; j < labels.marker_of_blob.size(); ++j) {
      const int marker = labels.marker_of_blob[j];
      if (marker < 0) continue;
      const auto one = std::ranges::find(expected, marker, &MarkerPrediction::marker);
      const auto other = std::ranges::find(later, marker, &MarkerPrediction::marker);
      if (one == expected.end() || other == later.end()) continue;
      const Eigen::Vector2d speed = (other->pixel - one->pixel) / after;
      const Eigen::Vector2d error = frame.blobs[j].centre - one->pixel;
      const double weight = std::min(1.0, kHuberPx / std::max(1e-9, error.norm()));
      information += weight * speed.squaredNorm();
      sum += weight * speed.dot(error);
    }
  }
  // A hundred sightings that move by a pixel from frame to frame.
  if (!(information * path.Interval() * path.Interval() > 100.0)) return std::nullopt;
  return sum / information;
}

/// The nearest offset at which a frame of the camera is one of the left camera's.
double OnFrames(double offset, const std::vector<FrameBlobs>& seen,
                const std::vector<TrackedFrame>& frames) {
  std::vector<double> left;
  for (const TrackedFrame& frame : frames) {
    if (frame.has_picture[0]) left.push_back(frame.time);
  }
  if (left.empty()) return offset;
  const double middle = seen[seen.size() / 2].time;
  return left[capture::NearestTime(left, middle + offset)] - middle;
}

void FindOffset(const TrackedBody& body, int side, const BodyPath& path,
                const std::vector<FrameBlobs>& seen, const FurtherViewOptions& options,
                const std::vector<TrackedFrame>& frames, FurtherView* found) {
  const std::vector<double> votes =
      Votes(body, side, path, SpotsInTime(seen, body.views[side], options.line_time),
            0.5 * options.gate_px);
  const double window = 0.25 * path.Interval();
  const Peak peak = HighestPeak(votes, window), rival = HighestPeak(votes, window, peak.offset);
  constexpr std::ptrdiff_t kLeast = 12;
  if (peak.votes < kLeast || peak.votes < 2 * rival.votes) {
    found->reason = fmt::format(
        "nothing tells when its frames were taken: {} of its spots lie on the paths of the markers "
        "at the best offset, {} at another one; does it show this trial, and was it moved since "
        "the calibration?",
        peak.votes, rival.votes);
    return;
  }
  found->offset = peak.offset;
  for (int round = 0; round < 5; ++round) {
    const std::optional<double> step = OffsetStep(body, side, path, options, found->offset, seen);
    if (!step) break;
    found->offset += std::clamp(*step, -window, window);
    if (std::abs(*step) < 1e-4 * path.Interval()) break;
  }
  if (!options.genlocked) return;
  const double on_frames = OnFrames(found->offset, seen, frames);
  if (std::abs(on_frames - found->offset) > 0.1 * path.Interval()) {
    found->reason = fmt::format(
        "its frames lie {:.2f} frames beside those of the left camera: synchronisation.genlocked "
        "is not true of it",
        (found->offset - on_frames) / path.Interval());
    return;
  }
  found->offset = on_frames;
}

}  // namespace

FurtherView AddFurtherView(const TrackedBody& body, int side, const VideoSpots& spots,
                           const FurtherViewOptions& options, std::vector<TrackedFrame>* frames) {
  FurtherView view{.timing = spots.timing};
  view.frames.assign(frames->size(), -1);
  const BodyPath path(body, *frames);
  if (path.Empty() || spots.frames.empty()) {
    view.reason = "the body was found in too few frames";
    return view;
  }
  const std::vector<FrameBlobs> seen = WithoutStaticSpots(spots, options.static_spots);
  FindOffset(body, side, path, seen, options, *frames, &view);
  if (!view.reason.empty()) return view;
  std::vector<double> times;
  for (const TrackedFrame& frame : *frames) times.push_back(frame.time);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const double time = seen[k].time + view.offset;
    const std::size_t place = capture::NearestTime(times, time);
    TrackedFrame& frame = (*frames)[place];
    if (std::abs(frame.time - time) > 0.75 * path.Interval()) continue;
    // Of two pictures about one frame the nearer one stays.
    if (const int other = view.frames[place]; other >= 0) {
      const double before = seen[static_cast<std::size_t>(other)].time + view.offset;
      if (std::abs(before - frame.time) <= std::abs(time - frame.time)) continue;
      std::erase_if(frame.observations, [&](const auto& o) { return o.side == side; });
    }
    view.frames[place] = static_cast<int>(k);
    const Labels labels = LabelAt(body, side, path, options, time, seen[k].blobs);
    if (labels.count == 0) continue;
    for (MarkerObservation& o :
         ObservationsOf({body.views[side]}, body.layout, {seen[k].blobs}, {labels.marker_of_blob},
                        {labels.state.p_WB, labels.state.q_WB})) {
      o.side = side;
      o.time =
          time + capture::RowDelay(o.pixel.y(), body.views[side].camera.height, options.line_time);
      frame.observations.push_back(o);
    }
  }
  for (const TrackedFrame& frame : *frames) {
    view.sightings += static_cast<int>(
        std::ranges::count(frame.observations, side, [](const auto& o) { return o.side; }));
  }
  return view;
}

}  // namespace percuss::tracking
