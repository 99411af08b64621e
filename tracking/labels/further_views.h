// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <vector>

#include "tracking/labels/body_filter.h"
#include "tracking/pose/tracked_frame.h"
#include "tracking/spots/static_spots.h"
#include "tracking/spots/video_spots.h"

namespace percuss::tracking {

/// What became of the video of a camera after left and right.
struct FurtherView {
  std::string reason = {};  ///< why nothing of it was used; empty if it was
  double offset = 0.0;      ///< to be added to its times for those of the left camera [s]
  capture::FrameTiming timing = {};
  int sightings = 0;
  std::vector<int> frames = {};  ///< its frame at each TrackedFrame, or -1
};

struct FurtherViewOptions {
  double line_time = 0.0;  ///< of its shutter [s]
  bool genlocked = false;  ///< it exposes when the left camera does
  double gate_px = 4.0;    ///< from where the body has a marker to its spot
  double min_facing = 0.05;
  StaticSpotOptions static_spots = {};
};

/// Adds to the frames what a further camera saw of a body that others have followed; each sighting
/// carries its own time.
///
/// First the clock: each spot that moves near the path on which the body takes a marker through
/// the picture says by how much the camera's times differ from the left one's; right votes fall
/// together, accidental ones are spread over the trial. The offset with most votes is refined by
/// least squares, and lies on the left camera's frames where the cameras are genlocked. Then the
/// labels: AssignNearest at the time of each of its frames, where free flight takes the body from
/// the poses about that time; beside an impact, from those on the side that explains more.
///
/// @param body with the view of that camera
/// @param side its place among the views
/// @param frames labelled by left and right, with poses; the sightings come after theirs
FurtherView AddFurtherView(const TrackedBody& body, int side, const VideoSpots& spots,
                           const FurtherViewOptions& options, std::vector<TrackedFrame>* frames);

}  // namespace percuss::tracking
