// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/ball/ball_track.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "base/math/statistics.h"

namespace percuss::tracking {
namespace {

constexpr double kLeastThingArea = 6.0;     // pixels of the small picture
constexpr int kLongestGap = 6;              // frames
constexpr double kLeastScore = 1.0;         // frames in flight
constexpr double kNearlyAsGood = 0.5;       // of the best score
constexpr double kShadowScore = 0.3;        // of that of its shadow, for a ball to be one
constexpr double kShadowSpeed = 2.0 / 3.0;  // of the ball's, at most

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

/// A point that a track goes on with.
struct Match {
  std::size_t track = 0, point = 0;
  double misfit = 0.0;
};
using MisfitOf = std::function<double(std::size_t track, std::size_t point)>;

/// The best pair first, then the best of the rest.
std::vector<Match> NearestMatches(std::size_t tracks, std::size_t points, const MisfitOf& misfit) {
  std::vector<Match> pairs, matches;
  for (std::size_t j = 0; j < tracks; ++j) {
    for (std::size_t k = 0; k < points; ++k) {
      const Match pair{j, k, misfit(j, k)};
      if (std::isfinite(pair.misfit)) pairs.push_back(pair);
    }
  }
  std::ranges::sort(pairs, {}, &Match::misfit);
  std::vector<bool> track_taken(tracks), point_taken(points);
  for (const Match& pair : pairs) {
    if (track_taken[pair.track] || point_taken[pair.point]) continue;
    track_taken[pair.track] = point_taken[pair.point] = true;
    matches.push_back(pair);
  }
  return matches;
}

/// Exchanges the points of two tracks where both together fit better then: of a ball and its shadow
/// that part again after a bounce the nearest pair may be a wrong one.
void PartAgain(const MisfitOf& misfit, std::vector<Match>* matches) {
  for (std::size_t a = 0; a < matches->size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      Match &one = (*matches)[a], &other = (*matches)[b];
      const double crossed = misfit(one.track, other.point), back = misfit(other.track, one.point);
      if (!(crossed + back < one.misfit + other.misfit)) continue;
      std::swap(one.point, other.point);
      one.misfit = crossed;
      other.misfit = back;
    }
  }
}

/// What moves in each frame.
using FramePoints = std::vector<std::vector<TrackPoint>>;

/// @param find  FindMovingThings or FindWholeThings
FramePoints PointsOf(const ClipSurvey& survey, decltype(FindMovingThings)* find, double threshold) {
  FramePoints frames(survey.times.size());
  for (int k = 0; k < std::ssize(frames); ++k) {
    if (std::ranges::binary_search(survey.shake.lost, k) ||
        std::ranges::binary_search(survey.repeats, k))
      continue;
    for (const MovingThing& thing :
         find(survey.small[k], survey.small_ground, threshold, kLeastThingArea)) {
      // What the border cuts has its centre elsewhere.
      if (!thing.at_border) frames[k].push_back(PointOf(thing, k, survey.times[k], survey.shrink));
    }
  }
  return frames;
}

std::vector<BallTrack> FollowThings(const FramePoints& frames, double interval) {
  std::vector<BallTrack> finished;
  std::vector<Growing> growing;
  for (const auto& points : frames) {
    const auto misfit = [&](std::size_t track, std::size_t point) {
      return growing[track].Misfit(points[point], interval);
    };
    std::vector<Match> matches = NearestMatches(growing.size(), points.size(), misfit);
    PartAgain(misfit, &matches);
    std::vector<bool> point_taken(points.size());
    for (const Match& match : matches) {
      point_taken[match.point] = true;
      growing[match.track].Add(points[match.point]);
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

/// Tracks cut where the size of the thing changes at once: a track that was the ball's may go on in
/// its shadow, and back, where both meet at a bounce.
std::vector<BallTrack> CutAtSteps(const std::vector<BallTrack>& tracks) {
  constexpr int kWindow = 5;          // frames
  constexpr double kLeastStep = 1.5;  // of one size to the other
  std::vector<BallTrack> pieces;
  for (const BallTrack& track : tracks) {
    const auto size = static_cast<int>(track.points.size());
    const auto middle = [&](int first) {
      std::vector<double> radii;
      for (int i = first; i < first + kWindow; ++i) radii.push_back(track.points[i].radius);
      return Median(radii);
    };
    const auto step = [&](int i) {
      if (i < kWindow || i + kWindow > size) return 0.0;
      return std::abs(std::log(middle(i) / middle(i - kWindow)));
    };
    int begin = 0;
    for (int i = 1; i <= size; ++i) {
      const bool cut =
          step(i) > std::log(kLeastStep) && step(i) >= step(i - 1) && step(i) > step(i + 1);
      if (!cut && i < size) continue;
      pieces.push_back({.points = {track.points.begin() + begin, track.points.begin() + i}});
      begin = i;
    }
  }
  return pieces;
}

/// By how much a thing is longer than its way from frame to frame makes it [px].
double TooLong(const BallTrack& track, const RoughFlight& flight, int i) {
  const TrackPoint &low = track.points[std::max(i - 1, flight.first)],
                   &high = track.points[std::min(i + 1, flight.last)];
  return std::max(0.0, track.points[i].smear -
                           (high.centre - low.centre).norm() / std::max(1, high.frame - low.frame));
}

/// Frames in flight, weighed by roundness and by how well the size keeps.
double ScoreOf(const BallTrack& track) {
  if (track.flights.empty()) return 0.0;
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
      const double length = TooLong(track, flight, i) / (0.5 * usual + 2.0);
      score += std::exp(-0.5 * (size * size + shape * shape + length * length));
    }
  }
  return score;
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

double MedianRadius(const BallTrack& track) {
  std::vector<double> radii;
  for (const TrackPoint& point : track.points) radii.push_back(point.radius);
  return Median(radii);
}

/// Whether two tracks are never seen at once, and about as large.
bool MayBeOneThing(const BallTrack& one, const BallTrack& other) {
  const bool apart = one.points.back().frame < other.points.front().frame ||
                     other.points.back().frame < one.points.front().frame;
  return apart && std::abs(std::log(MedianRadius(one) / MedianRadius(other))) < std::log(1.5);
}

/// Two tracks as one, where the flights of the first go on in the second: a ball that left the
/// picture, or passed behind something, comes back on the same flight or after one bounce.
std::optional<BallTrack> Joined(const BallTrack& early, const BallTrack& late) {
  BallTrack joined{.points = early.points};
  joined.points.insert(joined.points.end(), late.points.begin(), late.points.end());
  CutIntoFlights(&joined);
  const auto count = static_cast<int>(early.points.size());
  if (joined.flights.empty() || joined.flights.front().first >= count ||
      joined.flights.back().last < count)
    return std::nullopt;
  joined.score = ScoreOf(joined);
  return joined;
}

/// The tracks that may be the first one before or after what it shows, the nearest in time first.
std::vector<std::size_t> PartsOfFirst(const std::vector<BallTrack>& tracks) {
  constexpr std::size_t kLeastPoints = 4;
  const BallTrack& first = tracks.front();
  const auto gap = [&](std::size_t k) {
    const BallTrack& other = tracks[k];
    return std::max(other.points.front().frame - first.points.back().frame,
                    first.points.front().frame - other.points.back().frame);
  };
  std::vector<std::size_t> parts;
  for (std::size_t k = 1; k < tracks.size(); ++k) {
    if (tracks[k].points.size() >= kLeastPoints && MayBeOneThing(first, tracks[k]))
      parts.push_back(k);
  }
  std::ranges::stable_sort(parts, {}, gap);
  return parts;
}

/// Joins the first track with those that it goes on in.
void JoinWhatGoesOn(std::vector<BallTrack>* tracks) {
  // What does not go on in the shorter one may in the longer one.
  for (bool longer = true; longer;) {
    longer = false;
    BallTrack& best = tracks->front();
    for (const std::size_t k : PartsOfFirst(*tracks)) {
      const BallTrack& other = (*tracks)[k];
      const bool before = other.points.back().frame < best.points.front().frame;
      std::optional<BallTrack> joined = before ? Joined(other, best) : Joined(best, other);
      if (!joined || !(joined->score > best.score)) continue;
      best = std::move(*joined);
      tracks->erase(tracks->begin() + static_cast<std::ptrdiff_t>(k));
      longer = true;
      break;
    }
  }
}

/// Cuts tracks into flights, the likeliest ball first and whole. What does not bounce scores
/// nothing, but a ball may be several tracks of one flight each.
void Rank(const TrackOptions& options, std::vector<BallTrack>* tracks) {
  for (BallTrack& track : *tracks) {
    if (options.near && !Passes(track, *options.near)) continue;
    CutIntoFlights(&track);
    track.score = ScoreOf(track);
  }
  const auto bounces = [](const BallTrack& track) {
    return track.flights.size() >= 2 && track.score > kLeastScore;
  };
  std::ranges::sort(*tracks, std::greater(),
                    [&](const BallTrack& track) { return std::pair(bounces(track), track.score); });
  if (!tracks->empty() && tracks->front().score > kLeastScore) JoinWhatGoesOn(tracks);
  for (BallTrack& track : *tracks) {
    if (!bounces(track)) track.score = 0.0;
  }
}

/// All that moves, as it is followed, or, where a ball shows clearly better so, cut where it
/// changes its size.
std::vector<BallTrack> RankedTracks(const FramePoints& frames, double interval,
                                    const TrackOptions& options) {
  constexpr double kClearlyBetter = 1.25;
  std::vector<BallTrack> tracks = FollowThings(frames, interval), pieces = CutAtSteps(tracks);
  const bool cut = pieces.size() > tracks.size();
  Rank(options, &tracks);
  if (!cut) return tracks;
  Rank(options, &pieces);
  return pieces.front().score > kClearlyBetter * tracks.front().score ? pieces : tracks;
}

/// Whether two tracks are mostly at the same places: parts of one ball.
bool IsPartOf(const BallTrack& one, const BallTrack& whole) {
  std::size_t within = 0;
  for (const TrackPoint& point : one.points) {
    const auto at = std::ranges::lower_bound(whole.points, point.frame, {}, &TrackPoint::frame);
    within += at != whole.points.end() && at->frame == point.frame &&
              (at->centre - point.centre).norm() < std::max(at->radius, point.radius);
  }
  return 2 * within > one.points.size();
}

/// The point of a flight that is farthest from all of another track: a pixel that tells the two
/// apart.
const TrackPoint& PointAwayFrom(const BallTrack& track, const BallTrack& other) {
  const TrackPoint* best = nullptr;
  double most = -1.0;
  for (int i = track.flights.front().first; i <= track.flights.back().last; ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const TrackPoint& point : other.points)
      nearest = std::min(nearest, (point.centre - track.points[i].centre).norm());
    if (nearest > most) {
      most = nearest;
      best = &track.points[i];
    }
  }
  return *best;
}

std::string PixelText(const TrackPoint& point) {
  return fmt::format("{:.0f},{:.0f}", point.centre.x(), point.centre.y());
}

/// That something else flies, and which of the two was taken.
std::string OtherText(const BallTrack& ball, const BallTrack& other, bool in_step) {
  const TrackPoint &taken = PointAwayFrom(ball, other), &left = PointAwayFrom(other, ball);
  if (MayBeOneThing(ball, other)) {
    return fmt::format(
        "the bounces in frames {} to {} are left out, since the ball was out of sight between them "
        "and those in frames {} to {}: --ball {} measures them",
        other.points.front().frame, other.points.back().frame, ball.points.front().frame,
        ball.points.back().frame, PixelText(left));
  }
  return fmt::format(
      "took the ball that is at {} in frame {}; another thing bounces{}, at {} in frame {}: --ball "
      "{} measures that",
      PixelText(taken), taken.frame,
      in_step ? " in step with it (its shadow on a wall, or a second ball)" : "", PixelText(left),
      left.frame, PixelText(left));
}

/// Which frames, as a text.
std::string FramesText(const std::vector<int>& frames) {
  if (frames.size() == 1) return fmt::format("frame {}", frames[0]);
  return fmt::format("{} frames from {} to {}", frames.size(), frames.front(), frames.back());
}

/// What the camera did not let see.
void WarnOfCamera(const ClipSurvey& survey, std::vector<std::string>* warnings) {
  const CameraShake& shake = survey.shake;
  if (!shake.lost.empty()) {
    warnings->push_back(
        fmt::format("the camera moves too far or too fast to follow in {}: they are left out; put "
                    "it on something that stands still",
                    FramesText(shake.lost)));
  }
  constexpr double kFar = 0.1;  // of the picture's width
  if (shake.shakes && shake.most_px > kFar * survey.size.width) {
    warnings->push_back(
        fmt::format("the camera turns by up to {:.0f} px: the ball is measured where the middle of "
                    "the clip shows it; put the camera on something that stands still",
                    shake.most_px));
  }
}

void WarnOfRepeats(const BallTrack& ball, const ClipSurvey& survey,
                   std::vector<std::string>* warnings) {
  const auto count = std::ranges::count_if(survey.repeats, [&](int frame) {
    return frame > ball.points[ball.flights.front().first].frame &&
           frame < ball.points[ball.flights.back().last].frame;
  });
  if (count == 0) return;
  warnings->push_back(
      fmt::format("{} of the frames in which the ball flies repeat the one before them and do not "
                  "count: film at a frame rate that the camera has, in better light",
                  count));
}

/// What of the ball's flights was not seen.
void WarnOfUnseen(const BallTrack& ball, const ClipSurvey& survey,
                  std::vector<std::string>* warnings) {
  for (int i = ball.flights.front().first; i < ball.flights.back().last; ++i) {
    const int from = ball.points[i].frame + 1, to = ball.points[i + 1].frame - 1;
    if (to - from < kLongestGap) continue;
    warnings->push_back(
        fmt::format("the ball is out of the picture, or hidden, in frames {} to {}: its flight "
                    "there follows from the other frames",
                    from, to));
  }
  const TrackPoint& last = ball.points.back();
  if (last.frame + kLongestGap >= static_cast<int>(survey.times.size())) return;
  const TrackPoint& before = ball.points[ball.points.size() - 2];
  const Eigen::Array2d next =
      (last.centre + 2.0 * (last.centre - before.centre) / (last.frame - before.frame)).array();
  const Eigen::Array2d size(survey.size.width, survey.size.height);
  if ((next < 2.0 * last.radius).any() || (next > size - 2.0 * last.radius).any()) {
    warnings->push_back(fmt::format(
        "the ball leaves the picture after frame {}: what it does later is left out", last.frame));
  }
}

}  // namespace

std::vector<double> BounceTimes(const BallTrack& track) {
  std::vector<double> times;
  for (std::size_t k = 0; k + 1 < track.flights.size(); ++k) {
    times.push_back(0.5 * (track.points[track.flights[k].last].time +
                           track.points[track.flights[k + 1].first].time));
  }
  return times;
}

FoundBall FindBall(const ClipSurvey& survey, const TrackOptions& options) {
  FoundBall found;
  const double noise = GroundNoise(survey.small, survey.small_ground);
  const double threshold = std::max(6.0, 5.0 * noise);
  const auto num = static_cast<double>(survey.times.size());
  const double interval = (survey.times.back() - survey.times.front()) / (num - 1.0);
  const FramePoints parts = PointsOf(survey, FindMovingThings, threshold);
  if (std::ranges::all_of(parts, [](const auto& points) { return points.empty(); })) {
    found.reason =
        "found no ball, since nothing moves in the clip: film the ball as it falls and bounces, "
        "brighter or darker than what is behind it";
    return found;
  }
  // Each way to see things by itself: a track of one does not go on in one of the other.
  std::vector<BallTrack> tracks = RankedTracks(parts, interval, options);
  std::ranges::move(RankedTracks(PointsOf(survey, FindWholeThings, threshold), interval, options),
                    std::back_inserter(tracks));
  std::ranges::sort(tracks, std::greater(), &BallTrack::score);
  if (tracks.empty() || !(tracks.front().score > kLeastScore)) {
    found.reason = fmt::format(
        "found no ball, since nothing that moves{} flies on two parabolas with a "
        "bounce between them: film all of the fall and what follows the bounce{}",
        options.near ? " through the place that --ball states" : "",
        survey.shake.lost.empty()
            ? ""
            : fmt::format("; the camera moves too far or too fast to follow in {}",
                          FramesText(survey.shake.lost)));
    return found;
  }
  // A shadow bounces with its ball, and less far.
  std::size_t best = 0;
  for (std::size_t k = 1; k < tracks.size(); ++k) {
    if (tracks[k].score > kShadowScore * tracks[best].score &&
        kShadowSpeed * tracks[k].acceleration.norm() > tracks[best].acceleration.norm() &&
        BounceTogether(tracks[k], tracks[best], interval))
      best = k;
  }
  found.ball = tracks[best];
  WarnOfCamera(survey, &found.warnings);
  WarnOfRepeats(found.ball, survey, &found.warnings);
  WarnOfUnseen(found.ball, survey, &found.warnings);
  std::vector<const BallTrack*> others;
  for (std::size_t k = 0; k < tracks.size(); ++k) {
    const BallTrack& other = tracks[k];
    if (k == best || !(other.score > kNearlyAsGood * found.ball.score) ||
        IsPartOf(other, found.ball))
      continue;
    // A shadow on the ground is slower than its ball.
    const bool together = BounceTogether(other, found.ball, interval);
    const double slower = other.acceleration.norm() / found.ball.acceleration.norm();
    if (together && slower < kShadowSpeed) continue;
    // Nor is the shadow of another one a third.
    if (std::ranges::any_of(
            others, [&](const BallTrack* one) { return BounceTogether(other, *one, interval); }))
      continue;
    found.warnings.push_back(OtherText(found.ball, other, together));
    others.push_back(&other);
  }
  return found;
}

}  // namespace percuss::tracking
