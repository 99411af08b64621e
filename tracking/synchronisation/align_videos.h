// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <string>
#include <vector>

#include "calibration/rig/view.h"
#include "capture/experiment/experiment.h"
#include "capture/video/synchronisation.h"
#include "tracking/spots/video_spots.h"

namespace percuss::tracking {

struct VideoAlignment {
  capture::Alignment alignment;       ///< found = false with the reason where nothing tells
  std::vector<std::string> warnings;  ///< witnesses that disagree
};

/// Times of the right video on the left one's clock. Whole frames: by the flash, and by the motion
/// of the spots over the whole length of both videos (FindLag). Where these disagree by more than a
/// frame (half a frame for where in its exposure the flash falls, half for the whole number), the
/// motion counts: it comes from hundreds of spots that all must lie on their lines, a flash may be
/// a reflection, or two. Where only one of them speaks, it alone counts. Parts of a frame: by what
/// the experiment says, or by the motion (EstimateClock).
///
/// The sound of the videos tells the lag to some frames only. Where the motion alone leaves
/// several, it decides among them; else it is one more witness, and never believed against another.
///
/// A stated offset belongs to frames that the flash pairs; without one to that pairing by whole
/// frames with which it comes nearest to what the motion shows.
VideoAlignment AlignVideos(const capture::Synchronisation& known,
                           const capture::PerCamera<double>& line_time, const Views& views,
                           const std::array<VideoSpots, 2>& spots);

}  // namespace percuss::tracking
