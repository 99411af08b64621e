// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "capture/experiment/experiment.h"
#include "tracking/arcs/impact_arcs.h"
#include "tracking/labels/marker_tracking.h"

namespace percuss::tracking {

/// Size and direction of the gravity that a flight shows against the stated one, as a sentence;
/// empty while chi-square with 3 degrees of freedom is below 25 (chance exceeds it once in 60000
/// times).
/// @param name "before" or "after" the impact
std::string GravityWarning(const ArcSummary& arc, const char* name, const Eigen::Vector3d& gravity);

/// Markers that should have been seen well in many frames and were labelled in hardly any: their
/// stated places are wrong, or they fell off. The rest may still give the right states, so this is
/// a warning.
std::vector<std::string> MissingMarkerWarnings(const capture::MarkedBody& body,
                                               const MarkerLayout& layout, const Views& views,
                                               const std::vector<TrackedFrame>& frames);

/// The body must be in one pose just before and just after the impact (sun2017, 4.4.3): whether
/// chance explains the jump more often than once in a thousand times.
bool PoseContinues(const PoseJump& jump);

/// How far apart the two flights are, in words.
std::string PoseJumpText(const PoseJump& jump);

/// Whether the jump is what a second impact at least a tenth of a frame later leaves behind:
/// misplaced markers and calibration jump by less.
bool IsSecondImpact(const ImpactFit& fit, double frame_interval);

/// Why an arc is no free flight: too little of it is left, or it does not fall. Over a few frames a
/// body at rest is within the noise of a flight; the gravity it shows tells them apart. Empty if
/// both are flights.
std::string NoFlight(const ImpactFit& fit, const Eigen::Vector3d& gravity);

}  // namespace percuss::tracking
