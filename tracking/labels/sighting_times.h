// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "calibration/rig/view.h"
#include "capture/experiment/trial.h"
#include "tracking/pose/tracked_frame.h"

namespace percuss::tracking {

/// Adds to the times of all sightings what each camera's clock is behind [s].
void ShiftClocks(const capture::PerCamera<double>& offset, std::vector<TrackedFrame>* frames);

/// Adds to the times of all sightings what rolling shutters with these line times [s] do
/// (capture::RowDelay).
void ShiftRowTimes(const capture::PerCamera<double>& line_time, const Views& views,
                   std::vector<TrackedFrame>* frames);

/// The sighting taken to the time of its frame, on the straight line to that of the same marker in
/// the neighbouring frame; false if there is none.
bool TakeToFrameTime(std::span<const TrackedFrame> frames, std::size_t k, MarkerObservation* seen);

}  // namespace percuss::tracking
