// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <span>

#include "capture/experiment/experiment.h"
#include "capture/video/synchronisation.h"
#include "tracking/arcs/impact_arcs.h"

namespace percuss::tracking {

/// Line times of the rolling shutters of all cameras, beyond what the times of the sightings
/// hold, and their standard deviations [s].
struct LineTimes {
  bool found = false;
  capture::PerCamera<double> value = {}, sigma = {};
};

/// The line times as the flights of a trial's impacts show them: rows that are read one after the
/// other shear and stretch a falling body, one way before the impact and the other way after. Each
/// impact is fitted (FitImpactArcs) with these as unknowns about 0 +- capture::kUnstatedLineTime;
/// returned is the mean of the impacts, weighted by their information. Not found where no impact
/// can be fitted.
/// @param known, alignment as for FitArcsAndClock
LineTimes FitLineTimes(std::span<const TrackedFrame> frames, std::span<const ImpactGuess> guesses,
                       const MarkerLayout& layout, const Eigen::Matrix3d& inertia_B,
                       const Eigen::Vector3d& gravity,
                       const calibration::RigCalibration& calibration,
                       const capture::Synchronisation& known, const capture::Alignment& alignment,
                       ArcFitOptions options);

/// Information-weighted mean of those that are found.
LineTimes MeanOf(std::span<const LineTimes> all);

}  // namespace percuss::tracking
