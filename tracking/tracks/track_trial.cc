// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/tracks/track_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/error.h"
#include "base/math/statistics.h"
#include "capture/video/synchronisation.h"
#include "tracking/tracks/named_poses.h"
#include "tracking/tracks/track_spots.h"

namespace percuss::tracking {
namespace {

/// A sighting of other programs is off by more than the centroid of a spot.
void OpenGates(double sigma_px, LabelOptions* labels) {
  const NamedPoseOptions named;
  const double factor = std::max(1.0, named.reject_sigmas * sigma_px / labels->reject_px);
  labels->reject_px *= factor;
  labels->search.gate_px *= factor;
  labels->search.max_epipolar_px *= factor;
  labels->search.distance_tolerance *= factor;
  labels->max_blind_gate_px *= factor;
}

/// The sightings of each frame, with their times where these are not that of the frame.
void TakeSightings(const TrackSpots& tracks, const capture::Alignment& alignment,
                   const capture::PerCamera<double>& line_time, const Views& views,
                   TrackedTrial* tracked) {
  for (TrackedFrame& frame : tracked->frames) {
    for (std::size_t side = 0; side < views.size(); ++side) {
      if (!frame.has_picture[side]) continue;
      const auto number =
          static_cast<std::size_t>(side == 0 ? frame.left_frame : frame.right_frame);
      const FrameBlobs& seen = tracks.spots.views[side].frames[number];
      double after = 0.0;
      if (side == 1 && alignment.sub_frame_offset != 0.0)
        after = seen.time + alignment.time_offset - frame.time;
      for (std::size_t i = 0; i < seen.blobs.size(); ++i) {
        const Blob& blob = seen.blobs[i];
        const double delay =
            after + capture::RowDelay(blob.centre.y(), views[side].camera.height, line_time[side]);
        frame.observations.push_back(
            {.marker = tracks.marker[side][number][i],
             .side = static_cast<int>(side),
             .pixel = blob.centre,
             .covariance = blob.covariance,
             .time = delay == 0.0 ? std::numeric_limits<double>::quiet_NaN() : frame.time + delay});
      }
    }
    std::ranges::sort(frame.observations, {},
                      [](const MarkerObservation& o) { return std::tuple(o.marker, o.side); });
  }
}

TrackedTrial TakeNames(const capture::Experiment& experiment, const TrackSpots& tracks,
                       const capture::PerCamera<double>& line_time, const Views& views) {
  TrackedTrial tracked;
  tracked.alignment = tracks.spots.alignment.value_or(capture::Alignment{});
  tracked.line_time = line_time;
  for (std::size_t side = 0; side < views.size(); ++side) {
    tracked.num_frames[side] = static_cast<int>(tracks.spots.views[side].frames.size());
    tracked.timing[side] = tracks.spots.views[side].timing;
  }
  tracked.frames = FramesOf(tracks.spots.views, tracked.alignment);
  TakeSightings(tracks, tracked.alignment, line_time, views, &tracked);
  NamedPoseOptions options;
  options.reject_px = std::hypot(options.reject_px, 3.0 * TypedPlaceSigma(views, experiment.body));
  FindNamedPoses(views, LayoutOf(experiment.body, experiment.planar), options, &tracked.frames);
  tracked.warnings = tracks.spots.warnings;
  return tracked;
}

}  // namespace

TrackedTrial TrackFromTracks(const capture::Experiment& experiment, const capture::Trial& trial,
                             const calibration::RigCalibration& calibration,
                             TrackingOptions* options, TrialSpots* spots) {
  const Views views = ViewsOf(calibration), pair = PairOf(views);
  TrackSpots tracks = ReadTrackSpots(experiment, trial, views);
  if (!tracks.named) {
    OpenGates(tracks.sigma_px, &options->labels);
    *spots = std::move(tracks.spots);
    std::string reason;
    TrackedTrial tracked = LabelTrialSpots(experiment, trial, views, *spots, *options, &reason);
    if (!reason.empty()) {
      throw DataError(fmt::format(
          "trial {}: no name in {} is that of a marker of the body, and by their places: {}",
          trial.name, trial.left.string(), reason));
    }
    return tracked;
  }
  const double sigma_px = tracks.sigma_px;
  TrackedTrial tracked =
      TakeNames(experiment, tracks, options->line_time.value_or(experiment.line_time), pair);
  *spots = std::move(tracks.spots);
  if (tracked.frames.empty()) {
    throw DataError(fmt::format("trial {}: the times of {} and {} do not overlap: state offset",
                                trial.name, trial.left.string(), trial.right.string()));
  }
  const bool any = std::ranges::any_of(tracked.frames,
                                       [](const TrackedFrame& frame) { return frame.pose.found; });
  if (!any) {
    throw DataError(fmt::format(
        "trial {}: the tracks of {} fit the markers of the body in no frame: are names, places of "
        "markers, calibration, and y_axis as they should be?",
        trial.name, trial.left.string()));
  }
  TrackingOptions opened = *options;
  OpenGates(sigma_px, &opened.labels);
  const TrackedBody body{views, LayoutOf(experiment.body, experiment.planar),
                         experiment.body.body.inertia, trial.gravity};
  AddFurtherViews(experiment, trial, body, *spots, opened, &tracked);
  return tracked;
}

double TypicalSigma(std::span<const TrackedFrame> frames) {
  std::vector<double> variances;
  for (const TrackedFrame& frame : frames) {
    for (const MarkerObservation& seen : frame.observations)
      variances.push_back(0.5 * seen.covariance.trace());
  }
  return variances.empty() ? 0.0 : std::sqrt(Median(variances));
}

}  // namespace percuss::tracking
