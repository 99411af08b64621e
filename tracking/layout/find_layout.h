// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "calibration/rig/rig_calibration.h"
#include "capture/experiment/experiment.h"

namespace percuss::tracking {

/// A layout that nobody measured.
struct FoundLayout {
  /// As stated, with the markers and the covariance of their places.
  capture::MarkedBody body;
  int pictures = 0;             ///< in which the outline was looked for
  double outline_rms_px = 0.0;  ///< of what the outline misses the edges of light by
  double shift_sigma = 0.0;     ///< of the markers against the shape, rms over the axes [m]
  double rotation_sigma = 0.0;  ///< [rad]
  std::vector<int> sightings;   ///< of each marker, frames of both cameras
  std::vector<std::string> warnings;
};

struct LayoutFinderOptions {
  int num_threads = 2;
  int max_trials = 20;  ///< evenly chosen: more say little more of what all share
  std::function<void(const std::string& step, double fraction)> progress = {};  ///< may be empty
};

/// Which trials show the layout: all, or `max_trials` evenly chosen.
std::vector<capture::Trial> TrialsForLayout(const capture::Experiment& experiment,
                                            const LayoutFinderOptions& options = {});

/// Finds the places of markers (MarkedBody::unplaced) from the videos of these trials:
///
///   1. Markers are followed one by one (FollowMarkers); those that keep their distances are a
///      configuration in a frame of their own (ConfigurationOf), which moves as they do.
///   2. The frame of the body in it: from surface, flights and spin (FindBodyFrames).
///   3. With this layout all trials are labelled (LabelBody). Spots that keep their places beside
///      the labelled ones are further markers; this goes on until there are no more.
///   4. The outline of the shape in pictures of free flight moves the frame (FitOutline).
///
/// Covariance of the places: what is left of the six numbers of the frame, and a ruler's error
/// (BodySigmas::marker) of each against the others, as if it had been typed: the flights find those
/// again, better.
/// @throws InputError for an inertia that does not have the symmetry of the shape.
/// @throws DataError in one line that says which of these steps has no answer.
FoundLayout FindLayout(const capture::Experiment& experiment,
                       const calibration::RigCalibration& calibration,
                       const LayoutFinderOptions& options = {});

}  // namespace percuss::tracking
