// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "tracking/ball/clip.h"
#include "tracking/ball/moving_things.h"

namespace percuss::tracking {

/// Where a thing is in one frame, at first look; pixels of the frames.
struct TrackPoint {
  int frame = 0;
  double time = 0.0;  ///< [s]
  Eigen::Vector2d centre = Eigen::Vector2d::Zero();
  double radius = 0.0;  ///< semi-axis across the motion [px]
  double smear = 0.0;   ///< by how much it is longer than wide [px]
  double fill = 0.0;
  double step = 0.0;  ///< grey values
};

/// Flights of a thing in the picture, at first look: frames in which it moves on parabolas of one
/// common acceleration.
struct RoughFlight {
  int first = 0, last = 0;  ///< places in the track
};

/// A thing followed through a clip.
struct BallTrack {
  std::vector<TrackPoint> points;  ///< in the order of time, at most one per frame
  Eigen::Vector2d acceleration = Eigen::Vector2d::Zero();  ///< common to its flights [px/s^2]
  std::vector<RoughFlight> flights;                        ///< successive, a bounce between two
  /// Frames in flight, each weighed by how round the thing is, how well it keeps its size, and that
  /// it is no longer than its way makes it.
  double score = 0.0;
};

struct TrackOptions {
  std::optional<Eigen::Vector2d> near;  ///< only things that pass here [px]
};

/// Which of the things that move in a clip is a ball.
struct FoundBall {
  std::string reason;  ///< why there is none; empty if there is
  BallTrack ball;
  std::vector<std::string> warnings;  ///< what else flies, and what is not seen of the ball
};

/// Follows all that moves, and takes for the ball what is round, keeps its size, and flies on at
/// least two successive parabolas of one common acceleration. Things are what FindMovingThings and,
/// by themselves, what FindWholeThings sees. A ball that is lost and comes back on
/// the same flight, or after one bounce, is followed on, also where the pieces are
/// parts of tracks that change their size at once: those of a ball and its shadow that were
/// exchanged.
FoundBall FindBall(const ClipSurvey& survey, const TrackOptions& options = {});

/// When a track bounces, in the middle between the frames of successive flights [s].
std::vector<double> BounceTimes(const BallTrack& track);

/// Cuts a track into flights: successive frames whose places are X0 + V t + a t^2 / 2 with an
/// acceleration `a` common to all. Those of least cost by dynamic programming, where a frame costs
/// its squared distance in units of a fifteenth of the radius (1 px at least; drag and perspective
/// bend parabolas by that much), at most that of an outlier, and a flight as much as four outliers;
/// a flight bends by itself as all do. Two of them are one where the velocity hardly changes, also
/// after up to 1.5 s in which nothing was seen, where they then meet in the middle of that time.
void CutIntoFlights(BallTrack* track);

}  // namespace percuss::tracking
