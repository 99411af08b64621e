// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "capture/experiment/experiment.h"
#include "capture/video/synchronisation.h"
#include "tracking/labels/body_labels.h"
#include "tracking/labels/further_views.h"
#include "tracking/labels/marker_filter.h"
#include "tracking/pose/tracked_frame.h"
#include "tracking/reference/reference_check.h"
#include "tracking/spots/static_spots.h"
#include "tracking/spots/video_spots.h"

namespace percuss::tracking {

struct TrackedTrial {
  capture::Alignment alignment;
  std::array<int, 2> num_frames{};
  std::array<capture::FrameTiming, 2> timing;
  std::vector<std::string> warnings;  ///< VideoWarnings of both
  std::vector<TrackedFrame> frames;
  /// Of the rolling shutters, in the times of the sightings [s].
  capture::PerCamera<double> line_time = {};
  /// Of `line_time` where the flights of this trial showed it; 0 where it was stated, or they
  /// showed nothing.
  capture::PerCamera<double> line_time_sigma = {};
  /// Mean place of the markers from the mass centre that the poses follow, body axes [m]; none:
  /// that of the experiment.
  std::optional<Eigen::Vector3d> mean_marker = {};
  FilterSummary filter;  ///< instants are places in `frames`
  int static_spots = 0;  ///< places in both images where something stands still all the time
  Polarity polarity = Polarity::kBright;  ///< of the markers that were found
  /// Where the experiment has reference points; its warnings are among `warnings`.
  std::optional<ReferenceCheck> reference = {};
  /// Of the cameras after left and right; their sightings are among those of `frames`.
  std::vector<FurtherView> further = {};
};

/// The frame of a camera's video that belongs to one of TrackedTrial::frames; -1 where it took
/// none.
int FrameOf(const TrackedTrial& tracked, std::size_t frame, std::size_t side);

struct TrackingOptions {
  /// expected_diameter_px is set from calibration and marker size; `polarity` is what is tried
  /// first.
  DetectionOptions detection;
  StaticSpotOptions static_spots;
  LabelOptions labels;
  /// Rolling shutters, capture::RowDelay [s]; those of the experiment if not given.
  std::optional<capture::PerCamera<double>> line_time = {};
  int num_threads = 2;  ///< with 2 or more, both videos of a trial are read at once
  std::function<void(const std::string& step, double fraction)>
      progress;  ///< may be empty; called from one thread
};

/// Diameter of a marker at the distance of the surface's origin, seen face on [px], the mean of
/// all cameras.
double ExpectedMarkerDiameter(const Views& views, double marker_diameter);

/// Standard deviation of where markers are seen, face on as above, by what was typed of their
/// places [px]: capture::BodySigmas::marker; 0 where the videos told the places.
double TypedPlaceSigma(const Views& views, const capture::MarkedBody& body);

/// What was found in the videos of a trial, before it is known what is what.
struct TrialSpots {
  std::array<VideoSpots, 2> views;      ///< the second is empty if planar
  std::vector<VideoSpots> others = {};  ///< of further cameras; empty where one took nothing
  Polarity polarity = Polarity::kBright;
  std::vector<std::string> warnings = {};            ///< VideoWarnings of all
  std::string reason = {};                           ///< why there is nothing to label, or empty
  std::optional<capture::Alignment> alignment = {};  ///< where it is known; else the spots tell
};

/// All frames of both cameras, those that both took at about the same time together, without
/// labels.
std::vector<TrackedFrame> FramesOf(const std::array<VideoSpots, 2>& spots,
                                   const capture::Alignment& alignment);

/// The spots of options.detection.polarity in the videos of all cameras of a trial. @throws
/// InputError for a bad video, or frame sizes that differ from the calibration.
TrialSpots FindTrialSpots(const capture::Experiment& experiment, const capture::Trial& trial,
                          const Views& views, const TrackingOptions& options = {});

/// AlignVideos and LabelSpots, this twice where markers may lie elsewhere than was typed: with
/// gates that let these errors through, then with the places that the poses correct and gates as
/// the spots deserve them; then AddFurtherViews. The poses follow the mean of the markers as typed.
/// @param reason why there are no labels, or why the frames of the two videos cannot be paired.
TrackedTrial LabelTrialSpots(const capture::Experiment& experiment, const capture::Trial& trial,
                             const Views& views, const TrialSpots& spots,
                             const TrackingOptions& options, std::string* reason);

/// AddFurtherView of all cameras after left and right, from TrialSpots::others; one that cannot be
/// used is a warning.
/// @param body with the views of all cameras
void AddFurtherViews(const capture::Experiment& experiment, const capture::Trial& trial,
                     const TrackedBody& body, const TrialSpots& spots,
                     const TrackingOptions& options, TrackedTrial* tracked);

/// The spots of a trial whose markers have no names yet.
struct UnnamedTrial {
  std::string reason;                 ///< why there is nothing to follow, or empty
  TrackedTrial tracked;               ///< alignment and frames, without observations
  std::vector<StereoSpots> instants;  ///< the spots that move, of each frame
  MarkerTracks tracks;                ///< FollowMarkers
};

/// Alignment of two videos, RemoveStaticSpots, FollowMarkers.
UnnamedTrial FollowTrialSpots(const capture::Experiment& experiment, const capture::Trial& trial,
                              const Views& views, const TrialSpots& spots,
                              const TrackingOptions& options = {});

/// What moves as one body in two videos, whatever was typed of its markers.
struct MovingBody {
  RigidGroup group;  ///< LargestRigidGroup of FollowMarkers
  /// Diameter of its spots where they are seen face on, over that of a marker: a high quantile, as
  /// most are seen at an angle. NaN without a group.
  double diameter_ratio = std::numeric_limits<double>::quiet_NaN();
};
/// Without a group where two videos cannot be aligned.
MovingBody FindMovingBody(const capture::Experiment& experiment, const capture::Trial& trial,
                          const Views& views, const TrialSpots& spots,
                          const TrackingOptions& options = {});

/// Both videos of a trial, or the one of a planar experiment, from files to labelled markers and
/// body poses: spots -> alignment of two videos -> labels from the layout, carried by
/// a filter of the body's motion and checked against its pose in every frame -> pose per frame.
/// Where the layout is found in no frame, markers of the other polarity are looked for.
/// @param spots if given, takes what the labels were found in; where they were not, the spots of
///   options.detection.polarity
/// @throws InputError for a bad video, or frame sizes that differ from the calibration.
/// @throws DataError where nothing tells which frames of two videos belong together, or if the
/// layout is found in no frame (says why).
TrackedTrial TrackMarkers(const capture::Experiment& experiment, const capture::Trial& trial,
                          const calibration::RigCalibration& calibration,
                          const TrackingOptions& options = {}, TrialSpots* spots = nullptr);

/// The part of TrackMarkers after the images: RemoveStaticSpots, LabelBody. Frames that only one
/// camera took count as well. Spots that were not seen at their frame's time
/// (alignment.sub_frame_offset, line_time) are labelled where the body has their markers when they
/// were exposed; the observations are as seen, and carry their times. Poses are those at the
/// frame's time.
/// @param reason why there are no labels
TrackedTrial LabelSpots(const TrackedBody& body, const std::array<VideoSpots, 2>& spots,
                        const capture::Alignment& alignment, const TrackingOptions& options,
                        std::string* reason);

}  // namespace percuss::tracking
