// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/labels/stereo_clock.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "capture/video/synchronisation.h"

namespace percuss::tracking {
namespace {

constexpr double kMinSpeedPx = 1.0;   // per frame; slower spots hardly tell the time
constexpr double kMaxSpeedPx = 60.0;  // per frame
constexpr double kMatchPx = 2.0;      // from the epipolar line; farther is no match
constexpr int kMinSpots = 30;

/// A moving spot: its pixel at a time, and how it goes on.
struct MovingSpot {
  double time = 0.0;  ///< [s], clock of its camera
  Eigen::Vector2d pixel;
  SpotMotion motion;
};

using MovingFrames = std::vector<std::vector<MovingSpot>>;

double MeanInterval(const std::vector<FrameBlobs>& frames) {
  return (frames.back().time - frames.front().time) / static_cast<double>(frames.size() - 1);
}

MovingFrames FindMovingSpots(const VideoSpots& video) {
  const auto motions = MotionOfSpots(video.frames);
  const double interval = MeanInterval(video.frames);
  MovingFrames moving(video.frames.size());
  for (std::size_t k = 0; k < moving.size(); ++k) {
    for (std::size_t j = 0; j < motions[k].size(); ++j) {
      if (!motions[k][j] || motions[k][j]->velocity.norm() * interval < kMinSpeedPx) continue;
      moving[k].push_back({video.frames[k].time, video.frames[k].blobs[j].centre, *motions[k][j]});
    }
  }
  return moving;
}

/// Signed distances of right spots from the epipolar lines of left ones.
class EpipolarDistance {
 public:
  explicit EpipolarDistance(const Views& views) : right_(views[1].camera) {
    const calibration::Pose X_RL =
        views[1].camera_from_world * views[0].camera_from_world.Inverse();
    Eigen::Matrix3d cross;
    cross << 0, -X_RL.t.z(), X_RL.t.y(), X_RL.t.z(), 0, -X_RL.t.x(), -X_RL.t.y(), X_RL.t.x(), 0;
    essential_ = cross * X_RL.R;
    left_ = views[0].camera;
  }
  /// The line of a left pixel, of unit normal, in the right camera's (x, y, 1).
  Eigen::Vector3d Line(const Eigen::Vector2d& left_pixel) const {
    const Eigen::Vector3d line =
        essential_ * calibration::Unproject(left_, left_pixel).homogeneous();
    return line / line.head<2>().norm();
  }
  Eigen::Vector3d Ray(const Eigen::Vector2d& right_pixel) const {
    return calibration::Unproject(right_, right_pixel).homogeneous();
  }
  double Pixels(const Eigen::Vector3d& line, const Eigen::Vector3d& ray) const {
    return right_.intrinsics[0] * line.dot(ray);
  }

 private:
  calibration::Camera left_, right_;
  Eigen::Matrix3d essential_;
};

/// A left spot and the right one that comes nearest its line.
struct Match {
  Eigen::Vector3d line;
  const MovingSpot* left = nullptr;
  const MovingSpot* right = nullptr;
  double distance_px = 0.0;
};

struct ClockSearch {
  const EpipolarDistance& epipolar;
  const MovingFrames &left, &right;
  std::vector<std::vector<Eigen::Vector3d>> lines;  ///< [frame][spot] of the left
  std::vector<double> right_times;

  /// All matches nearer than kMatchPx if `offset` is added to right times. The sum of the squared
  /// distances, each at most kMatchPx squared, goes to `cost`.
  std::vector<Match> At(double offset, double* cost) const {
    std::vector<Match> matches;
    *cost = 0.0;
    for (std::size_t k = 0; k < left.size(); ++k) {
      if (left[k].empty()) continue;
      const double time = left[k].front().time - offset;
      auto next = std::lower_bound(right_times.begin(), right_times.end(), time);
      if (next == right_times.end() ||
          (next != right_times.begin() && time - next[-1] < *next - time))
        --next;
      const auto& candidates = right[next - right_times.begin()];
      std::vector<Eigen::Vector3d> rays;
      for (const MovingSpot& spot : candidates)
        rays.push_back(epipolar.Ray(spot.pixel + spot.motion.After(time - spot.time)));
      for (std::size_t i = 0; i < left[k].size(); ++i) {
        Match best{lines[k][i], &left[k][i], nullptr, kMatchPx};
        for (std::size_t j = 0; j < rays.size(); ++j) {
          const double distance = epipolar.Pixels(lines[k][i], rays[j]);
          if (std::abs(distance) >= std::abs(best.distance_px)) continue;
          best.right = &candidates[j];
          best.distance_px = distance;
        }
        *cost += best.distance_px * best.distance_px;
        if (best.right) matches.push_back(best);
      }
    }
    return matches;
  }
};

double MedianSize(const std::vector<Match>& matches) {
  std::vector<double> sizes;
  for (const Match& match : matches) sizes.push_back(std::abs(match.distance_px));
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

/// Gauss-Newton with Huber weights from a start on the raster.
ClockEstimate Refine(const ClockSearch& search, double interval, double start) {
  ClockEstimate estimate;
  estimate.offset = start;
  for (int round = 0; round < 6; ++round) {
    double cost = 0.0;
    const std::vector<Match> matches = search.At(estimate.offset, &cost);
    estimate.spots = static_cast<int>(matches.size());
    if (estimate.spots < kMinSpots) break;
    const double huber = 3.0 * 1.4826 * MedianSize(matches);
    double information = 0.0, gradient = 0.0, squares = 0.0, weights = 0.0;
    for (const Match& match : matches) {
      // A later right clock takes the spot less far along its path.
      const auto distance_at = [&](double offset) {
        const double duration = match.left->time - offset - match.right->time;
        return search.epipolar.Pixels(
            match.line,
            search.epipolar.Ray(match.right->pixel + match.right->motion.After(duration)));
      };
      const double step = 1e-2 * interval;
      const double slope =
          (distance_at(estimate.offset + step) - distance_at(estimate.offset - step)) /
          (2.0 * step);
      const double size = std::abs(match.distance_px);
      const double weight = size > huber ? huber / size : 1.0;
      information += weight * slope * slope;
      gradient += weight * slope * match.distance_px;
      squares += weight * size * size;
      weights += weight;
    }
    estimate.offset -= gradient / information;
    estimate.rms_px = std::sqrt(squares / weights);
    estimate.sigma = estimate.rms_px / std::sqrt(information);
  }
  return estimate;
}

}  // namespace

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
      double least = max_bend_px;
      for (const Blob& a : frames[k - 1].blobs) {
        const Eigen::Vector2d to = (here - a.centre) / before;
        if (to.norm() * before > kMaxSpeedPx) continue;
        for (const Blob& c : frames[k + 1].blobs) {
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

ClockEstimate EstimateClock(const Views& views, const std::array<VideoSpots, 2>& spots,
                            double time_offset) {
  ClockEstimate estimate;
  for (const VideoSpots& video : spots) {
    if (video.frames.size() >= 3) continue;
    estimate.reason = "fewer than 3 frames";
    return estimate;
  }
  const MovingFrames left = FindMovingSpots(spots[0]), right = FindMovingSpots(spots[1]);
  const EpipolarDistance epipolar(views);
  ClockSearch search{epipolar, left, right, {}, {}};
  for (const auto& frame : left) {
    search.lines.emplace_back();
    for (const MovingSpot& spot : frame) search.lines.back().push_back(epipolar.Line(spot.pixel));
  }
  for (const FrameBlobs& frame : spots[1].frames) search.right_times.push_back(frame.time);

  const double interval = MeanInterval(spots[0].frames);
  double best = std::numeric_limits<double>::infinity(), start = 0.0;
  constexpr int kStepsPerFrame = 40;
  for (int step = -kStepsPerFrame; step <= kStepsPerFrame; ++step) {
    const double offset = time_offset + step * interval / kStepsPerFrame;
    double cost = 0.0;
    search.At(offset, &cost);
    if (cost >= best) continue;
    best = cost;
    start = offset;
  }
  estimate = Refine(search, interval, start);
  estimate.offset -= time_offset;
  if (estimate.spots < kMinSpots) {
    estimate.reason = fmt::format("{} moving spots are seen by both cameras, at least {} needed",
                                  estimate.spots, kMinSpots);
  } else if (!(estimate.sigma < 0.02 * interval)) {
    estimate.reason = "the spots move along the epipolar lines, where time does not show";
  } else if (!(std::abs(estimate.offset) < 1.5 * interval)) {
    estimate.reason = "no offset within a frame brings the spots onto their epipolar lines";
  } else {
    estimate.found = true;
  }
  return estimate;
}

void ShiftRightClock(double offset, std::vector<TrackedFrame>* frames) {
  if (offset == 0.0) return;
  for (TrackedFrame& frame : *frames) {
    for (MarkerObservation& o : frame.observations) {
      if (o.side == 1) o.time = (std::isnan(o.time) ? frame.time : o.time) + offset;
    }
  }
}

void ShiftRowTimes(const std::array<double, 2>& line_time, const Views& views,
                   std::vector<TrackedFrame>* frames) {
  for (TrackedFrame& frame : *frames) {
    for (MarkerObservation& o : frame.observations) {
      if (line_time[o.side] == 0.0) continue;
      o.time = (std::isnan(o.time) ? frame.time : o.time) +
               capture::RowDelay(o.pixel.y(), views[o.side].camera.height, line_time[o.side]);
    }
  }
}

double LargestTimeFromFrame(std::span<const TrackedFrame> frames) {
  double largest = 0.0;
  for (const TrackedFrame& frame : frames) {
    for (const MarkerObservation& o : frame.observations) {
      if (!std::isnan(o.time)) largest = std::max(largest, std::abs(o.time - frame.time));
    }
  }
  return largest;
}

}  // namespace percuss::tracking
