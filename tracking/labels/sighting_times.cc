// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/labels/sighting_times.h"

#include <cmath>

#include "capture/video/synchronisation.h"

namespace percuss::tracking {

void ShiftClocks(const capture::PerCamera<double>& offset, std::vector<TrackedFrame>* frames) {
  for (TrackedFrame& frame : *frames) {
    for (MarkerObservation& o : frame.observations) {
      if (offset[o.side] == 0.0) continue;
      o.time = (std::isnan(o.time) ? frame.time : o.time) + offset[o.side];
    }
  }
}

void ShiftRowTimes(const capture::PerCamera<double>& line_time, const Views& views,
                   std::vector<TrackedFrame>* frames) {
  for (TrackedFrame& frame : *frames) {
    for (MarkerObservation& o : frame.observations) {
      if (line_time[o.side] == 0.0) continue;
      o.time = (std::isnan(o.time) ? frame.time : o.time) +
               capture::RowDelay(o.pixel.y(), views[o.side].camera.height, line_time[o.side]);
    }
  }
}

bool TakeToFrameTime(std::span<const TrackedFrame> frames, std::size_t k, MarkerObservation* seen) {
  const double duration = std::isnan(seen->time) ? 0.0 : frames[k].time - seen->time;
  if (duration == 0.0) return true;
  const std::size_t neighbour = duration > 0.0 ? k + 1 : k - 1;
  if (neighbour >= frames.size()) return false;
  for (const MarkerObservation& other : frames[neighbour].observations) {
    if (other.marker != seen->marker || other.side != seen->side) continue;
    seen->pixel += duration / (other.time - seen->time) * (other.pixel - seen->pixel);
    return true;
  }
  return false;
}

}  // namespace percuss::tracking
