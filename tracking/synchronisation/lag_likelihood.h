// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "calibration/rig/view.h"
#include "tracking/spots/video_spots.h"
#include "tracking/synchronisation/lag_candidate.h"

namespace percuss::tracking {

/// Of the distances from the lines: rows read one after the other, an old calibration.
inline constexpr double kLargestSigmaPx = 3.2;

/// A moving spot of the left video.
struct LeftSpot {
  std::size_t frame = 0;
  double time = 0.0;     ///< of its exposure [s], clock of the left camera
  Eigen::Vector3d line;  ///< EpipolarDistance::Line
  double density = 0.0;  ///< moving right spots per pixel that lie about the line by chance
};

/// A moving spot of the right video: its ray (x, y) and how it goes on.
struct RightSpot {
  double time = 0.0;                            ///< of its exposure [s], clock of the right camera
  Eigen::Vector2d ray, velocity, acceleration;  ///< per second
};

struct RightFrame {
  double time = 0.0;      ///< [s]
  bool usable = false;    ///< it shows spots whose motion could be known
  std::size_t first = 0;  ///< of its spots in the arrays of LagData
  std::vector<RightSpot> spots;
};

/// What FindLag needs of two videos.
struct LagData {
  double interval = 0.0;                        ///< between left frames [s]
  double focal_length = 0.0;                    ///< of the right camera [px]
  std::vector<double> left_times, right_times;  ///< of all frames that are looked at [s]
  std::vector<LeftSpot> left;
  std::vector<RightFrame> right;
  /// Rays of all right spots, and what they do in an interval: to be gone through fast.
  std::vector<float> x, y, step_x, step_y;
};

/// @param every of so many frames one is looked at.
LagData MakeLagData(const Views& views, const std::array<VideoSpots, 2>& spots,
                    const capture::PerCamera<double>& line_time, int every);

/// Keeps each `step`-th spot.
void KeepEvery(double step, std::vector<LeftSpot>* spots);

/// A lag with its log-likelihood ratio, also frame by frame.
struct RefinedLag {
  LagCandidate candidate;
  std::vector<double> by_frame;  ///< [left frame]; NaN without moving spots or overlap
};

/// Climbs from `offset` [s] to the nearest largest likelihood of FindLag, over sigma and the share
/// of partners as well.
RefinedLag RefineLag(const LagData& data, double offset);

/// The same at that offset.
RefinedLag EvaluateLag(const LagData& data, double offset);

}  // namespace percuss::tracking
