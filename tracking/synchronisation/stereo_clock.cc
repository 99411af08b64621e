// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/synchronisation/stereo_clock.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tracking/synchronisation/moving_spots.h"

namespace percuss::tracking {
namespace {

constexpr double kMatchPx = 2.0;  // from the epipolar line; farther is no match
constexpr int kMinSpots = 30;

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

ClockEstimate EstimateClock(const Views& views, const std::array<VideoSpots, 2>& spots,
                            double time_offset) {
  ClockEstimate estimate;
  for (const VideoSpots& video : spots) {
    if (video.frames.size() >= 3) continue;
    estimate.reason = "fewer than 3 frames";
    return estimate;
  }
  const MovingFrames left = FindMovingSpots(spots[0].frames),
                     right = FindMovingSpots(spots[1].frames);
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

}  // namespace percuss::tracking
