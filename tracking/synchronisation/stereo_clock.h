// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <limits>
#include <string>

#include "calibration/rig/view.h"
#include "tracking/spots/video_spots.h"

namespace percuss::tracking {

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

}  // namespace percuss::tracking
