// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

#include "tracking/marker_detection.h"
#include "tracking/marker_filter.h"

namespace percuss::tracking {

/// The spots of one frame of one camera.
struct FrameBlobs {
  double time = 0.0;  ///< [s] from the start of that video
  std::vector<Blob> blobs;
};

struct ImageTrackOptions {
  MarkerFilterOptions filter;
  double gate =
      13.8;  ///< squared Mahalanobis distance; 99.9 % of chi-square with 2 degrees of freedom
  int max_missed_frames = 4;  ///< a track that saw nothing for longer has ended
  double sigma_floor_px =
      0.05;  ///< added to a centroid's own sigma: what the noise does not explain
};

/// Which spots of successive frames are the same thing: track[frame][blob] is a track number,
/// unique over the video.
using ImageTracks = std::vector<std::vector<int>>;

/// Links spots from frame to frame: each track is a Kalman filter (prediction, gate, one-to-one
/// assignment), coasts over short occlusions and ends after `max_missed_frames`; spots that no
/// track claims start new ones. Names play no part here: which track is which marker is decided by
/// the layout.
ImageTracks LinkBlobs(std::span<const FrameBlobs> frames, const ImageTrackOptions& options = {});

}  // namespace percuss::tracking
