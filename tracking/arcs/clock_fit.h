// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "capture/experiment/experiment.h"
#include "capture/video/synchronisation.h"
#include "tracking/arcs/impact_arcs.h"

namespace percuss::tracking {

/// FitImpactArcs with what the experiment knows of the right camera's clock:
///   - genlocked, or found so before (ArcFitOptions::clock_found_exact): it is exact;
///   - a stated offset (part of `alignment`): known with the stated sigma at
///     `alignment.offset_time`, from where clocks drift by kClockRateSigma;
///   - nothing: its offset is an unknown of the fit. If it comes out compatible with 0 (3 sigma,
///     and below 0.02 frames) the cameras are taken as genlocked: free-running cameras would be
///     that near to each other in one recording of some hundred only. The arcs then are fitted with
///     an exact clock.
ImpactFit FitArcsAndClock(std::span<const TrackedFrame> frames, const ImpactGuess& guess,
                          const MarkerLayout& layout, const Eigen::Matrix3d& inertia_B,
                          const Eigen::Vector3d& gravity,
                          const calibration::RigCalibration& calibration,
                          const capture::Synchronisation& known,
                          const capture::Alignment& alignment, ArcFitOptions options);

}  // namespace percuss::tracking
