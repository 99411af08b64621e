// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <opencv2/core/mat.hpp>
#include <vector>

#include "tracking/ball/ball_track.h"
#include "tracking/ball/clip.h"
#include "tracking/outline/swept_disc.h"

namespace percuss::tracking {

/// Where the ball is to be looked for in one frame.
struct Lookout {
  int frame = 0;
  double time = 0.0;
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();  ///< [px/s]
  SweptDisc start;
};

/// Exposure that makes the fast ball as long as its track says it is [s].
double RoughExposureOf(const BallTrack& track);

/// All frames of the flights of a track, and those between two flights: they may belong to either.
/// @param exposure [s]
std::vector<Lookout> LookoutsOf(const BallTrack& track, double exposure);

/// The part of a picture that holds a disc and the ground around it.
cv::Rect PatchOf(const SweptDisc& disc, const cv::Size& size);

/// The ground, where the median over the clip shows the ball itself because it lay there for long:
/// medians over the frames of its flights in which it is elsewhere.
cv::Mat GroundWithoutBall(const ClipSurvey& survey, const std::vector<Lookout>& lookouts);

}  // namespace percuss::tracking
