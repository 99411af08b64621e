// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/ball/ball_track.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math/statistics.h"

namespace percuss::tracking {
namespace {

constexpr double kLeastThingArea = 6.0;  // pixels of the small picture
constexpr int kLongestGap = 6;           // frames
constexpr double kNearlyAsGood = 0.5;    // of the best score
constexpr double kShadowScore = 0.3;     // of that of its shadow, for a ball to be one

TrackPoint PointOf(const MovingThing& thing, int frame, double time, int shrink) {
  TrackPoint point;
  point.frame = frame;
  point.time = time;
  // The centre of small pixel k is that of frame pixels shrink k .. shrink k + shrink - 1.
  point.centre =
      thing.centre * shrink + Eigen::Vector2d::Constant(0.5 * (static_cast<double>(shrink) - 1.0));
  point.radius = thing.short_axis * shrink;
  point.smear = 2.0 * (thing.long_axis - thing.short_axis) * shrink;
  point.fill = thing.fill;
  point.step = thing.step;
  return point;
}

/// A track that is still growing.
struct Growing {
  BallTrack track;
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();  ///< [px/s]
  double radius = 0.0;                                 ///< of its last points

  double Misfit(const TrackPoint& point, double interval) const {
    const TrackPoint& last = track.points.back();
    const double dt = point.time - last.time;
    const Eigen::Vector2d moved = point.centre - last.centre;
    const Eigen::Vector2d ahead = moved - velocity * dt;
    // After a bounce it is anywhere within the way that it makes in this time.
    const double reach = 1.3 * velocity.norm() * dt + 1.5 * radius + 60.0 * interval * radius;
    const double size =
        std::max(point.radius, radius) / std::max(1.0, std::min(point.radius, radius));
    const double strength =
        std::max(point.step, last.step) / std::max(1.0, std::min(point.step, last.step));
    if (moved.norm() > reach || size > 2.5 || strength > 6.0)
      return std::numeric_limits<double>::infinity();
    return ahead.norm() / std::max(2.0, radius) + 6.0 * std::log(size) + std::log(strength);
  }
  void Add(const TrackPoint& point) {
    if (!track.points.empty()) {
      const TrackPoint& last = track.points.back();
      velocity = (point.centre - last.centre) / (point.time - last.time);
      radius = 0.7 * radius + 0.3 * point.radius;
    } else {
      radius = point.radius;
    }
    track.points.push_back(point);
  }
};

std::vector<BallTrack> FollowThings(const std::vector<std::vector<TrackPoint>>& frames,
                                    double interval) {
  std::vector<BallTrack> finished;
  std::vector<Growing> growing;
  for (const auto& points : frames) {
    struct Pair {
      double misfit;
      std::size_t track, point;
    };
    std::vector<Pair> pairs;
    for (std::size_t j = 0; j < growing.size(); ++j) {
      for (std::size_t k = 0; k < points.size(); ++k) {
        const double misfit = growing[j].Misfit(points[k], interval);
        if (std::isfinite(misfit)) pairs.push_back({misfit, j, k});
      }
    }
    std::ranges::sort(pairs, {}, &Pair::misfit);
    std::vector<bool> track_taken(growing.size()), point_taken(points.size());
    for (const Pair& pair : pairs) {
      if (track_taken[pair.track] || point_taken[pair.point]) continue;
      track_taken[pair.track] = point_taken[pair.point] = true;
      growing[pair.track].Add(points[pair.point]);
    }
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (!point_taken[k]) growing.emplace_back().Add(points[k]);
    }
    if (points.empty()) continue;
    const int frame = points.front().frame;
    std::erase_if(growing, [&](Growing& one) {
      if (frame - one.track.points.back().frame <= kLongestGap) return false;
      finished.push_back(std::move(one.track));
      return true;
    });
  }
  for (Growing& one : growing) finished.push_back(std::move(one.track));
  return finished;
}

/// Frames in flight, weighed by roundness and by how well the size keeps.
double ScoreOf(const BallTrack& track) {
  if (track.flights.size() < 2) return 0.0;
  std::vector<double> radii;
  for (const RoughFlight& flight : track.flights) {
    for (int i = flight.first; i <= flight.last; ++i) radii.push_back(track.points[i].radius);
  }
  const double usual = Median(radii);
  double score = 0.0;
  for (const RoughFlight& flight : track.flights) {
    for (int i = flight.first; i <= flight.last; ++i) {
      const TrackPoint& point = track.points[i];
      const double size = std::abs(std::log(point.radius / usual)) / 0.2;
      const double shape = (1.0 - point.fill) / 0.15;
      score += std::exp(-0.5 * (size * size + shape * shape));
    }
  }
  return score;
}

/// When a track bounces [s].
std::vector<double> BounceTimes(const BallTrack& track) {
  std::vector<double> times;
  for (std::size_t k = 0; k + 1 < track.flights.size(); ++k) {
    times.push_back(0.5 * (track.points[track.flights[k].last].time +
                           track.points[track.flights[k + 1].first].time));
  }
  return times;
}

/// Whether two tracks bounce together, as a ball and its shadow do.
bool BounceTogether(const BallTrack& one, const BallTrack& other, double interval) {
  const std::vector<double> times = BounceTimes(one), others = BounceTimes(other);
  std::size_t together = 0;
  for (const double time : times) {
    together +=
        std::ranges::any_of(others, [&](double t) { return std::abs(t - time) < 2.5 * interval; });
  }
  return 3 * together >= 2 * std::min(times.size(), others.size());
}

bool Passes(const BallTrack& track, const Eigen::Vector2d& place) {
  return std::ranges::any_of(track.points, [&](const TrackPoint& point) {
    return (point.centre - place).norm() < 2.0 * point.radius;
  });
}

}  // namespace

FoundBall FindBall(const ClipSurvey& survey, const TrackOptions& options) {
  FoundBall found;
  const double noise = GroundNoise(survey.small, survey.small_ground);
  const double threshold = std::max(6.0, 5.0 * noise);
  const auto num = static_cast<int>(survey.times.size());
  const double interval = (survey.times.back() - survey.times.front()) / (num - 1);
  std::vector<std::vector<TrackPoint>> frames(num);
  std::size_t things = 0;
  for (int k = 0; k < num; ++k) {
    for (const MovingThing& thing :
         FindMovingThings(survey.small[k], survey.small_ground, threshold, kLeastThingArea)) {
      // What the border cuts has its centre elsewhere.
      if (!thing.at_border) frames[k].push_back(PointOf(thing, k, survey.times[k], survey.shrink));
    }
    things += frames[k].size();
  }
  if (things == 0) {
    found.reason = "nothing moves in the clip";
    return found;
  }
  std::vector<BallTrack> tracks = FollowThings(frames, interval);
  for (BallTrack& track : tracks) {
    if (options.near && !Passes(track, *options.near)) continue;
    CutIntoFlights(&track);
    track.score = ScoreOf(track);
  }
  std::ranges::sort(tracks, std::greater(), &BallTrack::score);
  if (tracks.empty() || !(tracks.front().score > 0.0)) {
    found.reason =
        fmt::format("nothing that moves{} flies on two parabolas with a bounce between them",
                    options.near ? " through the given place" : "");
    return found;
  }
  // A shadow bounces with its ball, and less far.
  std::size_t best = 0;
  for (std::size_t k = 1; k < tracks.size(); ++k) {
    if (tracks[k].score > kShadowScore * tracks[best].score &&
        tracks[k].acceleration.norm() > 1.5 * tracks[best].acceleration.norm() &&
        BounceTogether(tracks[k], tracks[best], interval))
      best = k;
  }
  found.ball = tracks[best];
  for (std::size_t k = 0; k < tracks.size(); ++k) {
    if (k != best && tracks[k].score > kNearlyAsGood * found.ball.score &&
        !BounceTogether(tracks[k], found.ball, interval))
      found.others.push_back(tracks[k]);
  }
  return found;
}

}  // namespace percuss::tracking
