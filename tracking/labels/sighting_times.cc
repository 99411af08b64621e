// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/labels/sighting_times.h"

#include <cmath>

#include "capture/video/synchronisation.h"

namespace percuss::tracking {

void ShiftRightClock(double offset, std::vector<TrackedFrame>* frames) {
  if (offset == 0.0) return;
  for (TrackedFrame& frame : *frames) {
    for (MarkerObservation& o : frame.observations) {
      if (o.side == 1) o.time = (std::isnan(o.time) ? frame.time : o.time) + offset;
    }
  }
}

void ShiftRowTimes(const std::array<double, 2>& line_time, const Views& views,
                   std::vector<TrackedFrame>* frames) {
  for (TrackedFrame& frame : *frames) {
    for (MarkerObservation& o : frame.observations) {
      if (line_time[o.side] == 0.0) continue;
      o.time = (std::isnan(o.time) ? frame.time : o.time) +
               capture::RowDelay(o.pixel.y(), views[o.side].camera.height, line_time[o.side]);
    }
  }
}

}  // namespace percuss::tracking
