// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

#include "tracking/labels/marker_tracking.h"

namespace percuss::tracking {

/// TrackMarkers of a trial that has tracks in place of videos. Where they are named their names are
/// the labels, checked against the body's pose (FindNamedPoses); else the layout labels them as it
/// does spots (LabelTrialSpots), with gates as wide as their noise asks for.
/// @param spots takes what the labels were found in
/// @throws InputError as ReadTrackSpots.
/// @throws DataError if the layout is found in no frame (says why).
TrackedTrial TrackFromTracks(const capture::Experiment& experiment, const capture::Trial& trial,
                             const calibration::RigCalibration& calibration,
                             TrackingOptions* options, TrialSpots* spots);

/// Standard deviation of a coordinate of a sighting as stated [px]: the root of the median of their
/// variances; 0 without sightings.
double TypicalSigma(std::span<const TrackedFrame> frames);

}  // namespace percuss::tracking
