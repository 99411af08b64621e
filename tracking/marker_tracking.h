// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "capture/experiment.h"
#include "capture/synchronisation.h"
#include "tracking/body_pose.h"
#include "tracking/image_tracks.h"
#include "tracking/layout_search.h"

namespace percuss::tracking {

/// One instant of a trial, seen by both cameras.
struct TrackedFrame {
  int left_frame = 0;
  int right_frame = 0;
  double time = 0.0;  ///< [s] on the left camera's clock, middle of the exposure
  std::vector<MarkerObservation> observations;
  PoseEstimate pose;  ///< found = false where fewer than three markers were seen
};

/// What is known of one camera's video after one pass through it.
struct VideoSpots {
  std::vector<FrameBlobs> frames;
  std::vector<double> mean_grey;
};

struct TrackedTrial {
  capture::Alignment alignment;
  std::array<int, 2> num_frames{};
  std::vector<TrackedFrame> frames;
};

struct TrackingOptions {
  DetectionOptions detection;  ///< expected_diameter_px is set from calibration and marker size
  ImageTrackOptions linking;
  LayoutSearchOptions search;
  double reject_px = 1.0;  ///< an observation this far from the body's pose loses its label
  std::function<void(const std::string& step, double fraction)>
      progress;  ///< may be empty; called from two threads
};

/// Decodes a video once and finds the spots of every frame.
/// @throws InputError naming file and frame for anything wrong with the video.
VideoSpots FindSpots(const std::filesystem::path& video, std::optional<double> frame_rate,
                     const capture::Tone& tone, const DetectionOptions& options,
                     const std::function<void(double)>& progress = {});

/// Diameter of a marker at the distance of the surface's origin, seen face on [px], the mean of
/// both cameras.
double ExpectedMarkerDiameter(const StereoViews& views, double marker_diameter);

/// Both videos of a trial, from files to labelled markers and body poses:
/// spots -> alignment by the flash -> tracks in each image -> labels from the layout, carried by
/// the tracks and checked against the body's pose in every frame -> pose per frame.
/// @throws InputError for a bad video, or frame sizes that differ from the calibration.
/// @throws DataError without a flash, or if the layout is found in no frame (says why).
TrackedTrial TrackMarkers(const capture::Experiment& experiment, const capture::Trial& trial,
                          const calibration::RigCalibration& calibration,
                          const TrackingOptions& options = {});

/// The part of TrackMarkers after the images: labels and poses from spots.
std::vector<TrackedFrame> LabelSpots(const StereoViews& views, const MarkerLayout& layout,
                                     const std::array<VideoSpots, 2>& spots,
                                     const capture::Alignment& alignment,
                                     const TrackingOptions& options, std::string* reason);

}  // namespace percuss::tracking
