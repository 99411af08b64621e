// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <vector>

#include "capture/experiment/experiment.h"
#include "capture/tracks/pixel_tracks.h"
#include "tracking/labels/marker_tracking.h"

namespace percuss::tracking {

/// What a trial has in place of videos: spots that another program found, perhaps with names.
struct TrackSpots {
  TrialSpots spots;
  bool named = false;
  /// [side][frame][spot]: which marker of the body it is, where they are named.
  std::array<std::vector<std::vector<int>>, 2> marker;
  double sigma_px = 0.0;  ///< the larger one of the cameras', of what states none of its own
};

/// Standard deviation of a coordinate of a sighting [px], as tracks show it: the median size of
/// third differences over four frames at even distances, over 0.6745 sqrt(20), since noise adds
/// 1 + 9 + 9 + 1 of its variance to them and a smooth motion hardly anything. At least 0.05 px; 0.5
/// px where fewer than 20 differences can be taken.
double EstimateTrackSigma(const capture::PixelTracks& tracks);

/// Reads the tracks of a trial. They are named where a name in the file is that of a marker of the
/// body, or where the source maps one to it; other points of that file are then left out.
///
/// Their times are on one clock where the source states an `offset` or both cameras are in one
/// file; else the motion pairs the frames (AlignVideos), and where it does not tell they are taken
/// as they stand, with a warning. Those of further cameras are for AddFurtherViews, which needs
/// neither their names nor their offset.
/// @throws InputError as capture::ReadPixelTracks; for a mapped name that is not there or a marker
///   that is not the body's, for names in one file alone, for a marker twice in a frame.
TrackSpots ReadTrackSpots(const capture::Experiment& experiment, const capture::Trial& trial,
                          const Views& views);

}  // namespace percuss::tracking
