// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibration/rig/view.h"
#include "tracking/labels/tracked_frame.h"
#include "tracking/spots/video_spots.h"

namespace percuss::tracking {

/// How a spot moves in its image, from the spots of the frames before and after.
struct SpotMotion {
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();      ///< [px/s]
  Eigen::Vector2d acceleration = Eigen::Vector2d::Zero();  ///< [px/s^2]
  /// Displacement `duration` seconds later, which should be at most about a frame.
  Eigen::Vector2d After(double duration) const {
    return duration * (velocity + 0.5 * duration * acceleration);
  }
};

/// [frame][spot]: the parabola through the spot and those two of its neighbours in time that make
/// it the least bent; nothing where these bend it by more than `max_bend_px` (an impact, a lost
/// spot).
std::vector<std::vector<std::optional<SpotMotion>>> MotionOfSpots(
    std::span<const FrameBlobs> frames, double max_bend_px = 4.0);

/// Time between the exposures of two cameras that run free.
struct ClockEstimate {
  bool found = false;
  std::string reason;   ///< why not
  double offset = 0.0;  ///< [s] to be added to right times beside `time_offset`
  double sigma = std::numeric_limits<double>::quiet_NaN();   ///< of the spots' noise alone [s]
  double rms_px = std::numeric_limits<double>::quiet_NaN();  ///< of the epipolar distances left
  int spots = 0;                                             ///< that took part
};

/// Finds the offset, within one frame to either side, at which the moving spots of the right images
/// lie on the epipolar lines of those of the left: each right spot is taken along its own parabola
/// to the time of the left one. No labels are needed: a left spot is matched with whichever right
/// spot comes nearest its line. First a search over a raster, then Gauss-Newton. Spots that move
/// along the epipolar lines say nothing. Used as a start; the fit of the arcs finds the offset that
/// counts, with its sigma.
/// @param time_offset [s] to be added to right times: whole frames.
ClockEstimate EstimateClock(const Views& views, const std::array<VideoSpots, 2>& spots,
                            double time_offset);

/// Adds to the times of all sightings by the right camera.
void ShiftRightClock(double offset, std::vector<TrackedFrame>* frames);

/// Adds to the times of all sightings what rolling shutters with these line times [s] of left and
/// right do (capture::RowDelay).
void ShiftRowTimes(const std::array<double, 2>& line_time, const Views& views,
                   std::vector<TrackedFrame>* frames);

/// Largest distance in time between a sighting and its frame [s].
double LargestTimeFromFrame(std::span<const TrackedFrame> frames);

}  // namespace percuss::tracking
